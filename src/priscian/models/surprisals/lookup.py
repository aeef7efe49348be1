"""Finds the sentence of a table for a text: exactly one match, never a guess."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import DataError
from priscian.models.surprisals.alignment import (
    WRITTEN,
    Place,
    align,
    is_boundary,
    is_unknown,
    letters,
    skeletons,
)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token of a sentence, and where it is in the file."""

    token: str
    value: str
    line: int
    start: int | None


@dataclass(frozen=True, slots=True)
class TableSentence:
    """The rows of one sentence; `text` is empty if the table has only its tokens."""

    text: str
    rows: tuple[TokenRow, ...]

    @property
    def name(self) -> str:
        """Its text, or its tokens joined."""
        return self.text or " ".join(self.tokens)

    @property
    def line(self) -> int:
        """The line of its first token."""
        return self.rows[0].line

    @property
    def inner(self) -> tuple[TokenRow, ...]:
        """Its tokens without BOS, which is never scored, and without EOS."""
        rows = self.rows[1:] if is_boundary(self.rows[0].token) else self.rows
        return rows[:-1] if rows and is_boundary(rows[-1].token) else rows

    @property
    def end(self) -> tuple[TokenRow, ...]:
        """EOS, if the table has it; a boundary token without others is BOS."""
        return self.rows[-1:] if len(self.rows) > 1 and is_boundary(self.rows[-1].token) else ()

    @property
    def tokens(self) -> list[str]:
        """The tokens that are part of the text."""
        return [row.token for row in self.inner]

    def same_as(self, other: TableSentence) -> bool:
        """Whether it has the same tokens and values."""
        return [(r.token, r.value) for r in self.rows] == [(r.token, r.value) for r in other.rows]


@dataclass(frozen=True, slots=True)
class Match:
    """A sentence of the table, and its tokens' offsets if they were aligned to find it."""

    sentence: TableSentence
    places: list[Place] | None = None


class SentenceIndex:
    """The sentences of a table, found by text, or by tokens if the table has no texts."""

    def __init__(self, file: Path, sentences: Sequence[TableSentence]) -> None:
        self.file = file
        self._by_text: dict[str, list[TableSentence]] = defaultdict(list)
        self._by_plain: dict[str, list[TableSentence]] = defaultdict(list)
        self._by_letters: dict[str, list[TableSentence]] = defaultdict(list)
        self._by_beginning: dict[str, list[tuple[str, TableSentence]]] = defaultdict(list)
        for sentence in sentences:
            self._add(sentence)
        self._beginnings = sorted({len(beginning) for beginning in self._by_beginning})
        known = {word for s in sentences for token in s.tokens for word in _words(token)}
        self._known = known
        self._marks = {c for word in known for c in WRITTEN.get(word, word) if not c.isalnum()}
        self._uncased = not any(word != word.lower() for word in known)

    def _add(self, sentence: TableSentence) -> None:
        if sentence.text:
            self._by_text[sentence.text].append(sentence)
            self._by_plain[plain(sentence.text)].append(sentence)
        if sentence.text and not any(map(is_unknown, sentence.text.split())):
            return
        for parts in skeletons(sentence.tokens):
            if len(parts) == 1:
                self._by_letters[parts[0]].append(sentence)
            else:
                self._by_beginning[parts[0]].append((parts[-1], sentence))

    def find(self, text: str) -> Match | None:
        """The sentence for a text: an exact match, a match without spaces and case, or by tokens.

        If sentences with different surprisals fit equally well, the error names two of them.
        """
        for named in (self._by_text.get(text), self._by_plain.get(plain(text))):
            if named:
                return self._the_one(text, [Match(sentence) for sentence in named])
        bare = letters(text)
        fits = self._fitting(text, self._by_letters.get(bare, ()))
        if not fits:
            fits = self._fitting(text, self._with_unknown_words(bare))
        return self._the_one(text, fits) if fits else None

    def _with_unknown_words(self, bare: str) -> Iterable[TableSentence]:
        for size in self._beginnings:
            for end, sentence in (
                self._by_beginning.get(bare[:size], ()) if size <= len(bare) else ()
            ):
                if size + len(end) <= len(bare) and bare.endswith(end):
                    yield sentence

    def _fitting(self, text: str, sentences: Iterable[TableSentence]) -> list[Match]:
        found = []
        for sentence in sentences:
            try:
                places = align(text, sentence.tokens, self._may_be_unknown, self._may_be_dropped)
                found.append(Match(sentence, places))
            except DataError:
                continue
        return found

    def _may_be_unknown(self, word: str) -> bool:
        """Whether `<unk>` may stand for a word: not if the table contains the word elsewhere."""
        edges = (word[0], word[-1])
        if any(not c.isalnum() and not self._may_be_dropped(c) for c in edges):
            return False  # a mark has a token of its own
        return (word.lower() if self._uncased else word) not in self._known

    def _may_be_dropped(self, mark: str) -> bool:
        """Whether a tokenizer may have dropped a mark: not if the table contains it elsewhere."""
        return mark not in self._marks

    def _the_one(self, text: str, found: Sequence[Match]) -> Match:
        first = found[0]
        for other in found[1:]:
            if not other.sentence.same_as(first.sentence):
                raise DataError(
                    f"{self.file}:{first.sentence.line}: the sentence {text!r} fits the tokens "
                    f"that begin on this line and on line {other.sentence.line}, with different "
                    "surprisals; give the sentences' texts in a column 'sentence'"
                )
        return first


def plain(text: str) -> str:
    """A text without spaces and capitals, to match another tool's spelling."""
    return re.sub(r"\s+", "", text).casefold()


def _words(token: str) -> list[str]:
    """A token as a word; subwords from inside a word are not words."""
    bare = token.strip()
    if is_unknown(bare) or bare.startswith(("##", "@@", "￭")) or bare.endswith(("@@", "￭")):
        return []
    return [bare.lstrip("Ġ▁").removesuffix("</w>")]
