"""Labelled sentences: a threshold, the labels it gives, Matthews' correlation by split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from priscian.datasets import Dataset
from priscian.datasets.cola import IN_DEV, TRAIN
from priscian.errors import DataError
from priscian.metrics import Outcome
from priscian.metrics.labels import best_threshold, matthews_of
from priscian.records import Sentence
from priscian.runs.facts import SummaryPart
from priscian.runs.kinds.graded import Sentences, sentence_table
from priscian.runs.kinds.pairs import Pairs, PairsSummary, items_table, negated
from priscian.runs.kinds.registry import Evaluated, kind
from priscian.runs.sources import Scores

METHOD = "label"
CHOSEN_ON = (TRAIN, IN_DEV)
"""Splits on which a threshold is chosen: the first of these that the data have."""


class MatthewsScore(SummaryPart, frozen=True, kw_only=True):
    """A coefficient, None where all sentences have one label; and its 95 % interval.

    There is no interval if all sentences were given the same label.
    """

    mcc: float | None
    n: int
    acceptable: int
    ci: tuple[float, float] | None

    def __post_init__(self) -> None:
        if self.mcc is None and self.ci is not None:
            raise ValueError("an interval without a coefficient")


class LabelScores(SummaryPart, frozen=True, kw_only=True):
    """The threshold on the score, the split it was chosen on, and the correlation by split."""

    threshold: float
    chosen_on: str
    sets: dict[str, MatthewsScore]


class LabelsSummary(PairsSummary, frozen=True, kw_only=True, tag="labels"):
    """The share of right labels, by method `label`, and Matthews' correlations."""

    labels: LabelScores

    unit: ClassVar[str] = "set"


@kind("labels")
@dataclass(frozen=True, slots=True)
class Labels(Pairs):
    """A sentence with a score above the threshold is called acceptable."""

    summary = LabelsSummary

    def evaluate(self, scores: Scores) -> Evaluated:
        """Choose a threshold, label every sentence, and compare with the experts' labels."""
        rank = self.rank()
        outcomes, labels, sentences = judge_labels(
            self.job.model, self.data, lambda sentence: negated(rank, scores, sentence)
        )
        unknown = scores.unknown(self.texts())
        summary = LabelsSummary(**self.summed_up(outcomes, unknown), labels=labels)
        tables = {
            "items": items_table(self, outcomes, unknown),
            "scores": sentence_table(self.job.model, sentences),
        }
        return Evaluated(summary, tables)


def judge_labels(
    model: str, data: Dataset, score: Callable[[Sentence], float]
) -> tuple[dict[str, list[Outcome]], LabelScores, Sentences]:
    """Outcomes by set, the threshold with its correlations, and scores by id."""
    values = {i.id: score(i["sentence"]) for s in data.sets for i in s.items}
    labels = {i.id: bool(i.meta["label"]) for s in data.sets for i in s.items}
    chosen_on = next((n for n in CHOSEN_ON if n in {s.name for s in data.sets}), None)
    if chosen_on is None:
        raise DataError(
            f"{data.name}: no in-domain sentences to choose a threshold on; add the training "
            "sentences or the annotations"
        )
    ids = {s.name: [i.id for i in s.items] for s in data.sets}
    own = ids[chosen_on]
    try:
        threshold = best_threshold([values[i] for i in own], [labels[i] for i in own])
    except DataError as error:
        raise DataError(f"{data.name}, {model}, {chosen_on}: {error}") from None
    mcc = {
        name: msgspec.convert(
            matthews_of([labels[i] for i in members], [values[i] > threshold for i in members]),
            MatthewsScore,
            from_attributes=True,
        )
        for name, members in ids.items()
    }
    outcomes: dict[str, list[Outcome]] = {}
    for s in data.sets:
        outcomes[s.name] = []
        for item in s.items:
            value, label = values[item.id], labels[item.id]
            margin = value - threshold if label else threshold - value
            right = float((value > threshold) == label)
            outcome = Outcome(item.id, METHOD, {"sentence": -value}, margin, right, False)
            outcomes[s.name].append(outcome)
    texts = {i.id: i["sentence"].text for s in data.sets for i in s.items}
    found = LabelScores(threshold=threshold, chosen_on=chosen_on, sets=mcc)
    return outcomes, found, {i: (texts[i], value) for i, value in values.items()}
