"""What is inside a suite: its formulas in words, their accuracies, and means by region."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from priscian.analysis.vega import SCHEMA, Chart
from priscian.errors import DataError
from priscian.formulas import (
    chance_of,
    comparisons_of,
    formula_symbols,
    formula_words,
    parse_formula,
    region_labels,
)
from priscian.metrics.contrasts import ATOL, RTOL, TIE, Verdict
from priscian.metrics.forced_choice import TieRule, item_seed
from priscian.metrics.generalization import RegionMean
from priscian.metrics.regions import BIT
from priscian.records import Arithmetic, Comparison, Expression, Logic, Number, Value
from priscian.runs import Result
from priscian.stats.proportions import Accuracy, accuracy_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Values: TypeAlias = "Mapping[tuple[str, str], NDArray[np.float64]]"
"""Surprisals of a suite's items, in bits, by condition and region."""

__all__ = [
    "Prediction",
    "PredictionScores",
    "RegionMean",
    "condition_means",
    "describe_formula",
    "prediction_scores",
    "predictions_of",
    "region_chart",
]


@dataclass(frozen=True, slots=True)
class Prediction:
    """A formula, or one comparison of it, as a reader sees it."""

    expression: Expression
    words: str
    symbols: str
    chance: float
    parts: tuple[Prediction, ...] = ()
    """Its comparisons, if there are several."""
    joined: Literal["all", "any", ""] = ""
    """Whether all comparisons must hold, or any; empty for one, and for a mixture."""


@lru_cache(1024)
def describe_formula(formula: str, regions: tuple[str, ...]) -> Prediction:
    """A formula in words and symbols, with its chance level; its comparisons too.

    >>> describe_formula("(1;%a%)<(1;%b%)", ("verb",)).words
    '“verb” is less surprising in a than in b'
    """
    tree = parse_formula(formula)
    comparisons = list(comparisons_of(tree))
    parts = [_describe(part, regions) for part in comparisons] if len(comparisons) > 1 else []
    return _describe(tree, regions, tuple(parts))


def _describe(
    tree: Expression, regions: Sequence[str], parts: tuple[Prediction, ...] = ()
) -> Prediction:
    said, symbols = formula_words(tree, regions), formula_symbols(tree, regions)
    operators = set(_operators(tree))
    joined: Literal["all", "any", ""] = ""
    if len(operators) == 1:
        joined = "all" if operators == {"&"} else "any"
    return Prediction(tree, said, symbols, chance_of(tree), parts, joined)


def _operators(tree: Expression) -> Iterator[str]:
    if isinstance(tree, Logic):
        yield tree.op
        yield from _operators(tree.left)
        yield from _operators(tree.right)


def predictions_of(result: Result, suite: str) -> tuple[Prediction, ...]:
    """The formulas of a suite; none for a run of a version that did not record them."""
    facts = result.facts.sets.get(suite)
    if facts is None:
        return ()
    return tuple(describe_formula(formula, facts.regions) for formula in facts.formulas)


@dataclass(frozen=True, slots=True)
class PredictionScores:
    """How often a formula holds, and each of its comparisons."""

    whole: Accuracy
    parts: tuple[Accuracy, ...]


def prediction_scores(result: Result) -> dict[str, tuple[PredictionScores, ...]]:
    """Accuracies of every suite's formulas, from the region surprisals that the run holds.

    Ties in a single comparison count by the rule of the run; coins are tossed with seed 0.
    """
    if not any(facts.formulas for facts in result.facts.sets.values()):
        return {}
    rule = TieRule.parse(result.summary.tie)
    columns = ["set", "item", "prediction", "correct", "tie", "values"]
    table = result.items.select(columns).sort("set", "prediction", maintain_order=True).collect()
    flat = table["values"].explode().struct.unnest() if len(table) else table
    ends = table["values"].list.len().cum_sum().to_list()
    found: dict[str, list[PredictionScores]] = {}
    first = 0
    for (suite, number), own in table.group_by("set", "prediction", maintain_order=True):
        name, last = str(suite), first + len(own)
        values = flat[ends[first - 1] if first else 0 : ends[last - 1]]
        first = last
        known = predictions_of(result, name)
        if int(str(number)) >= len(known):
            continue
        whole = accuracy_of(own["correct"].to_list(), int(own["tie"].sum()))
        parts = known[int(str(number))].parts
        by_place: Values = {}
        if parts:  # every item lists the same places
            count = len(values) // len(own)
            table_of_values = values["surprisal"].to_numpy().reshape(len(own), count)
            places = values.head(count).select("condition", "region").rows()
            by_place = {place: table_of_values[:, k] for k, place in enumerate(places)}
        items = own["item"].to_list()
        scores = [_part(part.expression, by_place, name, items, rule) for part in parts]
        found.setdefault(name, []).append(PredictionScores(whole, tuple(scores)))
    return {name: tuple(scores) for name, scores in found.items()}


