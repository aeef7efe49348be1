"""Syntactic generalization: item → prediction → suite → circuit → SG score.

Hu et al. (2020): an item is right if its formula holds for the region surprisals; a suite's
accuracy is the share of right items; the SG score is the unweighted mean of the suites' accuracies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

from priscian.catalogue import FURTHER
from priscian.errors import DataError, ScoreError
from priscian.formulas import chance_of, values_of
from priscian.metrics.contrasts import TIE, Lookup, evaluate
from priscian.metrics.forced_choice import TieRule, item_seed
from priscian.metrics.regions import BIT, METRICS, Eos, region_bits
from priscian.records import Contrast, Expression, Item, ItemSet, Logic, Sentence, TokenScores
from priscian.stats.interval import Interval, student_t
from priscian.stats.proportions import accuracy_of
from priscian.stats.sets import credit_sets_interval

Predictions = Literal["first", "all"]
Bits = Mapping[str, float]  # by region number


@dataclass(frozen=True, slots=True)
class Rules:
    """How items are judged.

    `predictions`: only the first formula of a suite, as in Hu et al. (2020), or all of them.
    """

    predictions: Predictions = "first"
    tie: str = "wrong"
    eos: Eos = "exclude"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PredictionOutcome:
    """One prediction of one item: the region surprisals it uses, in bits, and its outcome."""

    number: int
    values: tuple[tuple[str, str, float], ...]  # condition, region, bits
    margin: float
    correct: float
    tie: bool


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """An item: its credit from 0 to 1, and the surprisal of every region of every condition."""

    item: str
    correct: float
    tie: bool
    predictions: tuple[PredictionOutcome, ...]
    regions: Mapping[str, Bits]


@dataclass(frozen=True, slots=True)
class SuiteOutcome:
    """All items of a suite."""

    name: str
    circuit: str
    chance: float
    items: tuple[ItemOutcome, ...]
    modifier_of: str = ""

    @property
    def credits(self) -> list[float]:
        """The credit of each item."""
        return [item.correct for item in self.items]

    @property
    def accuracy(self) -> float:
        """Mean credit of the items."""
        return math.fsum(self.credits) / len(self.items)

    @property
    def ties(self) -> int:
        """Number of items that are decided by the tie rule."""
        return sum(item.tie for item in self.items)


def judge_suite(
    suite: ItemSet, scores: Callable[[Sentence], TokenScores], rules: Rules | None = None
) -> SuiteOutcome:
    """Judge every item of a suite; `scores` gives the token scores of a sentence."""
    rules = rules or Rules()
    if not suite.contrasts or not suite.items:
        raise DataError(f"suite {suite.name} has no items or no predictions; read it as sg:PATH")
    counted = counted_expression(suite.contrasts, rules.predictions)
    metric = str(suite.meta.get("metric", "sum"))
    if metric not in METRICS:
        raise DataError(f"suite {suite.name}: no metric {metric!r}; use {', '.join(METRICS)}")
    items = []
    for item in suite.items:
        regions = {}
        for name, sentence in item.conditions.items():
            try:
                regions[name] = region_bits(
                    scores(sentence), sentence, eos=rules.eos, metric=metric
                )
            except (DataError, ScoreError) as error:
                file, number = suite.meta.get("file", suite.name), item.id.rpartition("/")[2]
                raise DataError(f"{file}: item {number}, condition {name!r}: {error}") from None
        items.append(_judge_item(suite, item, counted, regions, rules))
    return SuiteOutcome(
        name=suite.name,
        circuit=suite.taxonomy[-1] if suite.taxonomy else "",
        chance=chance_of(counted),
        items=tuple(items),
        modifier_of=str(suite.meta.get("modifier_of", "")),
    )


def counted_expression(contrasts: Sequence[Contrast], predictions: Predictions) -> Expression:
    """What must hold for an item: the first formula, or all of them at once."""
    if predictions == "first":
        return contrasts[0].expression
    return reduce(lambda a, b: Logic("&", a, b), [c.expression for c in contrasts])


def _judge_item(
    suite: ItemSet, item: Item, counted: Expression, regions: Mapping[str, Bits], rules: Rules
) -> ItemOutcome:
    def value(condition: str, region: str) -> float:
        bits = regions[condition]
        return math.fsum(bits.values()) if region == "*" else bits[region]

    seed = item_seed(rules.seed, suite.name, item.id)
    rule = TieRule.parse(rules.tie)
    _, correct, tie = _settle(counted, value, rule, seed)
    predictions = []
    for number, contrast in enumerate(suite.contrasts):
        margin, credit, tied = _settle(contrast.expression, value, rule, seed)
        used = dict.fromkeys((v.condition, v.span) for v in values_of(contrast.expression))
        values = tuple((c, r, value(c, r)) for c, r in used)
        predictions.append(PredictionOutcome(number, values, margin, credit, tied))
    return ItemOutcome(item.id, correct, tie, tuple(predictions), regions)


def _settle(
    expression: Expression, value: Lookup, rule: TieRule, seed: int
) -> tuple[float, float, bool]:
    """Margin in bits, credit, and whether the tie rule decided."""
    verdict = evaluate(expression, value, tie=TIE / BIT)

    def toss(coin: Callable[[], bool]) -> bool:
        return evaluate(expression, value, coin=coin, tie=TIE / BIT).true

    return verdict.margin, rule.credit(verdict, toss, seed), verdict.tie


def summarise_suites(suites: Sequence[SuiteOutcome]) -> dict[str, Any]:
    """SG score, circuits, suites and stability under modifiers, ready for JSON.

    A suite's interval covers other items (`credit_interval`), that of a circuit and of the SG score
    other suites with other items (`credit_sets_interval`). Suites beyond the published ones have a
    circuit of their own and do not count for the SG score, unless there are no others.
    """
    if not suites:
        raise DataError("no suites to summarise; give at least one")
    circuits: dict[str, list[SuiteOutcome]] = {}
    for suite in suites:
        if suite.circuit:
            circuits.setdefault(suite.circuit, []).append(suite)
    overall = _mean([s for s in suites if s.circuit != FURTHER] or suites)
    return {
        "sg": {"score": overall.pop("accuracy"), **overall},
        "circuits": {name: _mean(members) for name, members in sorted(circuits.items())},
        "suites": {
            suite.name: {
                "accuracy": suite.accuracy,
                "n": len(suite.items),
                "ties": suite.ties,
                "chance": suite.chance,
                "ci": list(accuracy_of(suite.credits).ci),
            }
            for suite in suites
        },
        "modifiers": stability(suites),
    }


def _mean(suites: Sequence[SuiteOutcome]) -> dict[str, Any]:
    k = len(suites)
    return {
        "accuracy": math.fsum(s.accuracy for s in suites) / k,
        "n": sum(len(s.items) for s in suites),
        "ties": sum(s.ties for s in suites),
        "chance": math.fsum(s.chance for s in suites) / k,
        "ci": list(credit_sets_interval([s.credits for s in suites])),
        "suites": k,
    }


def stability(suites: Sequence[SuiteOutcome]) -> dict[str, dict[str, Any]]:
    """For every suite with a modifier version: both accuracies and their difference.

    `same` is the share of items, paired by number, that have the same credit in both.
    """
    by_name = {suite.name: suite for suite in suites}
    found = {}
    for modified in suites:
        plain = by_name.get(modified.modifier_of)
        if plain is None:
            continue
        other = {i.item.rpartition("/")[2]: i.correct for i in modified.items}
        own = {i.item.rpartition("/")[2]: i.correct for i in plain.items}
        pairs = [(credit, other[number]) for number, credit in own.items() if number in other]
        found[plain.name] = {
            "modified_suite": modified.name,
            "accuracy": plain.accuracy,
            "modified": modified.accuracy,
            "delta": modified.accuracy - plain.accuracy,
            "same": sum(a == b for a, b in pairs) / len(pairs) if pairs else None,
            "pairs": len(pairs),
        }
    return found


@dataclass(frozen=True, slots=True)
class RegionMean:
    """Mean surprisal of a region in a condition, over items, with its standard error, in bits."""

    condition: str
    region: str
    mean: float
    error: float
    n: int

    @property
    def ci(self) -> Interval:
        """Student's 95 % interval of the mean; with one item, the mean itself."""
        half = student_t(self.n - 1) * self.error if self.n > 1 else 0.0
        return (self.mean - half, self.mean + half)


def region_means(regions: Sequence[Mapping[str, Bits]]) -> list[RegionMean]:
    """Means over items, by condition and region, as in a garden-path plot."""
    gathered: dict[tuple[str, str], list[float]] = {}
    for conditions in regions:
        for condition, bits in conditions.items():
            for region, value in bits.items():
                gathered.setdefault((condition, region), []).append(value)
    found = []
    for (condition, region), values in gathered.items():
        n = len(values)
        mean = math.fsum(values) / n
        spread = math.fsum((v - mean) ** 2 for v in values) / (n - 1) if n > 1 else 0.0
        found.append(RegionMean(condition, region, mean, math.sqrt(spread / n), n))
    return found
