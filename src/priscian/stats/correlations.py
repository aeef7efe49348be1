"""Correlations: Pearson's and Spearman's with 95 % intervals, Mantel's of matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from priscian.errors import DataError
from priscian.stats.interval import Z95, Interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


PERMUTATIONS = 10_000
"""Of Mantel's test."""


class Correlation(Struct, frozen=True):
    """A coefficient, the number of points, and its 95 % interval."""

    r: float
    n: int
    ci: Interval


def pearson(x: Sequence[float], y: Sequence[float]) -> Correlation:
    """Pearson's r with Fisher's interval, tanh(artanh r ± 1.96/√(n − 3)).

    If all points lie exactly on a line, both limits are r. Three points or fewer
    exclude nothing: −1 to 1.

    >>> round(pearson([1, 2, 3, 4], [2, 4, 5, 9]).r, 4)
    0.9648
    """
    r = _coefficient(x, y)
    return Correlation(r, len(x), _interval(r, r, len(x), 1.0))


def spearman(x: Sequence[float], y: Sequence[float]) -> Correlation:
    """Spearman's ρ; equal values share their mean rank.

    The interval is Bonett and Wright's (2000, Psychometrika 65, 23–28): Fisher's with the variance
    (1 + ρ²/2)/(n − 3). Few points often have the same order by chance, so at ρ = ±1 the inner limit
    is computed half a step inside: swapping two neighbours moves ρ by 12/(n(n² − 1)).

    >>> [round(limit, 2) for limit in spearman([1, 2, 3, 4], [1, 4, 9, 16]).ci]
    [-0.69, 1.0]
    """
    n, r = len(x), _coefficient(ranks(x), ranks(y))
    inside = r if abs(r) < 1 else math.copysign(1 - 6 / (n * (n * n - 1)), r)
    return Correlation(r, n, _interval(r, inside, n, 1 + inside * inside / 2))


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of theirs.

    >>> ranks([10, 30, 10, 20])
    [1.5, 4.0, 1.5, 3.0]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            found[place] = (start + end + 1) / 2
        start = end
    return found


def correlation_matrix(columns: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Pearson's r of every column with every other, by name."""
    names = list(columns)
    found: dict[str, dict[str, float]] = {name: {} for name in names}
    for i, a in enumerate(names):
        for b in names[i:]:
            r = 1.0 if a == b else _coefficient(columns[a], columns[b])
            found[a][b] = found[b][a] = r
    return {a: {b: found[a][b] for b in names} for a in names}


def _coefficient(x: Sequence[float], y: Sequence[float]) -> float:
    if len(x) != len(y) or len(x) < 2:
        raise DataError(
            f"{len(x)} and {len(y)} values cannot be correlated; give two or more of each"
        )
    for values in (x, y):
        if max(values) == min(values):
            raise DataError(f"all values are {values[0]:g}: a correlation is undefined")
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    dx, dy = [a - mx for a in x], [b - my for b in y]
    xx, yy = math.fsum(a * a for a in dx), math.fsum(b * b for b in dy)
    r = math.fsum(a * b for a, b in zip(dx, dy, strict=True)) / math.sqrt(xx * yy)
    return max(-1.0, min(1.0, r))  # rounding may exceed ±1 by an ulp


def _interval(r: float, inside: float, n: int, variance: float) -> Interval:
    """Fisher's interval around `inside`, with r in it."""
    if n <= 3:
        return (-1.0, 1.0)
    if abs(inside) == 1:
        return (r, r)
    half = Z95 * math.sqrt(variance / (n - 3))
    low, high = math.tanh(math.atanh(inside) - half), math.tanh(math.atanh(inside) + half)
    return (min(low, r), max(high, r))


class Mantel(Struct, frozen=True):
    """Pearson's r of the distances, and the share of permutations with at least that r.

    Both are NaN where all distances of one matrix are equal.
    """

    r: float
    p: float
    things: int
    permutations: int


def mantel(one: Floats, other: Floats, seed: int = 0, permutations: int = PERMUTATIONS) -> Mantel:
    """Pearson's correlation of two symmetric matrices of distances, tested by permutation.

    The rows and columns of one matrix are permuted together; p is the share of permutations, the
    given order included, whose correlation is as high or higher (one-sided). Mantel (1967), Cancer
    Research 27, 209–220.

    >>> import numpy as np
    >>> line = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    >>> round(mantel(line, line).r, 6)
    1.0
    """
    import numpy as np

    n = len(one)
    if one.shape != (n, n) or other.shape != (n, n) or n < 3:
        raise DataError(
            f"matrices of {one.shape} and {other.shape}; Mantel's test needs two square ones of "
            "one size, of at least 3 things"
        )
    upper = np.triu_indices(n, 1)
    a, b = one[upper], other[upper]
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return Mantel(float("nan"), float("nan"), n, 0)
    x = (a - a.mean()) / np.linalg.norm(a - a.mean())
    centred, length = b.mean(), np.linalg.norm(b - b.mean())
    r = float(x @ (b - centred) / length)
    rng = np.random.default_rng(seed)
    reached = 1
    for _ in range(permutations):
        order = rng.permutation(n)
        drawn = other[np.ix_(order, order)][upper]
        reached += float(x @ (drawn - centred) / length) >= r - 1e-12
    return Mantel(r, reached / (permutations + 1), n, permutations)
