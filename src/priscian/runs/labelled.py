"""What a run on labelled sentences gives: a threshold, labels, Matthews' correlation by split."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from priscian.datasets import Dataset
from priscian.datasets.cola import IN_DEV, TRAIN
from priscian.errors import DataError
from priscian.metrics import Outcome
from priscian.metrics.labels import best_threshold, matthews_of
from priscian.records import Item, Sentence

METHOD = "label"
CHOSEN_ON = (TRAIN, IN_DEV)
"""Where a threshold is chosen: the first of these that the data have."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Outcomes by set, the part of a summary that is about labels, scores by id."""

    outcomes: dict[str, list[Outcome]]
    summary: dict[str, Any]
    scores: Mapping[str, tuple[str, float]]


def judge_labels(model: str, data: Dataset, score: Callable[[Sentence], float]) -> Labelled:
    """A sentence with a score above the threshold is called acceptable."""
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
        name: matthews_of(
            [labels[i] for i in members], [values[i] > threshold for i in members]
        ).as_dict()
        for name, members in ids.items()
    }
    outcomes = {
        s.name: [_outcome(item, values[item.id], threshold) for item in s.items] for s in data.sets
    }
    texts = {i.id: i["sentence"].text for s in data.sets for i in s.items}
    return Labelled(
        outcomes,
        {"threshold": threshold, "chosen_on": chosen_on, "sets": mcc},
        {i: (texts[i], value) for i, value in values.items()},
    )


def _outcome(item: Item, score: float, threshold: float) -> Outcome:
    label = bool(item.meta["label"])
    margin = score - threshold if label else threshold - score
    right = (score > threshold) == label
    return Outcome(item.id, METHOD, {"sentence": -score}, margin, float(right), False)
