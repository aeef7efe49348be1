"""The recurrent model's tokens: words, clitics and marks, and pieces of rarer words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

BOUNDARY = "<s>"
"""Opens and closes a sentence; always token 0."""
INNER = "##"
"""Marks a piece that does not begin its word."""
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
CACHED_WORDS = 200_000

_TOKEN = re.compile(
    r"[^\W\d_]+?(?=n['’]t(?!\w))"  # does|n't
    r"|n['’]t(?!\w)"
    r"|['’](?:s|ll|re|ve|d|m)(?!\w)"
    r"|[^\W\d_]+"
    r"|\d"
    r"|\S",
    re.IGNORECASE,
)
PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "—": "-", "–": "-", "…": "."})
"""Marks written in one way only; every one is a single character, so that offsets stay."""
_ENDS = frozenset(".!?")
_OPENERS = frozenset("\"'([*")


@dataclass(frozen=True, slots=True)
class SplitWord:
    """A word, clitic or mark, with its place in the text."""

    form: str
    start: int
    end: int
    initial: bool  # opens a sentence, so that its capital says nothing


def split_words(text: str) -> Iterator[SplitWord]:
    """Words with offsets, in plain quotation marks and dashes; offsets are of the given text."""
    initial = True
    for match in _TOKEN.finditer(text.translate(PLAIN)):
        form = match.group()
        if form.isupper() and len(form) > 1:
            form = form.lower()
        yield SplitWord(form, match.start(), match.end(), initial)
        if form in _ENDS:
            initial = True
        elif form not in _OPENERS:
            initial = False


@dataclass(slots=True)
class Pieces:
    """Vocabulary and merges; the rarer a token, the greater its id."""

    tokens: tuple[str, ...]
    merges: tuple[tuple[str, str], ...]
    _ids: dict[str, int] = field(init=False)
    _ranks: dict[tuple[str, str], int] = field(init=False)
    _known: dict[tuple[str, bool], tuple[int, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._ids = {token: number for number, token in enumerate(self.tokens)}
        self._ranks = {merge: rank for rank, merge in enumerate(self.merges)}

    def encode(self, text: str) -> tuple[list[int], list[int], list[int]]:
        """Ids with the start and end of each in the text."""
        ids: list[int] = []
        starts: list[int] = []
        ends: list[int] = []
        for word in split_words(text):
            found = self.word(word.form, word.initial)
            ids.extend(found)
            if len(found) == 1:
                starts.append(word.start)
                ends.append(word.end)
            else:
                for start, end in self._inside(found):
                    starts.append(word.start + start)
                    ends.append(word.start + end)
        return ids, starts, ends

    def word(self, form: str, initial: bool) -> tuple[int, ...]:
        """Ids of a word; at the start of a sentence in the case that is usual elsewhere."""
        key = (form, initial)
        found = self._known.get(key)
        if found is None:
            found = tuple(self._split(self.usual_case(form) if initial else form))
            if len(self._known) < CACHED_WORDS:
                self._known[key] = found
        return found

    def usual_case(self, form: str) -> str:
        """The word as it is written within a sentence: the commoner of two known forms."""
        lower = form.lower()
        if lower == form or len(lower) != len(form):
            return form
        last = len(self.tokens)
        return form if self._ids.get(form, last) < self._ids.get(lower, last) else lower

    def _split(self, form: str) -> list[int]:
        whole = self._ids.get(form)
        if whole is not None:
            return [whole]
        parts = [char if at == 0 else INNER + char for at, char in enumerate(form)]
        ids: list[int] = []
        for part in merge(parts, self._ranks):
            number = self._ids.get(part)
            if number is not None:
                ids.append(number)
            else:  # a character outside the alphabet: its bytes, so that nothing is unknown
                ids.extend(self._ids[BYTES[b]] for b in _encode(part.removeprefix(INNER)))
        return ids

    def _inside(self, ids: Sequence[int]) -> Iterable[tuple[int, int]]:
        """Offsets of pieces within their word; the bytes of a character share its place."""
        at, pending = 0, bytearray()
        places: list[tuple[int, int]] = []
        for number in ids:
            token = self.tokens[number]
            if token.startswith("<0x"):
                pending.append(int(token[3:5], 16))
                places.append((at, at + 1))
                try:
                    pending.decode(errors="surrogatepass")
                except UnicodeDecodeError:
                    continue
                pending.clear()
                at += 1
            else:
                length = len(token) - (len(INNER) if token.startswith(INNER) and at else 0)
                places.append((at, at + length))
                at += length
        return places


def _encode(char: str) -> bytes:
    return char.encode(errors="surrogatepass")


def merge(parts: list[str], ranks: dict[tuple[str, str], int]) -> list[str]:
    """Byte-pair merging: the earliest learnt pair first, until none is left."""
    while len(parts) > 1:
        pairs = [ranks.get(pair, len(ranks)) for pair in pairwise(parts)]
        best = min(pairs)
        if best == len(ranks):
            break
        merged: list[str] = []
        at = 0
        while at < len(parts):
            if at < len(pairs) and pairs[at] == best:
                merged.append(parts[at] + parts[at + 1].removeprefix(INNER))
                at += 2
            else:
                merged.append(parts[at])
                at += 1
        parts = merged
    return parts
