"""What a run on graded data adds: BLiMP's criterion pooled, the ADC, correlations with people."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from priscian.datasets import Dataset
from priscian.errors import DataWarning
from priscian.metrics.adc import (
    DELTAS,
    PAPER,
    STRICT,
    differences,
    meets_adc,
    meets_blimp,
    share,
    z_scores,
)
from priscian.records import Item, Sentence
from priscian.stats.correlations import pearson, spearman


@dataclass(frozen=True, slots=True)
class Graded:
    """The part of a summary that is about grades, and every sentence's text and score by id."""

    summary: dict[str, Any]
    scores: Mapping[str, tuple[str, float]]


def grade(model: str, data: Dataset, score: Callable[[Sentence], float]) -> Graded | None:
    """Nothing where the data are not graded; without ratings only BLiMP's criterion."""
    items = [item for s in data.sets for item in s.items]
    pairs = [item for item in items if "rating_good" in item.meta]
    if not pairs:
        return None
    scores: dict[str, tuple[str, float]] = {}
    ratings: dict[str, Any] = {}
    for item in items:
        for name, sentence, rating in _sentences(item):
            scores[name] = (sentence.text, score(sentence))
            ratings[name] = rating
    values = {name: value for name, (_, value) in scores.items()}
    raw = differences([_ids(p) for p in pairs], values)
    summary: dict[str, Any] = {
        "pairs": len(pairs),
        "sentences": len(scores),
        "blimp": share(meets_blimp(raw), sum(d == 0 for d in raw)).as_dict(),
    }
    rated = [p for p in pairs if all(ratings[i] is not None for i in _ids(p))]
    summary["rated_pairs"] = len(rated)
    if rated:
        if len(rated) < len(pairs):
            warnings.warn(
                f"{data.name}: {len(pairs) - len(rated)} of {len(pairs)} pairs have a sentence "
                "without a rating; the ADC is over the rest",
                DataWarning,
                stacklevel=4,
            )
        summary |= _with_people(model, rated, values, ratings)
    return Graded(summary, scores)


def _with_people(
    model: str, pairs: list[Item], values: Mapping[str, float], ratings: Mapping[str, Any]
) -> dict[str, Any]:
    ids = [_ids(p) for p in pairs]
    z = z_scores(values, ddof=PAPER.ddof, name=model)
    human, own = differences(ids, ratings), differences(ids, z)
    found: dict[str, Any] = {
        "adc": {str(d): share(meets_adc(human, own, d, PAPER.sign)).as_dict() for d in DELTAS},
        "adc_strict": {
            str(d): share(meets_adc(human, own, d, STRICT.sign)).as_dict() for d in DELTAS
        },
    }
    graded = [name for name in values if ratings[name] is not None]
    people, scores = [ratings[n] for n in graded], [values[n] for n in graded]
    levels = {"deltas": (human, own), "sentences": (people, scores)}
    for level, (x, y) in levels.items():
        # too few points, or people who all said the same, have no correlation
        if len(x) > 1 and max(x) > min(x) and max(y) > min(y):
            found.setdefault("pearson", {})[level] = pearson(x, y).as_dict()
            found.setdefault("spearman", {})[level] = spearman(x, y).as_dict()
    return found


def _ids(pair: Item) -> tuple[str, str]:
    return str(pair.meta["good_id"]), str(pair.meta["bad_id"])


def _sentences(item: Item) -> list[tuple[str, Sentence, Any]]:
    """Id, sentence and rating of everything in an item of a graded set."""
    if "rating_good" in item.meta:
        return [
            (str(item.meta[f"{side}_id"]), item[side], item.meta[f"rating_{side}"])
            for side in ("good", "bad")
        ]
    if "rating" in item.meta and "sentence" in item.conditions:
        return [(item.id, item["sentence"], item.meta["rating"])]
    return []
