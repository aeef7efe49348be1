"""Differences of accuracies with 95 % intervals: on the same items, and on others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from priscian.errors import DataError
from priscian.metrics.accuracy import Z95, Accuracy, Interval


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of two accuracies, the items or pairs of items it rests on, its interval."""

    difference: float
    n: int
    ci: Interval

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"difference": self.difference, "n": self.n, "ci": list(self.ci)}


def paired_difference(first: ArrayLike, second: ArrayLike) -> Difference:
    """Mean of first − second over the same items.

    The interval is Bonett and Price's (2012, J. Educational and Behavioral Statistics 37, 479–488):
    Wald's after one item is added to each of the two ways to differ, so it has a width even where
    no item does.

    >>> found = paired_difference([1, 1, 1, 0], [1, 0, 0, 0])
    >>> found.difference, [round(limit, 4) for limit in found.ci]
    (0.5, [-0.2631, 0.9297])
    """
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    n = len(a)
    if n < 1 or len(b) != n:
        raise DataError("no pairs of items to compare; give results on the same items")
    change = a - b
    up = (float(change[change > 0].sum()) + 1) / (n + 2)
    down = (float(-change[change < 0].sum()) + 1) / (n + 2)
    centre = up - down
    half = Z95 * math.sqrt((up + down - centre * centre) / (n + 2))
    return Difference(float(change.mean()), n, (max(-1.0, centre - half), min(1.0, centre + half)))


def mean_difference(parts: Sequence[Difference]) -> Difference:
    """Unweighted mean over sets; the limits are joined as those of accuracies are.

    Zou, Huang & Zhang (2009), as in `metrics.accuracy.mean_accuracy`.
    """
    if not parts:
        raise DataError("no sets to average; give at least one")
    k = len(parts)
    mean = math.fsum(p.difference for p in parts) / k
    below = math.sqrt(math.fsum((p.difference - p.ci[0]) ** 2 for p in parts)) / k
    above = math.sqrt(math.fsum((p.ci[1] - p.difference) ** 2 for p in parts)) / k
    return Difference(mean, sum(p.n for p in parts), (mean - below, mean + above))


def independent_difference(first: Accuracy, second: Accuracy) -> Difference:
    """first − second on different items, from the limits of both.

    p₁ − p₂ − √((p₁−l₁)² + (u₂−p₂)²) and p₁ − p₂ + √((u₁−p₁)² + (p₂−l₂)²), method 10 of Newcombe
    (1998), Statistics in Medicine 17, 873–890.
    """
    d = first.accuracy - second.accuracy
    below = math.hypot(first.accuracy - first.ci[0], second.ci[1] - second.accuracy)
    above = math.hypot(first.ci[1] - first.accuracy, second.accuracy - second.ci[0])
    return Difference(d, first.n + second.n, (d - below, d + above))
