"""What is inside a suite: its formulas in words, their accuracies, and means by region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from priscian.formulas import (
    chance_of,
    comparisons_of,
    formula_symbols,
    formula_words,
    parse_formula,
)
from priscian.metrics.contrasts import TIE, evaluate
from priscian.metrics.forced_choice import TieRule, item_seed
from priscian.metrics.generalization import RegionMean
from priscian.metrics.regions import BIT
from priscian.records import Comparison, Expression
from priscian.runs import Result
from priscian.stats.proportions import Accuracy, accuracy_of


@dataclass(frozen=True, slots=True)
class Prediction:
    """A formula, or one comparison of it, as a reader sees it."""

    expression: Expression
    words: str
    symbols: str
    chance: float
    parts: tuple[Prediction, ...] = ()
    """Its comparisons, if there are several."""


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
    return Prediction(
        tree, formula_words(tree, regions), formula_symbols(tree, regions), chance_of(tree), parts
    )


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
    rule = TieRule.parse(result.summary.tie)
    columns = ["set", "item", "prediction", "correct", "tie", "values"]
    found: dict[str, tuple[PredictionScores, ...]] = {}
    table = result.items.select(columns).collect()
    for (suite,), rows in table.group_by("set", maintain_order=True):
        name = str(suite)
        scores = []
        for number, prediction in enumerate(predictions_of(result, name)):
            own = rows.filter(rows["prediction"] == number)
            if own.is_empty():
                continue
            whole = accuracy_of(own["correct"].to_list(), int(own["tie"].sum()))
            judged = own.select("item", "values").rows() if prediction.parts else []
            values = [(str(item), _values(listed)) for item, listed in judged]
            parts = [_part(part.expression, name, values, rule) for part in prediction.parts]
            scores.append(PredictionScores(whole, tuple(parts)))
        found[name] = tuple(scores)
    return found


Values = Mapping[tuple[str, str], float]


def _values(listed: Sequence[Mapping[str, Any]]) -> Values:
    return {(v["condition"], v["region"]): v["surprisal"] for v in listed}


def _part(
    tree: Expression, suite: str, judged: Sequence[tuple[str, Values]], rule: TieRule
) -> Accuracy:
    """How often a single comparison holds."""
    assert isinstance(tree, Comparison)
    credits, ties = [], 0
    for item, values in judged:

        def value(condition: str, region: str, values: Values = values) -> float:
            return values[condition, region]

        verdict = evaluate(tree, value, tie=TIE / BIT)
        seed = item_seed(0, suite, item) if verdict.tie else 0
        credits.append(rule.credit(verdict, lambda coin: coin(), seed))
        ties += verdict.tie
    return accuracy_of(credits, ties)


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
