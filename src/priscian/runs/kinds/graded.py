"""Graded sets: pairs, and with people's ratings also the ADC and correlations."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from priscian.datasets import Dataset
from priscian.errors import DataError, DataWarning
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
from priscian.metrics.forced_choice import check_score
from priscian.records import Item, Sentence
from priscian.runs.facts import SummaryPart
from priscian.runs.kinds.pairs import Pairs, PairsSummary, items_table, negated
from priscian.runs.kinds.registry import Evaluated, kind
from priscian.runs.sources import Scores
from priscian.stats.correlations import Correlation, pearson, spearman
from priscian.stats.proportions import Accuracy

if TYPE_CHECKING:
    import polars

Sentences = Mapping[str, tuple[str, float]]  # text and score by id


class GradedScores(SummaryPart, frozen=True, kw_only=True):
    """BLiMP's criterion over all pairs and, where there are ratings, the ADC and correlations.

    `adc` is by δ, as the paper computes it; `adc_strict` follows its equations exactly.
    Correlations with people are of pairs' differences (`deltas`) and of `sentences`.
    """

    pairs: int
    sentences: int
    blimp: Accuracy
    rated_pairs: int = 0
    adc: dict[str, Accuracy] = msgspec.field(default_factory=dict)
    adc_strict: dict[str, Accuracy] = msgspec.field(default_factory=dict)
    pearson: dict[str, Correlation] = msgspec.field(default_factory=dict)
    spearman: dict[str, Correlation] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        for score in (self.blimp, *self.adc.values(), *self.adc_strict.values()):
            check_score("graded", score)


class GradedSummary(PairsSummary, frozen=True, kw_only=True, tag="graded"):
    """Accuracies by method, and how the scores agree with people's ratings."""

    graded: GradedScores


@kind("graded")
@dataclass(frozen=True, slots=True)
class Graded(Pairs):
    """Pairs whose sentences may have ratings, and single sentences for the population of z."""

    summary = GradedSummary

    def evaluate(self, scores: Scores) -> Evaluated:
        """Judge the pairs, then compare all sentences with people."""
        rank = self.rank()
        outcomes = self.judged(scores)
        unknown = scores.unknown(self.texts())
        graded, sentences = grade(
            self.job.model, self.data, lambda sentence: negated(rank, scores, sentence)
        )
        summary = GradedSummary(**self.summed_up(outcomes, unknown), graded=graded)
        tables = {
            "items": items_table(self, outcomes, unknown),
            "scores": sentence_table(self.job.model, sentences),
        }
        return Evaluated(summary, tables)


def sentence_table(model: str, sentences: Sentences) -> polars.DataFrame:
    """Every sentence's score by id, as `priscian analyse adc --scores` reads it."""
    import polars

    ids, texts = list(sentences), [text for text, _ in sentences.values()]
    values = [value for _, value in sentences.values()]
    return polars.DataFrame(
        [
            polars.Series("id", ids, polars.String),
            polars.Series("sentence", texts, polars.String),
            polars.Series(model, values, polars.Float64),
        ]
    )


def grade(
    model: str, data: Dataset, score: Callable[[Sentence], float]
) -> tuple[GradedScores, Sentences]:
    """How a model's scores agree with the ratings; without ratings only BLiMP's criterion."""
    items = [item for s in data.sets for item in s.items]
    pairs = [item for item in items if "rating_good" in item.meta]
    if not pairs:
        raise DataError(f"{data.name}: no pairs to judge; choose other sets with `only=`")
    scores: dict[str, tuple[str, float]] = {}
    ratings: dict[str, Any] = {}
    for item in items:
        for name, sentence, rating in _sentences(item):
            scores[name] = (sentence.text, score(sentence))
            ratings[name] = rating
    values = {name: value for name, (_, value) in scores.items()}
    raw = differences([_ids(p) for p in pairs], values)
    rated = [p for p in pairs if all(ratings[i] is not None for i in _ids(p))]
    if rated and len(rated) < len(pairs):
        warnings.warn(
            f"{data.name}: {len(pairs) - len(rated)} of {len(pairs)} pairs have a sentence "
            "without a rating; the ADC is over the rest",
            DataWarning,
            stacklevel=4,
        )
    found = GradedScores(
        pairs=len(pairs),
        sentences=len(scores),
        blimp=share(meets_blimp(raw), sum(d == 0 for d in raw)),
        rated_pairs=len(rated),
        **(_with_people(model, rated, values, ratings) if rated else {}),
    )
    return found, scores


def _with_people(
    model: str, pairs: list[Item], values: Mapping[str, float], ratings: Mapping[str, Any]
) -> dict[str, Any]:
    ids = [_ids(p) for p in pairs]
    z = z_scores(values, ddof=PAPER.ddof, name=model)
    human, own = differences(ids, ratings), differences(ids, z)
    found: dict[str, Any] = {
        "adc": {str(d): share(meets_adc(human, own, d, PAPER.sign)) for d in DELTAS},
        "adc_strict": {str(d): share(meets_adc(human, own, d, STRICT.sign)) for d in DELTAS},
    }
    graded = [name for name in values if ratings[name] is not None]
    people, scores = [ratings[n] for n in graded], [values[n] for n in graded]
    levels = {"deltas": (human, own), "sentences": (people, scores)}
    for level, (x, y) in levels.items():
        # no correlation: too few points, or all ratings are the same
        if len(x) > 1 and max(x) > min(x) and max(y) > min(y):
            found.setdefault("pearson", {})[level] = pearson(x, y)
            found.setdefault("spearman", {})[level] = spearman(x, y)
    return found


def _ids(pair: Item) -> tuple[str, str]:
    return str(pair.meta["good_id"]), str(pair.meta["bad_id"])


def _sentences(item: Item) -> list[tuple[str, Sentence, Any]]:
    """Id, text and rating of every sentence in an item of a graded set."""
    if "rating_good" in item.meta:
        return [
            (str(item.meta[f"{side}_id"]), item[side], item.meta[f"rating_{side}"])
            for side in ("good", "bad")
        ]
    if "rating" in item.meta and "sentence" in item.conditions:
        return [(item.id, item["sentence"], item.meta["rating"])]
    return []
