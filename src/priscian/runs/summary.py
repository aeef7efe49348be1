"""What every `summary.json` has, whatever the kind of data; each kind adds its own fields."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import msgspec

from priscian.runs.facts import FORMAT, plain
from priscian.stats.proportions import Accuracy


class Score(Protocol):
    """A share of right answers, the number of items and ties, and its 95 % interval."""

    @property
    def accuracy(self) -> float: ...
    @property
    def n(self) -> int: ...
    @property
    def ties(self) -> int: ...
    @property
    def ci(self) -> tuple[float, float]: ...


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the records inside a summary."""


class Summary(Part, frozen=True, kw_only=True, tag_field="kind"):
    """One model's numbers on one data set.

    A kind of data subclasses it with `tag=NAME` and says what its headline and its sets' scores
    are; reports and tables of any kind are made of these.
    """

    model: str
    data: str
    format: int = FORMAT
    tie: str = "wrong"
    measure: str = "surprisal"

    unit: ClassVar[str] = "set"
    """What a set is called: paradigm, suite."""

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(f"format {self.format}, where {FORMAT} is known")

    @property
    def kind(self) -> str:
        """pairs, suites, graded, labels, or a plug-in's."""
        return str(self.__struct_config__.tag)

    @property
    def headline(self) -> Score:
        """The overall score."""
        raise NotImplementedError

    def by_set(self, method: str | None = None) -> Mapping[str, Score]:
        """The score of every set."""
        raise NotImplementedError

    def by_class(self) -> Mapping[str, Score]:
        """The score of every class of sets; empty if sets have no classes."""
        return {}

    @property
    def problems(self) -> tuple[str, ...]:
        """A line for everything that could not be judged."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: what `summary.json` holds."""
        found: dict[str, Any] = plain(self)
        return found


def check_score(name: str, score: Score) -> None:
    """Refuse an invalid share, which an edited file may have."""
    low, high = score.ci
    if not (0 <= score.accuracy <= 1 and math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"the accuracy of {name} is {score.accuracy:g} ({low:g}–{high:g})")
    if score.n < 0 or not 0 <= score.ties <= score.n:
        raise ValueError(f"{name} has {score.ties} ties of {score.n} items")


class MethodScores(Part, frozen=True, kw_only=True):
    """Accuracies by one method: overall, by class, and by set."""

    overall: Accuracy
    fields: dict[str, Accuracy] = msgspec.field(default_factory=dict)
    phenomena: dict[str, Accuracy] = msgspec.field(default_factory=dict)
    levels: dict[str, dict[str, Accuracy]] = msgspec.field(default_factory=dict)
    """Classes of levels other than field and phenomenon, by the level's name."""
    paradigms: dict[str, Accuracy]

    def __post_init__(self) -> None:
        check_score("overall", self.overall)
        for level in (self.fields, self.phenomena, *self.levels.values(), self.paradigms):
            for name, score in level.items():
                check_score(name, score)
        if not self.paradigms:
            raise ValueError("a method without sets")

    def level(self, name: str) -> Mapping[str, Accuracy]:
        """Accuracies of the classes at a level."""
        if name == "field":
            return self.fields
        return self.phenomena if name == "phenomenon" else self.levels.get(name, {})
