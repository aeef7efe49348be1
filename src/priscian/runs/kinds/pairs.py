"""Minimal pairs: forced choice by every contrast, accuracies by set, class and overall.

All words that a word-level model does not know are one word, `<unk>`, or one of a few classes, with
a probability of its own. So a pair that has more of them on one side is decided by how probable
that is and says little about grammar; such items are counted. In a suite it depends on the regions
that are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from priscian.datasets import Dataset
from priscian.errors import DataError, UsageError
from priscian.formulas import values_of
from priscian.metrics import Measure, MethodScores, Outcome, find_measure, judge, summarise
from priscian.records import Contrast, Item, Sentence, Text
from priscian.runs.facts import Summary, SummaryPart
from priscian.runs.kinds.registry import Evaluated, Kind, KindJob, kind
from priscian.runs.sources import Scores, Unknown
from priscian.stats.proportions import Accuracy

if TYPE_CHECKING:
    import polars


class UnknownCounts(SummaryPart, frozen=True, kw_only=True):
    """How many items there are, how many have an unknown word, how many differ in them."""

    n: int
    with_unknown: int
    differ: int


class UnknownWords(UnknownCounts, frozen=True, kw_only=True):
    """Counts for all items and for every set; and the accuracy without the items that differ.

    `without` is the mean of the sets' accuracies, by method.
    """

    without: dict[str, float]
    paradigms: dict[str, UnknownCounts]


class UnigramUse(SummaryPart, frozen=True, kw_only=True):
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
    job: KindJob

    summary: ClassVar[type[Summary]] = PairsSummary
    columns: ClassVar[Mapping[str, Sequence[str]]] = {
        "items": ("set", "item", "method", "delta", "correct", "tie")
    }

    @classmethod
    def prepare(cls, data: Dataset, job: KindJob) -> Self:
        """Nothing needs to be changed."""
        bare = next((s.name for s in data.sets if not s.contrasts), None)
        if bare is not None and data.kind == "pairs":  # other kinds have more to say of a set
            raise DataError(
                f"{data.spec}: the set {bare!r} does not say what is compared; its reader must "
                "give it contrasts, such as CONTRASTS[None] of priscian.datasets.pairs"
            )
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

    rows: list[tuple[str, Item, Outcome]] = []
    for itemset in judged.data.sets:
        items = {item.id: item for item in itemset.items}
        rows += [(itemset.name, items[o.item], o) for o in outcomes[itemset.name]]
    measured = dict.fromkeys(name for _, _, outcome in rows for name in outcome.values)
    conditions = dict.fromkeys(name for _, item, _ in rows for name in item.conditions)
    table = {
        "set": polars.Series([name for name, _, _ in rows], dtype=polars.String),
        "item": polars.Series([o.item for _, _, o in rows], dtype=polars.String),
        "method": polars.Series([o.method for _, _, o in rows], dtype=polars.String),
    }
    for name in measured:
        # a measure is lower for better sentences, a score higher
        cells = [None if (x := o.values.get(name)) is None else -x for _, _, o in rows]
        table[f"score_{name}"] = polars.Series(cells, dtype=polars.Float64)
    table["delta"] = polars.Series([o.delta for _, _, o in rows], dtype=polars.Float64)
    table["correct"] = polars.Series([float(o.correct) for _, _, o in rows], dtype=polars.Float64)
    table["tie"] = polars.Series([o.tie for _, _, o in rows], dtype=polars.Boolean)
    if any("label" in item.meta for _, item, _ in rows):
        labels = [bool(item.meta["label"]) for _, item, _ in rows]
        table["label"] = polars.Series(labels, dtype=polars.Boolean)
    counts = [unknown_in(item, unknown) if unknown is not None else {} for _, item, _ in rows]
    for name in conditions:
        found = [count.get(name) for count in counts]
        table[f"oov_{name}"] = polars.Series(found, dtype=polars.Int64)
    for name in conditions:
        texts = [s.text if (s := item.conditions.get(name)) else None for _, item, _ in rows]
        table[f"text_{name}"] = polars.Series(texts, dtype=polars.String)
    return polars.DataFrame(table)


def unknown_in(item: Item, unknown: Unknown) -> dict[str, int]:
    """Unknown words of each condition."""
    return {name: unknown[Text(s.text, s.context)] for name, s in item.conditions.items()}


def summarise_unknown(
    data: Dataset, unknown: Unknown, verdicts: Mapping[str, Sequence[tuple[str, str, float]]]
) -> UnknownWords:
    """Count unknown words in the items of the sets that were judged, without single sentences.

    A verdict is the id of an item, the method by which it was judged, and its credit.
    """
    paradigms = {}
    means_of: dict[str, list[float]] = {}
    for itemset in data.sets:
        if not verdicts.get(itemset.name):
            continue
        uneven = {i.id for i in itemset.items if len(set(unknown_in(i, unknown).values())) > 1}
        paradigms[itemset.name] = UnknownCounts(
            n=len(itemset),
            with_unknown=sum(any(unknown_in(i, unknown).values()) for i in itemset.items),
            differ=len(uneven),
        )
        by_method: dict[str, list[float]] = {}
        for item, method, correct in verdicts[itemset.name]:
            if item not in uneven:
                by_method.setdefault(method, []).append(correct)
        for method, even in by_method.items():
            means_of.setdefault(method, []).append(sum(even) / len(even))
    counts = paradigms.values()
    return UnknownWords(
        n=sum(c.n for c in counts),
        with_unknown=sum(c.with_unknown for c in counts),
        differ=sum(c.differ for c in counts),
        without={method: sum(means) / len(means) for method, means in means_of.items()},
        paradigms=paradigms,
    )
