"""Kinds of data by name. A new kind is one module in this package, or in a plug-in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol, Self, TypeVar

from priscian.catalogue import Catalogue
from priscian.datasets import Dataset, data_formats
from priscian.models import Traits
from priscian.records import Sentence, Text, TokenScores
from priscian.runs.options import ScoreOptions
from priscian.runs.summary import Summary
from priscian.runs.unigrams import Unigrams

if TYPE_CHECKING:
    import polars

    from priscian.runs.endings import Ending

Unknown = Mapping[Text, int]  # words of a text that a model does not know


class Source(Protocol):
    """Where scores come from: a model, or a table of scores made elsewhere."""

    @property
    def name(self) -> str:
        """What it is called in tables."""
        ...

    @property
    def traits(self) -> Traits:
        """What it offers beyond scores of tokens."""
        ...

    @property
    def measure(self) -> str | None:
        """What its numbers are, where that is not for options to say: one score a sentence."""
        ...

    def find_ending(self, texts: Sequence[Text]) -> Ending:
        """How the end of these texts is scored; an error if it cannot be."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """What a kind is told besides the data: whose scores, and how to judge by them."""

    source: Source
    options: ScoreOptions
    unigrams: Unigrams | None = None

    @property
    def model(self) -> str:
        """The model's name."""
        return self.source.name

    @property
    def measure(self) -> str:
        """What is compared, as a summary says it."""
        return self.source.measure or self.options.measure


@dataclass(frozen=True, slots=True)
class Scores:
    """What a model said of the texts that it was asked about."""

    tokens: Mapping[Text, TokenScores]
    unknown: Callable[[Sequence[Text]], Unknown | None] = lambda texts: None
    """Unknown words of texts; None for a model that knows no list of words."""

    def __call__(self, sentence: Sentence) -> TokenScores:
        return self.tokens[Text(sentence.text, sentence.context)]


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
        """The part of the data that is asked for."""
        return data

    @classmethod
    def check(cls, data: Dataset, sources: Sequence[Source], options: ScoreOptions) -> None:
        """Refuse, before anything is computed or written, what makes no sense."""
        return

    @classmethod
    @abstractmethod
    def prepare(cls, data: Dataset, job: Job) -> Self:
        """The data as this model reads it."""

    @abstractmethod
    def texts(self) -> list[Text]:
        """Everything that the model must score."""

    def boundary_texts(self) -> list[Text]:
        """Those of them whose words are corrected for leading spaces."""
        return []

    @abstractmethod
    def evaluate(self, scores: Scores) -> Evaluated:
        """Judge every item, and sum up."""


KINDS: Catalogue[type[Kind]] = Catalogue("kind of data", "priscian.runs.kinds")

K = TypeVar("K", bound=Kind)


def kind(name: str) -> Callable[[type[K]], type[K]]:
    """Enter a class under the name that data formats call it by: `@kind("pairs")`."""

    def enter(made: type[K]) -> type[K]:
        made.name = name
        KINDS.add(name, made)
        return made

    return enter


def find_kind(name: str) -> type[Kind]:
    """The kind of that name; plug-ins are loaded where it is not one of ours."""
    if name not in KINDS.all():
        data_formats()
    return KINDS.find(name)


def kinds() -> dict[str, type[Kind]]:
    """Every kind by name."""
    return KINDS.all()
