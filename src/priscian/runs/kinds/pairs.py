"""Minimal pairs: forced choice by every contrast, accuracies by set, class and overall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from priscian.datasets import Dataset
from priscian.errors import UsageError
from priscian.formulas import values_of
from priscian.metrics import Measure, MethodScores, Outcome, find_measure, judge, summarise
from priscian.records import Contrast, Item, Sentence, Text
from priscian.runs.kinds.registry import Evaluated, Job, Kind, Scores, Unknown, kind
from priscian.runs.summary import Part, Summary
from priscian.runs.unknown import UnknownWords, summarise_unknown, unknown_in
from priscian.stats.proportions import Accuracy

if TYPE_CHECKING:
    import polars


class UnigramUse(Part, frozen=True, kw_only=True):
    """Which unigram model a measure used, and how many words it does not know."""

    model: str
    words: int
    unknown_words: int


class PairsSummary(Summary, frozen=True, kw_only=True, tag="pairs"):
    """Accuracies by method; `full` compares whole sentences."""

    methods: dict[str, MethodScores]
    unigram: UnigramUse | None = None
    unknown_words: UnknownWords | None = None

    unit: ClassVar[str] = "paradigm"

    def __post_init__(self) -> None:
        Summary.__post_init__(self)
        if not self.methods:
            raise ValueError("no method in it")

    def scores(self, method: str | None = None) -> MethodScores:
        """Accuracies by a method, by default the first."""
        chosen = next(iter(self.methods)) if method is None else method
        if chosen not in self.methods:
            raise UsageError(
                f"{self.model} on {self.data}: no method {chosen!r}; it has "
                f"{', '.join(self.methods)}"
            )
        return self.methods[chosen]

    @property
    def headline(self) -> Accuracy:
        """Accuracy by full-sentence choice, or else by the first method."""
        return self.scores().overall

    def by_set(self, method: str | None = None) -> Mapping[str, Accuracy]:
        """Accuracy of every set by a method."""
        return self.scores(method).paradigms

    def by_class(self) -> Mapping[str, Accuracy]:
        """Accuracy of every phenomenon."""
        return self.scores().phenomena


@kind("pairs")
@dataclass(frozen=True, slots=True)
class Pairs(Kind):
    """Each contrast of each item is right, wrong or tied."""

    data: Dataset
    job: Job

    summary: ClassVar[type[Summary]] = PairsSummary
    columns: ClassVar[Mapping[str, Sequence[str]]] = {
        "items": ("set", "item", "method", "delta", "correct", "tie")
    }

    @classmethod
    def prepare(cls, data: Dataset, job: Job) -> Self:
        """Nothing needs to be changed."""
        return cls(data, job)

    def texts(self) -> list[Text]:
        """Every sentence, unchanged."""
        return [Text(s.text, s.context) for sets in self.data.sets for s in sets.sentences()]

    def evaluate(self, scores: Scores) -> Evaluated:
        """Judge every item of every set and summarise."""
        outcomes = self.judged(scores)
        unknown = scores.unknown(self.texts())
        summary = PairsSummary(**self.summed_up(outcomes, unknown))
        return Evaluated(summary, {"items": items_table(self, outcomes, unknown)})

    def judged(self, scores: Scores) -> dict[str, list[Outcome]]:
        """The outcomes of every set.

        A source with one score per sentence says nothing about a word after its prefix.
        """
        rank, options = self.rank(), self.job.options
        sets = self.data.sets
        if self.job.source.measure is not None:
            sets = tuple(replace(s, contrasts=_whole_sentences(s.contrasts)) for s in sets)
        return {s.name: judge(s, scores, rank, options.tie, options.seed) for s in sets}

    def rank(self) -> Measure:
        """What is compared: lower is better."""
        name = self.job.options.measure if self.job.source.measure is None else "surprisal"
        return find_measure(name, self.job.unigrams)

    def summed_up(
        self, outcomes: Mapping[str, list[Outcome]], unknown: Unknown | None
    ) -> dict[str, Any]:
        """The fields of a summary that all kinds of forced choice share."""
        found: dict[str, Any] = {
            "model": self.job.model,
            "data": self.data.name,
            "measure": self.job.measure,
            "tie": self.job.options.tie,
            "methods": summarise(
                outcomes, {s.name: s.taxonomy for s in self.data.sets}, self.data.taxonomy_levels
            ),
        }
        unigrams = self.job.unigrams
        if unigrams is not None:
            found["unigram"] = UnigramUse(
                model=str(unigrams.spec), words=unigrams.words, unknown_words=unigrams.unknown
            )
        if unknown is not None:
            verdicts = {
                name: [(o.item, o.method, o.correct) for o in own] for name, own in outcomes.items()
            }
            found["unknown_words"] = summarise_unknown(self.data, unknown, verdicts)
        return found


def _whole_sentences(contrasts: Sequence[Contrast]) -> tuple[Contrast, ...]:
    return tuple(c for c in contrasts if all(v.span == "*" for v in values_of(c.expression)))


def negated(rank: Measure, scores: Scores, sentence: Sentence) -> float:
    """A sentence's score, higher being better."""
    return -rank(scores(sentence), sentence, "*")


def items_table(
    judged: Pairs, outcomes: Mapping[str, Sequence[Outcome]], unknown: Unknown | None
) -> polars.DataFrame:
    """One row for each item and method, with the score of every condition.

    Columns and types depend only on the data, so that the tables of all models can be stacked.
    """
    import polars

    rows = list(_rows(judged.data, outcomes))
    values = dict.fromkeys(name for _, _, outcome in rows for name in outcome.values)
    conditions = dict.fromkeys(name for _, item, _ in rows for name in item.conditions)
    columns: dict[str, polars.Series] = {}

    def add(name: str, cells: Sequence[Any], dtype: type[polars.DataType]) -> None:
        columns[name] = polars.Series(name, cells, dtype)

    add("set", [name for name, _, _ in rows], polars.String)
    add("item", [outcome.item for _, _, outcome in rows], polars.String)
    add("method", [outcome.method for _, _, outcome in rows], polars.String)
    for name in values:
        cells = [_negative(outcome.values.get(name)) for _, _, outcome in rows]
        add(f"score_{name}", cells, polars.Float64)
    add("delta", [outcome.delta for _, _, outcome in rows], polars.Float64)
    add("correct", [float(outcome.correct) for _, _, outcome in rows], polars.Float64)
    add("tie", [outcome.tie for _, _, outcome in rows], polars.Boolean)
    if any("label" in item.meta for _, item, _ in rows):
        add("label", [bool(item.meta["label"]) for _, item, _ in rows], polars.Boolean)
    counts = [unknown_in(item, unknown) if unknown is not None else {} for _, item, _ in rows]
    for name in conditions:
        add(f"oov_{name}", [count.get(name) for count in counts], polars.Int64)
    for name in conditions:
        texts = [s.text if (s := item.conditions.get(name)) else None for _, item, _ in rows]
        add(f"text_{name}", texts, polars.String)
    return polars.DataFrame(columns)


def _rows(
    data: Dataset, outcomes: Mapping[str, Sequence[Outcome]]
) -> Iterator[tuple[str, Item, Outcome]]:
    for itemset in data.sets:
        items = {item.id: item for item in itemset.items}
        for outcome in outcomes[itemset.name]:
            yield itemset.name, items[outcome.item], outcome


def _negative(value: float | None) -> float | None:
    return None if value is None else -value
