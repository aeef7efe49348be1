"""Kinds of data by name. A new kind is one module in this package, or in a plug-in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from priscian.catalogue import Catalogue
from priscian.datasets import Dataset, data_formats
from priscian.records import Text
from priscian.runs.facts import Summary
from priscian.runs.options import ScoreOptions
from priscian.runs.sources import Scores, ScoreSource, UnigramScores

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class KindJob:
    """What a kind gets besides the data: the source of the scores and the options."""

    source: ScoreSource
    options: ScoreOptions
    unigrams: UnigramScores | None = None

    @property
    def model(self) -> str:
        """The model's name."""
        return self.source.name

    @property
    def measure(self) -> str:
        """The measure that is compared, as summaries name it."""
        return self.source.measure or self.options.measure


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A summary, and tables by name: `items`, `regions`, `scores`."""

    summary: Summary
    tables: Mapping[str, polars.DataFrame] = field(default_factory=dict)


class Kind(ABC):
    """One kind of data: prepared for one model and one data set, it judges every item.

    `columns` names what each table has at least; a run folder whose tables lack one is refused.
    `levels` are the classes that its tables have a column for, filled where the data have them;
    these columns, `model` and `data` are added to every table that has a column `set`.
    """

    name: ClassVar[str]
    summary: ClassVar[type[Summary]]
    columns: ClassVar[Mapping[str, Sequence[str]]] = {"items": ("set", "item", "correct")}
    levels: ClassVar[tuple[str, ...]] = ("field", "phenomenon")

    @classmethod
    def select(cls, data: Dataset, options: ScoreOptions) -> Dataset:
        """The requested part of the data."""
        return data

    @classmethod
    def check(cls, data: Dataset, sources: Sequence[ScoreSource], options: ScoreOptions) -> None:
        """Refuse invalid combinations before anything is computed or written."""
        return

    @classmethod
    @abstractmethod
    def prepare(cls, data: Dataset, job: KindJob) -> Self:
        """The data in the form that this model reads."""

    @abstractmethod
    def texts(self) -> list[Text]:
        """Everything that the model must score."""

    def boundary_texts(self) -> list[Text]:
        """Those texts whose words are corrected for leading spaces."""
        return []

    @abstractmethod
    def evaluate(self, scores: Scores) -> Evaluated:
        """Judge every item and summarise."""


KINDS: Catalogue[type[Kind]] = Catalogue("kind of data", "priscian.runs.kinds")

K = TypeVar("K", bound=Kind)


def kind(name: str) -> Callable[[type[K]], type[K]]:
    """Register a class under the name that data formats use: `@kind("pairs")`."""

    def enter(made: type[K]) -> type[K]:
        made.name = name
        KINDS.add(name, made)
        return made

    return enter


def find_kind(name: str) -> type[Kind]:
    """The kind with that name; plug-ins are loaded if it is not one of ours."""
    if name not in KINDS.all():
        data_formats()
    return KINDS.find(name)


def kinds() -> dict[str, type[Kind]]:
    """Every kind by name."""
    return KINDS.all()
