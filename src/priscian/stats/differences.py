"""Differences of two accuracies: 95 % intervals, McNemar's test, Holm's correction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from priscian.errors import DataError
from priscian.stats.interval import Z95, Interval, Values, combined_interval
from priscian.stats.proportions import Accuracy


class Difference(Struct, frozen=True):
    """A difference of two accuracies, the number of items or pairs of items, and its interval."""

    difference: float
    n: int
    ci: Interval


def paired_interval(differences: Values) -> Interval:
    """95 % interval of the mean difference of two credits on the same items.

    Wald's interval after one item is added for each side, so that it has a width even if no item
    differs. With n′ = n + 2 and D = Σd/n′ the limits are

        D ± z·√(((Σd² + 2)/n′ − D²) / n′)

    Bonett & Price (2012), J. Educational and Behavioral Statistics 37, 479–488, for differences of
    −1, 0 and 1. A half credit makes a difference of ±½ with the square ¼, and the same formula.
    """
    n = len(differences) + 2
    mean = math.fsum(differences) / n
    square = (math.fsum(d * d for d in differences) + 2) / n
    half = Z95 * math.sqrt(max(0.0, square - mean * mean) / n)
    return (max(-1.0, mean - half), min(1.0, mean + half))


def paired_difference(first: Values, second: Values) -> Difference:
    """Mean of first − second over the same items, with Bonett and Price's interval.

    >>> found = paired_difference([1, 1, 1, 0], [1, 0, 0, 0])
    >>> found.difference, [round(limit, 4) for limit in found.ci]
    (0.5, [-0.2631, 0.9297])
    """
    n = len(first)
    if n < 1 or len(second) != n:
        raise DataError("no pairs of items to compare; give results on the same items")
    change = [float(a) - float(b) for a, b in zip(first, second, strict=True)]
    return Difference(math.fsum(change) / n, n, paired_interval(change))


def mean_difference(parts: Sequence[Difference]) -> Difference:
    """Unweighted mean over sets; the interval combines theirs (`combined_interval`)."""
    if not parts:
        raise DataError("no sets to average; give at least one")
    low, high = combined_interval([(p.difference, p.ci) for p in parts])
    mean = math.fsum(p.difference for p in parts) / len(parts)
    return Difference(mean, sum(p.n for p in parts), (max(-1.0, low), min(1.0, high)))


def independent_difference(first: Accuracy, second: Accuracy) -> Difference:
    """first − second on different items, from the intervals of both (`combined_interval`)."""
    parts = [(a.accuracy, a.ci) for a in (first, second)]
    d = first.accuracy - second.accuracy
    return Difference(d, first.n + second.n, combined_interval(parts, [1.0, -1.0]))


def mid_p(only_a: int, only_b: int) -> float:
    """Two-sided mid-p of McNemar's test, from how many items only one of the models has right.

    With k the smaller count and n their sum, X ~ Binomial(n, ½): 2·P(X ≤ k) − P(X = k), which is
    P(X ≤ k) + P(X ≤ k − 1). Fagerland, Lydersen & Laake (2013), BMC Medical Research Methodology
    13:91, find that it keeps its level where the exact test is too conservative.

    >>> round(mid_p(1, 5), 6)  # 2·(1 + 6)/64 − 6/64
    0.125
    """
    from scipy.special import bdtr

    n, k = only_a + only_b, min(only_a, only_b)
    if only_a == only_b:
        return 1.0
    below = float(bdtr(k - 1, n, 0.5)) if k else 0.0
    return min(1.0, float(bdtr(k, n, 0.5)) + below)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """p-values corrected for their number by Holm's step-down method.

    The j-th smallest of m is multiplied by m − j + 1, and none may be below the one before it.
    Holm (1979), Scandinavian Journal of Statistics 6, 65–70.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    found: dict[str, float] = {}
    highest = 0.0
    ordered = sorted(p_values.items(), key=lambda entry: entry[1])
    for rank, (name, p) in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - rank) * p))
        found[name] = highest
    return {name: found[name] for name in p_values}