def _part(
    tree: Expression, values: Values, suite: str, items: Sequence[str], rule: TieRule
) -> Accuracy:
    """How often a single comparison holds."""
    import numpy as np

    assert isinstance(tree, Comparison)
    left, right = (
        np.broadcast_to(_number(side, values), len(items)) for side in (tree.left, tree.right)
    )
    gap = right - left if tree.op == "<" else left - right
    if tree.op == "=":
        return accuracy_of((np.abs(gap) <= ATOL + RTOL * np.abs(right)).astype(float).tolist())
    tied = np.abs(gap) <= TIE / BIT
    earned = (gap > 0).astype(float)
    for n in np.flatnonzero(tied):
        seed = item_seed(0, suite, items[int(n)])
        earned[n] = rule.credit(Verdict(False, True, 0.0), lambda coin: coin(), seed)
    return accuracy_of(earned.tolist(), int(tied.sum()))


def _number(part: Expression, values: Values) -> NDArray[np.float64]:
    import numpy as np

    match part:
        case Value(condition, span):
            return values[condition, span]
        case Number(constant):
            return np.asarray(constant, np.float64)
        case Arithmetic(op, left, right):
            a, b = _number(left, values), _number(right, values)
            return a + b if op == "+" else a - b
        case _:
            raise DataError(f"{part} is true or false, and cannot be added or compared")


def condition_means(result: Result) -> dict[str, tuple[RegionMean, ...]]:
    """Mean surprisal by suite, condition and region; regions that are always empty are left out."""
    import polars

    if result.regions is None:
        return {}
    keys = ["set", "condition", "region"]
    table = (
        result.regions.group_by(keys, maintain_order=True)
        .agg(
            mean=polars.col("surprisal").mean(),
            spread=polars.col("surprisal").std(),
            n=polars.col("surprisal").count(),
            filled=(polars.col("content") != "").any(),
        )
        .filter(polars.col("filled") & (polars.col("n") > 0))
        .collect()
    )
    found: dict[str, list[RegionMean]] = {}
    for suite, condition, region, mean, spread, n, _ in table.iter_rows():
        error = (spread or 0.0) / n**0.5
        found.setdefault(suite, []).append(RegionMean(condition, str(region), mean, error, n))
    return {name: tuple(means) for name, means in found.items()}


def region_chart(regions: Sequence[str], models: Mapping[str, Sequence[RegionMean]]) -> Chart:
    """The garden-path plot: mean surprisal by region, a line for each condition.

    A panel for each model; bars are 95 % intervals of the mean.
    """
    labels = region_labels(regions)
    values = [
        {
            "model": model,
            "condition": m.condition,
            "region": labels[int(m.region) - 1],
            "mean": m.mean,
            "low": m.ci[0],
            "high": m.ci[1],
        }
        for model, means in models.items()
        for m in means
    ]
    across = {
        "field": "region",
        "type": "ordinal",
        "sort": list(labels),
        "title": "region",
        "axis": {"labelAngle": -30},
    }
    colour = {"field": "condition", "type": "nominal", "title": "condition"}
    up = {"field": "mean", "type": "quantitative", "title": "mean surprisal (bits)"}
    return {
        "$schema": SCHEMA,
        "data": {"values": values},
        "facet": {"column": {"field": "model", "type": "nominal", "title": None}},
        "spec": {
            "width": 70 * len(labels),
            "height": 260,
            "layer": [
                {
                    "mark": {"type": "line", "point": True},
                    "encoding": {
                        "x": across,
                        "y": up,
                        "color": colour,
                        "strokeDash": {"field": "condition", "type": "nominal", "legend": None},
                    },
                },
                {
                    "mark": {"type": "rule"},
                    "encoding": {
                        "x": across,
                        "y": {"field": "low", "type": "quantitative"},
                        "y2": {"field": "high"},
                        "color": colour,
                    },
                },
            ],
        },
    }
