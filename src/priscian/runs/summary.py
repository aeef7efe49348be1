"""What every `summary.json` has, whatever the kind of data; each kind adds its own fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from priscian.metrics.forced_choice import Score as Score
from priscian.runs.facts import FORMAT, plain


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
