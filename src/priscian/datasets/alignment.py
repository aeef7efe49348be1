"""Places of another tool's tokens in a text, for scores that come without character offsets.

A token is looked for at the next place in the text: as it stands, without subword marks, as Moses
and the Penn Treebank write it, whatever its capitals. An unknown-word token stands for a word, or
for more where the next token is only found further on; a word ends at a space or a mark, so that
`girlthat that` after `<unk>` leaves the second *that*. Punctuation that the tokenizer drops is
passed over. Byte-level pieces are put together as bytes. What fits nowhere is an error.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import cache

from priscian.errors import DataError

Place = tuple[int, int]

BOUNDARIES = frozenset(
    {"<s>", "</s>", "<bos>", "<eos>", "<|endoftext|>", "<|begin_of_text|>", "<|end_of_text|>",
     "[CLS]", "[SEP]", "<S>", "</S>", "<EOS>", "<BOS>"}
)  # fmt: skip
_UNKNOWN = re.compile(r"<unk>|<UNK>|\[UNK\]|<unknown>|UNK(-[A-Za-z-]+)?|<unk:[^>]*>|<UNK:[^>]*>")
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_WRITTEN = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": '"', "''": '"', "@-@": "-", "@,@": ",", "@.@": ".", "@/@": "/", "@:@": ":",
    "&quot;": '"', "&apos;": "'", "&amp;": "&", "&lt;": "<", "&gt;": ">",
}  # fmt: skip


def is_boundary(token: str) -> bool:
    """Whether a token opens or ends a text."""
    return token in BOUNDARIES


def is_unknown(token: str) -> bool:
    """Whether a token stands for a word that the model does not know."""
    return _UNKNOWN.fullmatch(token) is not None


def align(text: str, tokens: Sequence[str]) -> list[Place]:
    """Half-open character offsets of every token.

    >>> align("girlthat that", ["<unk>", "that"])
    [(0, 8), (9, 13)]
    """
    inner = [t for t in tokens if not _BYTE.fullmatch(t)]
    if len(inner) == len(tokens):
        found, furthest = _walk(text, tokens)
        if found is not None:
            return found
    else:
        furthest = 0
    by_bytes = _align_bytes(text, tokens)
    if by_bytes is not None:
        return by_bytes
    token = tokens[furthest] if furthest < len(tokens) else "the end"
    raise DataError(
        f"token {furthest + 1} ({token!r}) does not continue the sentence {text!r}; "
        "its tokens must follow the text from left to right"
    )


def forms(token: str) -> list[str]:
    """What a token may look like in the text, the likeliest first."""
    bare = token.strip()
    found = [bare, _WRITTEN.get(bare, bare)]
    for mark in ("Ġ", "▁", "##", "Ċ", "@@", "￭"):
        if bare.startswith(mark) and len(bare) > len(mark):
            found.append(bare[len(mark) :])
    for mark in ("</w>", "@@", "￭"):
        if bare.endswith(mark) and len(bare) > len(mark):
            found.append(bare[: -len(mark)])
    return list(dict.fromkeys(found))


def _walk(text: str, tokens: Sequence[str]) -> tuple[list[Place] | None, int]:
    """The first way of laying the tokens along the text, and how many fitted at best."""
    lowered = text.lower() if len(text.lower()) == len(text) else text
    dead: set[tuple[int, int]] = set()
    furthest = 0

    def ends(number: int, at: int) -> list[int]:
        """Where a token that begins at a place may end, the likeliest first."""
        if is_unknown(tokens[number]):
            return [end for end in range(at + 1, len(text) + 1) if _word_ends(text, end)]
        found = []
        for form in forms(tokens[number]):
            if form and (text.startswith(form, at) or lowered.startswith(form.lower(), at)):
                found.append(at + len(form))
        if tokens[number].strip() in ("", "Ġ", "▁", "Ċ"):
            found.append(at)  # a bare space: it belongs to what follows
        return found

    def lay(number: int, at: int) -> list[Place] | None:
        nonlocal furthest
        furthest = max(furthest, number)
        while at < len(text) and text[at].isspace():
            at += 1
        if number == len(tokens):
            rest = text[at:]
            return [] if all(not c.isalnum() for c in rest) else None
        if (number, at) in dead:
            return None
        for end in ends(number, at):
            following = lay(number + 1, end)
            if following is not None:
                return [(at, end), *following]
        if at < len(text) and not text[at].isalnum():  # a mark that the tokenizer drops
            following = lay(number, at + 1)
            if following is not None:
                return following
        dead.add((number, at))
        return None

    limit = sys.getrecursionlimit()
    if len(tokens) + len(text) > limit - 200:
        raise DataError(f"a sentence of {len(tokens)} tokens is too long to align: {text[:40]!r}…")
    return lay(0, 0), furthest


def _word_ends(text: str, end: int) -> bool:
    """Whether a word may end before this place: at a space, a mark or the end."""
    if text[end - 1].isspace():
        return False
    return end == len(text) or not text[end].isalnum() or not text[end - 1].isalnum()


def _align_bytes(text: str, tokens: Sequence[str]) -> list[Place] | None:
    """Offsets of byte-level pieces; one that starts inside a character starts at that character."""
    pieces = [_bytes_of(token) for token in tokens]
    if any(piece is None for piece in pieces):
        return None
    whole = text.encode()
    owner: list[int] = []  # of every byte, the character it is part of
    for number, character in enumerate(text):
        owner += [number] * len(character.encode())
    found, at = [], 0
    for piece in pieces:
        body = (piece or b"").lstrip(b" ")
        while at < len(whole) and whole[at : at + 1] == b" " and body:
            at += 1
        if whole[at : at + len(body)] != body:
            return None
        start = owner[at] if at < len(whole) else len(text)
        at += len(body)
        found.append((start, owner[at - 1] + 1 if body else start))
    return found if not whole[at:].strip() else None


def _bytes_of(token: str) -> bytes | None:
    if byte := _BYTE.fullmatch(token):
        return bytes([int(byte[1], 16)])
    known = _byte_alphabet()
    if all(c in known for c in token):
        return bytes(known[c] for c in token)
    return token.replace("▁", " ").encode()


@cache
def _byte_alphabet() -> dict[str, int]:
    """The visible character that GPT-2's byte-level pieces write for each byte."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(b): b for b in shown} | {chr(256 + i): b for i, b in enumerate(hidden)}
