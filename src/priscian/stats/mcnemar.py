"""McNemar's test with mid-p, Holm's correction, and an interval of a paired difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from priscian.metrics.accuracy import Z95, Interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@lru_cache(maxsize=65_536)
def mid_p(only_a: int, only_b: int) -> float:
    """Two-sided mid-p of McNemar's test, from the items that one model alone has right.

    With k the smaller count and n their sum, X ~ Binomial(n, ½): 2·P(X ≤ k) − P(X = k). Fagerland,
    Lydersen & Laake (2013), BMC Medical Research Methodology 13:91, find that it holds its level
    where the exact test is too cautious.

    >>> round(mid_p(1, 5), 6)  # 2·(1 + 6)/64 − 6/64
    0.125
    """
    n, k = only_a + only_b, min(only_a, only_b)
    if only_a == only_b:
        return 1.0
    term = math.exp(
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2)
    )
    total = term  # P(X = k) once, the terms below it twice
    for i in range(k, 0, -1):
        term *= i / (n - i + 1)
        total += 2 * term
        if term < 1e-17 * total:
            break
    return min(1.0, total)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """p-values corrected for their number, by Holm's step-down method (1979).

    The j-th smallest of m is multiplied by m − j + 1, and none may be below the one before it.

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


def paired_interval(differences: Iterable[float] | npt.NDArray[np.float64]) -> Interval:
    """95 % interval of a mean difference of credits on the same items.

    Wald's after one pseudo-item for either side, D̃ ± z·√((Σd² + 2)/(n + 2) − D̃²)/√(n + 2) with
    D̃ = Σd/(n + 2): Bonett & Price (2012), J. Educational and Behavioral Statistics 37, 479–488,
    where every d is −1, 0 or 1; half credits fit the same formula.
    """
    d = list(differences)
    n = len(d) + 2
    mean = math.fsum(d) / n
    square = (math.fsum(x * x for x in d) + 2) / n
    half = Z95 * math.sqrt(max(0.0, square - mean * mean) / n)
    return (max(-1.0, mean - half), min(1.0, mean + half))


def mean_of_intervals(parts: Sequence[tuple[float, Interval]]) -> Interval:
    """95 % interval of the mean of independent estimates, joined from their intervals.

    As `mean_accuracy` joins Wilson's: Zou, Huang & Zhang (2009). Unlike a bootstrap it has a width
    where every item of every set agrees.
    """
    k = len(parts)
    mean = math.fsum(value for value, _ in parts) / k
    below = math.sqrt(math.fsum((value - low) ** 2 for value, (low, _) in parts)) / k
    above = math.sqrt(math.fsum((high - value) ** 2 for value, (_, high) in parts)) / k
    return (max(-1.0, mean - below), min(1.0, mean + above))
