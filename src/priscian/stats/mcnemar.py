"""McNemar's test of two models on the same items, and Holm's correction for many tests."""

from __future__ import annotations

from collections.abc import Mapping


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
