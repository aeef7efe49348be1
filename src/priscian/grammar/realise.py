"""From phrases to text: a/an, capital, final mark, and the span of every labelled constituent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from priscian.grammar.phrases import Node, flatten
from priscian.lexicon import Word, takes_an
from priscian.records import Sentence, Span


@dataclass(frozen=True, slots=True)
class Utterance:
    """A realised sentence: its words, what each looks like in the text, and labelled stretches."""

    words: tuple[Word, ...]
    texts: tuple[str, ...]
    marks: tuple[tuple[str, int, int], ...]
    end: str = "."

    @property
    def text(self) -> str:
        return " ".join(self.texts) + self.end

    def offsets(self) -> list[int]:
        """The start of each word, plus the position where a further word would start."""
        starts, position = [0], 0
        for text in self.texts:
            position += len(text) + 1
            starts.append(position)
        return starts

    def sentence(self, extra: tuple[tuple[str, int, int], ...] = ()) -> Sentence:
        """The sentence with its labelled constituents as character spans, in order of place."""
        starts = self.offsets()
        # An empty constituent (an elided noun, a gap) has no place in the text.
        marks = [mark for mark in (*extra, *self.marks) if mark[1] < mark[2]]
        marks.sort(key=_place)
        spans = tuple(Span(name, starts[a], starts[b] - 1) for name, a, b in marks)
        return Sentence(self.text, spans)


def realise(nodes: tuple[Node, ...], good: bool = True, end: str = ".") -> Utterance:
    """Flatten one side of a pair and make it text."""
    words: list[Word] = []
    marks: list[tuple[str, int, int]] = []
    flatten(nodes, good, words, marks)
    texts = [word.text for word in words]
    if "a" in texts:
        for position, text in enumerate(texts[:-1]):
            if text == "a" and _takes_an(texts[position + 1]):
                texts[position] = "an"
    first = texts[0]
    texts[0] = first[0].upper() + first[1:]
    return Utterance(tuple(words), tuple(texts), tuple(marks), end)


_takes_an = cache(takes_an)


def _place(mark: tuple[str, int, int]) -> tuple[int, int, str]:
    return mark[1], -mark[2], mark[0]


NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Pair:
    """An acceptable and an unacceptable utterance; `extra` goes into the row as it is."""

    good: Utterance
    bad: Utterance
    extra: Mapping[str, object] = field(default_factory=lambda: NOTHING)
