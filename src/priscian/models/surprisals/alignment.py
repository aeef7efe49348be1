"""Find another tool's tokens in a text, for scores that come without character offsets.

Each token is searched at the next position in the text: as written, without subword marks, as
Moses and the Penn Treebank write it, in upper or lower case. An unknown-word token stands for
exactly one word, which ends at a space, at a punctuation mark or before `n't`. Punctuation that
the tokenizer drops is skipped. Byte-level tokens are joined as bytes. If the tokens do not fit,
`align` raises an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from priscian.errors import DataError
from priscian.models.text_offsets import byte_alphabet

Span = tuple[int, int]

LONGEST_WORD = 200
"""Characters that an unknown-word token can cover; the limit keeps alignment quadratic."""

BOUNDARIES = frozenset(
    {"<s>", "</s>", "<bos>", "<eos>", "<|endoftext|>", "<|begin_of_text|>", "<|end_of_text|>",
     "[CLS]", "[SEP]", "<S>", "</S>", "<EOS>", "<BOS>"}
)  # fmt: skip
_UNKNOWN = re.compile(r"<unk>|<UNK>|\[UNK\]|<unknown>|UNK(-[A-Za-z-]+)?|<unk:[^>]*>|<UNK:[^>]*>")
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)
WRITTEN = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": '"', "''": '"', "@-@": "-", "@,@": ",", "@.@": ".", "@/@": "/", "@:@": ":",
    "&quot;": '"', "&apos;": "'", "&amp;": "&", "&lt;": "<", "&gt;": ">",
}  # fmt: skip
_BARE_SPACES = ("", "Ġ", "▁", "Ċ")


def is_boundary(token: str) -> bool:
    """Whether a token opens or ends a text."""
    return token in BOUNDARIES


def is_unknown(token: str) -> bool:
    """Whether a token stands for a word that the model does not know."""
    return _UNKNOWN.fullmatch(token) is not None


def align(
    text: str,
    tokens: Sequence[str],
    may_hide: Callable[[str], bool] = lambda word: True,
    may_drop: Callable[[str], bool] = lambda mark: True,
) -> list[Span]:
    """Half-open character offsets of every token.

    `may_hide` says whether an unknown-word token can stand for a word, `may_drop` whether the
    tokenizer can have dropped a punctuation mark.

    >>> align("girlthat that", ["<unk>", "that"])
    [(0, 8), (9, 13)]
    """
    furthest = 0
    if not any(_BYTE.fullmatch(token) for token in tokens):
        found, furthest = _walk(text, tokens, may_hide, may_drop)
        if found is not None:
            return found
    by_bytes = _align_bytes(text, tokens)
    if by_bytes is not None:
        return by_bytes
    token = tokens[furthest] if furthest < len(tokens) else "the end"
    raise DataError(
        f"token {furthest + 1} ({token!r}) does not continue the sentence {text!r}; "
        "its tokens must follow the text from left to right, one word for each unknown token"
    )


def forms(token: str) -> list[str]:
    """Possible spellings of a token in the text, most likely first."""
    bare = token.strip()
    found = [bare, WRITTEN.get(bare, bare)]
    for mark in ("Ġ", "▁", "##", "Ċ", "@@", "￭"):
        if bare.startswith(mark) and len(bare) > len(mark):
            found.append(bare[len(mark) :])
    for mark in ("</w>", "@@", "￭"):
        if bare.endswith(mark) and len(bare) > len(mark):
            found.append(bare[: -len(mark)])
    return list(dict.fromkeys(found))


def letters(text: str) -> str:
    """A text's letters and digits in lower case, which all spellings of it share."""
    return "".join(filter(str.isalnum, text)).casefold()


