"""The records that all parts of Priscian share: frozen, small, without dependencies."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from priscian.errors import DataError


def nothing() -> Mapping[str, object]:
    """No facts beyond the fields of a record."""
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Span:
    """A named stretch of a text, as half-open character offsets."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with named spans, and a context that conditions it but is not scored."""

    text: str
    spans: tuple[Span, ...] = ()
    context: str = ""

    def span(self, name: str) -> Span:
        """The span of that name; `*` is the whole text."""
        if name == "*":
            return Span("*", 0, len(self.text))
        for span in self.spans:
            if span.name == name:
                return span
        known = ", ".join(s.name for s in self.spans) or "none"
        raise DataError(f"no span {name!r} in {self.text!r}; its spans: {known}")

    def __getitem__(self, name: str) -> str:
        span = self.span(name)
        return self.text[span.start : span.end]


@dataclass(frozen=True, slots=True)
class Item:
    """An id and named conditions; a minimal pair has the conditions `good` and `bad`."""

    id: str
    conditions: Mapping[str, Sentence]
    meta: Mapping[str, object] = field(default_factory=nothing)

    def __getitem__(self, condition: str) -> Sentence:
        try:
            return self.conditions[condition]
        except KeyError:
            known = ", ".join(self.conditions)
            raise DataError(
                f"item {self.id} has no condition {condition!r}; its conditions: {known}"
            ) from None

    @property
    def is_pair(self) -> bool:
        """Whether it has the two conditions of a minimal pair."""
        return {"good", "bad"} <= self.conditions.keys()


# ---------------------------------------------------------------- contrasts: one syntax tree


@dataclass(frozen=True, slots=True)
class Value:
    """The measure of a span in a condition: `good.*` is the whole good sentence."""

    condition: str
    span: str = "*"


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: float


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A sum or difference."""

    op: Literal["+", "-"]
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of two numbers; `=` is equality within a tolerance."""

    op: Literal["<", ">", "="]
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Logic:
    """Conjunction (&) or disjunction (|)."""

    op: Literal["&", "|"]
    left: Expression
    right: Expression


Expression = Value | Number | Arithmetic | Comparison | Logic


@dataclass(frozen=True, slots=True)
class Contrast:
    """An expression over measures that is true or false for an item."""

    name: str
    expression: Expression


# ---------------------------------------------------------------- sets and people


@dataclass(frozen=True, slots=True)
class ItemSet:
    """Items with what they share: a paradigm, a suite or a graded set.

    `taxonomy` is the path from the broadest class to the narrowest, without the set itself:
    `("morphology", "anaphor_agreement")` for a paradigm, `("Agreement",)` for a suite.
    """

    name: str
    items: tuple[Item, ...]
    contrasts: tuple[Contrast, ...] = ()
    taxonomy: tuple[str, ...] = ()
    chance: float | None = 0.5
    language: str = "en"
    licence: str = ""
    reference: str = ""
    meta: Mapping[str, object] = field(default_factory=nothing)

    def __len__(self) -> int:
        return len(self.items)

    def sentences(self) -> Iterator[Sentence]:
        """Every sentence of every condition, in order."""
        for item in self.items:
            yield from item.conditions.values()

    @property
    def content_hash(self) -> str:
        """A hash of everything that is scored or compared, stable across machines and versions."""
        digest = hashlib.sha256()
        for item in self.items:
            row = [
                item.id,
                [
                    [c, s.text, s.context, [[p.name, p.start, p.end] for p in s.spans]]
                    for c, s in item.conditions.items()
                ],
            ]
            digest.update(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode())
            digest.update(b"\n")
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Judgement:
    """A human answer to an item or a sentence."""

    target: str
    task: Literal["choice", "likert", "magnitude", "binary"]
    response: float | str
    rater: str = ""
    raters: int = 1
    source: str = ""
    order: int | None = None
    response_time: float | None = None
    attention_check: bool = False


# ---------------------------------------------------------------- what a model reads and returns


@dataclass(frozen=True, slots=True, order=True)
class Text:
    """What a model scores: a text, after an optional context that is not scored."""

    text: str
    context: str = ""

    @property
    def hash(self) -> bytes:
        """128 bits that identify the text and its context."""
        payload = f"{len(self.context)}:{self.context}{self.text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(payload, digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class TokenScores:
    """A text's tokens: half-open character offsets and natural-log probabilities.

    A token that the model could not score (the first one of a model without BOS) has NaN.
    """

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    logps: tuple[float, ...]
    channels: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.logps)

    @property
    def total(self) -> float:
        """Log-probability of the whole text, over the tokens that were scored."""
        return math.fsum(p for p in self.logps if p == p)
