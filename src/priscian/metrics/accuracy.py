"""Accuracy per set, per node of the taxonomy and overall, with 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from priscian.errors import DataError
from priscian.metrics.forced_choice import Outcome

Z95 = 1.959963984540054  # the standard normal's 97.5 % point

Interval = tuple[float, float]

_PLURALS = {"phenomenon": "phenomena"}
_LEVELS = ("field", "phenomenon")


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A share of right choices, the items it rests on, the ties among them, its 95 % interval."""

    accuracy: float
    n: int
    ties: int
    ci: Interval

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "accuracy": self.accuracy,
            "n": self.n,
            "ties": self.ties,
            "ci": list(self.ci),
        }


def wilson(p: float, n: int, z: float = Z95) -> Interval:
    """Wilson's score interval for a proportion p of n.

    (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n), Wilson (1927), JASA 22, 209–212.
    A mean of credits between 0 and 1 may stand in for p: its variance is never above p(1−p)/n, so
    with half credits for ties the interval is, if anything, too wide.
    """
    if n < 1:
        return (0.0, 1.0)
    centre = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # at p = 0 and p = 1 one limit is p itself, which rounding may miss by an ulp
    low = 0.0 if p == 0 else max(0.0, (centre - half) / scale)
    high = 1.0 if p == 1 else min(1.0, (centre + half) / scale)
    return (low, high)


def set_accuracy(outcomes: Sequence[Outcome]) -> Accuracy:
    """Mean credit over the items of one set and method."""
    if not outcomes:
        raise DataError("no outcomes to average; give at least one item")
    n = len(outcomes)
    p = math.fsum(o.correct for o in outcomes) / n
    return Accuracy(p, n, sum(o.tie for o in outcomes), wilson(p, n))


def mean_accuracy(parts: Sequence[Accuracy]) -> Accuracy:
    """Unweighted mean of sets, as in the BLiMP paper, whatever their sizes.

    The interval for the mean p̄ of k independent proportions joins their Wilson limits (lᵢ, uᵢ):
    from p̄ − √(Σ(pᵢ−lᵢ)²)/k to p̄ + √(Σ(uᵢ−pᵢ)²)/k, after Zou, Huang & Zhang (2009), Computational
    Statistics & Data Analysis 53, 1080–1085. With one set it is Wilson's interval; it never leaves
    0–1, and has a width at accuracies of 0 and 1. It speaks of other items, not of other sets.
    """
    if not parts:
        raise DataError("no sets to average; give at least one")
    if len(parts) == 1:
        return parts[0]
    k = len(parts)
    p = math.fsum(a.accuracy for a in parts) / k
    below = math.sqrt(math.fsum((a.accuracy - a.ci[0]) ** 2 for a in parts)) / k
    above = math.sqrt(math.fsum((a.ci[1] - a.accuracy) ** 2 for a in parts)) / k
    ci = (max(0.0, p - below), min(1.0, p + above))
    return Accuracy(p, sum(a.n for a in parts), sum(a.ties for a in parts), ci)


def summarise(
    outcomes: Mapping[str, Iterable[Outcome]],
    taxonomy: Mapping[str, Sequence[str]],
    levels: Sequence[str] = _LEVELS,
) -> dict[str, dict[str, Any]]:
    """Accuracies by method: overall, for every node of each level, and for every set.

    `outcomes` and `taxonomy` are keyed by set; `levels` names the taxonomy's levels from the
    broadest to the narrowest, and a shorter path fills the narrowest ones:
    {"full": {"overall": {…}, "fields": {…}, "phenomena": {…}, "paradigms": {UID: {…}}}, …}.
    """
    by_method: dict[str, dict[str, list[Outcome]]] = {}
    for name, members in outcomes.items():
        for outcome in members:
            by_method.setdefault(outcome.method, {}).setdefault(name, []).append(outcome)
    return {
        method: _summary(
            {name: set_accuracy(rows) for name, rows in sets.items()}, taxonomy, levels
        )
        for method, sets in by_method.items()
    }


def _summary(
    sets: Mapping[str, Accuracy], taxonomy: Mapping[str, Sequence[str]], levels: Sequence[str]
) -> dict[str, Any]:
    nodes: dict[str, dict[str, list[Accuracy]]] = {
        level: {} for level in dict.fromkeys((*_LEVELS, *levels))
    }
    for name, result in sets.items():
        path = tuple(taxonomy.get(name, ()))
        if len(path) > len(levels):
            raise DataError(
                f"set {name}: its taxonomy {' > '.join(path)} is deeper than the levels "
                f"{', '.join(levels) or 'given (none)'}; name as many levels"
            )
        for level, node in zip(levels[len(levels) - len(path) :], path, strict=True):
            nodes[level].setdefault(node, []).append(result)
    return {
        "overall": mean_accuracy(list(sets.values())).as_dict(),
        **{
            _PLURALS.get(level, f"{level}s"): {
                node: mean_accuracy(parts).as_dict() for node, parts in members.items()
            }
            for level, members in nodes.items()
        },
        "paradigms": {name: result.as_dict() for name, result in sets.items()},
    }