def skeletons(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    """The letters between unknown-word tokens, in each way of reading the tokens.

    Every text that the tokens fit has these letters.

    >>> skeletons(["The", "Ġcat", "<unk>", "on", "@-@", "ly"])
    [('thecat', 'only')]
    """
    found = [""]
    for token in tokens:
        if is_unknown(token):
            found.append("")
        elif token.strip() not in _BARE_SPACES:
            found[-1] += letters(forms(token)[-1])  # the last form has no marks
    if len(found) == 1 and any(not token.isascii() or _BYTE.fullmatch(token) for token in tokens):
        joined = b"".join(map(_bytes_of, tokens)).decode("utf-8", "replace")
        return list(dict.fromkeys([tuple(found), (letters(joined),)]))
    return [tuple(found)]


def _walk(
    text: str,
    tokens: Sequence[str],
    may_hide: Callable[[str], bool],
    may_drop: Callable[[str], bool],
) -> tuple[list[Span] | None, int]:
    """The first alignment of the tokens with the text, and the most tokens that fitted.

    A depth-first search on a list of its own; no token is tried twice at one place.
    """
    lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    spelt = {token: [form for form in forms(token) if form] for token in set(tokens)}
    dropped = [not c.isalnum() and (c.isspace() or may_drop(c)) for c in text]
    last = max((at for at, drop in enumerate(dropped) if not drop), default=-1)

    def steps(number: int, at: int) -> Iterator[tuple[Span | None, int, int]]:
        """What a token may cover from a position on, then the next token and its position."""
        token = tokens[number]
        if is_unknown(token):
            for end in _word_ends(text, at):
                if may_hide(text[at:end]):
                    yield (at, end), number + 1, end
        else:
            for form in spelt[token]:
                if text.startswith(form, at) or lowered.startswith(form.lower(), at):
                    yield (at, at + len(form)), number + 1, at + len(form)
            if token.strip() in _BARE_SPACES:  # it belongs to what follows
                yield (at, at), number + 1, at
        if at < len(text) and dropped[at]:
            yield None, number, at + 1

    tried: set[tuple[int, int]] = set()
    furthest = 0
    path: list[tuple[Span | None, Iterator[tuple[Span | None, int, int]]]] = []
    path.append((None, iter([(None, 0, 0)])))
    while path:
        step = next(path[-1][1], None)
        if step is None:
            path.pop()
            continue
        place, number, at = step
        while at < len(text) and text[at].isspace():
            at += 1
        furthest = max(furthest, number)
        if number == len(tokens):
            if at > last:
                laid = [*(before for before, _ in path), place]
                return [found for found in laid if found is not None], furthest
        elif (number, at) not in tried:
            tried.add((number, at))
            path.append((place, steps(number, at)))
    return None, furthest


def _word_ends(text: str, start: int) -> list[int]:
    """Where a word that begins here may end: it has a letter, or is between spaces."""
    stop = start
    while stop < min(len(text), start + LONGEST_WORD) and not text[stop].isspace():
        stop += 1
    whole = (start == 0 or text[start - 1].isspace()) and (
        stop == len(text) or text[stop].isspace()
    )
    found, has_letter = [], False
    for end in range(start + 1, stop + 1):
        has_letter = has_letter or text[end - 1].isalnum()
        inside = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
        if inside and not _NOT.match(text, end):
            continue
        if has_letter or (whole and end == stop):
            found.append(end)
    return found


def _align_bytes(text: str, tokens: Sequence[str]) -> list[Span] | None:
    """Offsets of byte-level tokens; one that starts inside a character starts at that character."""
    whole = text.encode("utf-8", "surrogatepass")
    owner: list[int] = []  # for every byte, the character it is part of
    for number, character in enumerate(text):
        owner += [number] * len(character.encode("utf-8", "surrogatepass"))
    found, at = [], 0
    for token in tokens:
        body = _bytes_of(token).lstrip(b" ")
        while at < len(whole) and whole[at : at + 1] == b" " and body:
            at += 1
        if whole[at : at + len(body)] != body:
            return None
        start = owner[at] if at < len(whole) else len(text)
        at += len(body)
        found.append((start, owner[at - 1] + 1 if body else start))
    return found if not whole[at:].strip() else None


def _bytes_of(token: str) -> bytes:
    if byte := _BYTE.fullmatch(token):
        return bytes([int(byte[1], 16)])
    known = byte_alphabet()
    if all(c in known for c in token):
        return bytes(known[c] for c in token)
    return token.replace("▁", " ").encode("utf-8", "surrogatepass")
