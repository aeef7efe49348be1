"""Agreement of raters: Fleiss' κ, Krippendorff's α, intraclass correlation, split-half.

Plain Python, so that a server can show them without loading NumPy.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

Level = Literal["nominal", "ordinal", "interval"]
Units = Mapping[str, Mapping[str, float]]
"""Ratings by unit (item) and rater; a rater need not have rated every unit."""


def fleiss_kappa(counts: Sequence[Mapping[Hashable, int]]) -> float:
    """Fleiss' κ = (P̄ − P̄e) / (1 − P̄e) of the counts of each category for each unit.

    Fleiss (1971), Psychological Bulletin 76, 378–382. Units may have different numbers of raters:
    each unit's agreement is the share of its pairs that agree; units with one rater do not count.

    >>> round(fleiss_kappa([{"a": 3}, {"a": 1, "b": 2}]), 4)
    0.25
    """
    rated = [unit for unit in counts if sum(unit.values()) > 1]
    if not rated:
        return math.nan
    agreed = []
    totals: Counter[Hashable] = Counter()
    for unit in rated:
        n = sum(unit.values())
        agreed.append(sum(c * (c - 1) for c in unit.values()) / (n * (n - 1)))
        totals.update(unit)
    observed = math.fsum(agreed) / len(agreed)
    whole = sum(totals.values())
    expected = math.fsum((c / whole) ** 2 for c in totals.values())
    return math.nan if expected == 1 else (observed - expected) / (1 - expected)


def krippendorff_alpha(units: Units, level: Level = "nominal") -> float:
    """Krippendorff's α = 1 − Do/De over the pairs of ratings within units and over all.

    Krippendorff (2011), *Computing Krippendorff's Alpha-Reliability*. Units with one rating are
    left out, as there.
    """
    rated = [list(r.values()) for r in units.values() if len(r) > 1]
    values = sorted({v for ratings in rated for v in ratings})
    if len(values) < 2:
        return math.nan
    if level == "interval":
        return _interval_alpha(rated)
    totals = Counter(v for ratings in rated for v in ratings)
    distance = _distances(values, totals, level)
    n = sum(totals.values())
    observed = math.fsum(
        count * other * distance[a, b] / (len(ratings) - 1)
        for ratings in rated
        for (a, count), (b, other) in _pairs(Counter(ratings))
    )
    expected = math.fsum(
        totals[a] * totals[b] * distance[a, b] for a in values for b in values if a != b
    )
    return 1 - (n - 1) * observed / expected


def _interval_alpha(rated: Sequence[Sequence[float]]) -> float:
    """α of numbers: squared distances over pairs are variances, so that no table is needed."""
    everything = [v for ratings in rated for v in ratings]
    n = len(everything)
    observed = math.fsum(len(r) * _squares(r) / (len(r) - 1) for r in rated)
    return 1 - (n - 1) * observed / (n * _squares(everything))


def _squares(values: Sequence[float]) -> float:
    """Sum of squared distances from the mean; n times it is the sum over unordered pairs."""
    mean = math.fsum(values) / len(values)
    return math.fsum((v - mean) ** 2 for v in values)


def _pairs(counts: Counter[float]) -> list[tuple[tuple[float, int], tuple[float, int]]]:
    return [(a, b) for a in counts.items() for b in counts.items() if a[0] != b[0]]


def _distances(
    values: Sequence[float], totals: Mapping[float, int], level: Level
) -> dict[tuple[float, float], float]:
    made: dict[tuple[float, float], float] = {}
    for i, a in enumerate(values):
        for j, b in enumerate(values):
            if level == "nominal":
                made[a, b] = float(a != b)
            else:
                between = values[min(i, j) : max(i, j) + 1]
                made[a, b] = (sum(totals[v] for v in between) - (totals[a] + totals[b]) / 2) ** 2
    return made


def icc2k(table: Sequence[Sequence[float]]) -> float:
    """ICC(2,k): consistency of the mean of k raters who all rated the n units (rows).

    (MSR − MSE) / (MSR + (MSC − MSE)/n), Shrout and Fleiss (1979), Psychological Bulletin 86,
    420–428.
    """
    n, k = len(table), len(table[0]) if table else 0
    if n < 2 or k < 2:
        return math.nan
    grand = math.fsum(v for row in table for v in row) / (n * k)
    rows = [math.fsum(row) / k for row in table]
    columns = [math.fsum(row[j] for row in table) / n for j in range(k)]
    between = k * math.fsum((r - grand) ** 2 for r in rows)
    raters = n * math.fsum((c - grand) ** 2 for c in columns)
    whole = math.fsum((v - grand) ** 2 for row in table for v in row)
    msr, msc = between / (n - 1), raters / (k - 1)
    mse = (whole - between - raters) / ((n - 1) * (k - 1))
    below = msr + (msc - mse) / n
    return math.nan if below == 0 else (msr - mse) / below


def split_half(units: Units, draws: int = 200, seed: int = 1) -> float:
    """Mean correlation of the unit means of two halves of the raters, stepped up to all of them.

    r' = 2r / (1 + r), Spearman (1910) and Brown (1910), for each of `draws` random halves.
    """
    raters = sorted({r for ratings in units.values() for r in ratings})
    rng = random.Random(seed)
    found = []
    for _ in range(draws):
        rng.shuffle(raters)
        half = set(raters[: len(raters) // 2])
        ones, twos = [], []
        for ratings in units.values():
            a = [v for r, v in ratings.items() if r in half]
            b = [v for r, v in ratings.items() if r not in half]
            if a and b:
                ones.append(math.fsum(a) / len(a))
                twos.append(math.fsum(b) / len(b))
        r = _pearson(ones, twos)
        if not math.isnan(r) and r > -1:
            found.append(2 * r / (1 + r))
    return math.fsum(found) / len(found) if found else math.nan


def _pearson(xs: Sequence[float], ys: Sequence[float]) -> float:
    n = len(xs)
    if n < 2:
        return math.nan
    mx, my = math.fsum(xs) / n, math.fsum(ys) / n
    sxy = math.fsum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True))
    sx = math.fsum((x - mx) ** 2 for x in xs)
    sy = math.fsum((y - my) ** 2 for y in ys)
    return math.nan if sx == 0 or sy == 0 else sxy / math.sqrt(sx * sy)
