"""What the page says about each suite: regions, formulas, their accuracies, means by region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from priscian.analysis.sg.suite_view import (
    Prediction,
    PredictionScores,
    RegionMean,
    condition_means,
    prediction_scores,
    predictions_of,
)
from priscian.formulas import region_labels
from priscian.reporting.boards import Board
from priscian.runs import Result
from priscian.runs.facts import Score


def about_suites(results: Sequence[Result], layout: Mapping[str, Any]) -> dict[str, Any]:
    """By suite: labels of regions, formulas with every model's accuracy, every model's means.

    `layout` is the head of the packed suites, whose order of conditions and regions is used.
    """
    scores = [prediction_scores(result) for result in results]
    means = [condition_means(result) for result in results]
    return {
        suite["name"]: {
            "regions": list(region_names(results, suite["name"], suite["regions"])),
            "formulas": [
                _formula(prediction, [s.get(suite["name"], ())[n : n + 1] for s in scores])
                for n, prediction in enumerate(formulas_of(results, suite["name"]))
            ],
            "means": [_means(suite, m.get(suite["name"], ())) for m in means],
        }
        for suite in layout["suites"]
    }


def chances_of(board: Board) -> dict[str, float]:
    """The chance level of every suite."""
    return {name: cell.chance for row in reversed(board.models) for name, cell in row.sets.items()}


def region_names(results: Sequence[Result], suite: str, count: int) -> tuple[str, ...]:
    """Labels of a suite's regions; numbers, if no run recorded their names."""
    known = (r.facts.sets[suite].regions for r in results if suite in r.facts.sets)
    names = next((names for names in known if len(names) >= count), ("",) * count)
    return region_labels(names)[:count]


def formulas_of(results: Sequence[Result], suite: str) -> tuple[Prediction, ...]:
    """A suite's formulas, from the first result that recorded them."""
    return next((found for r in results if (found := predictions_of(r, suite))), ())


def _formula(
    prediction: Prediction, models: Sequence[Sequence[PredictionScores]]
) -> dict[str, Any]:
    """A formula and its comparisons; a model's accuracies are in the same order."""
    return {
        "joined": prediction.joined,
        "said": [_said(p) for p in (prediction, *prediction.parts)],
        "models": [
            [_score(a) for a in (found[0].whole, *found[0].parts)] if found else None
            for found in models
        ],
    }


def _said(prediction: Prediction) -> dict[str, Any]:
    return {
        "words": prediction.words,
        "symbols": prediction.symbols,
        "chance": round(prediction.chance, 4),
    }


def _score(found: Score) -> list[float]:
    return [*(round(x, 4) for x in (found.accuracy, *found.ci)), found.n, found.ties]


def _means(suite: Mapping[str, Any], means: Sequence[RegionMean]) -> list[list[Any]]:
    """By condition and region: mean and interval in bits, or nothing."""
    known = {(m.condition, int(m.region)): [round(x, 3) for x in (m.mean, *m.ci)] for m in means}
    return [
        [known.get((condition, region)) for region in range(1, suite["regions"] + 1)]
        for condition in suite["conditions"]
    ]
