"""Agreement of raters: raw, Fleiss' κ, Krippendorff's α, intraclass correlation, split-half.

Plain Python, so that a server can show them without loading NumPy.

**Forced choices.** Whether somebody chose the good sentence of a pair is no category that people
could disagree about by chance: nearly everybody chooses it, so that two people agree as often as
their common preference predicts, and κ is near 0 however well they agree. What they choose between
is two sentences. The names of the two are arbitrary, so each pair is counted under both namings
(`double_entry`). Chance agreement is then ½, and with a raw agreement P of two people κ = 2P − 1.
If everybody chooses the good sentence with probability a, P = a² + (1 − a)² and κ = (2a − 1)²;
ICC(2,k) and split-half are kκ / (1 + (k − 1)κ), as Spearman and Brown say.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import permutations
from typing import Literal

from msgspec import Struct

Level = Literal["nominal", "ordinal", "interval"]
Answers = Literal["choices", "categories", "scale", "numbers"]
"""Forced choices between two (1 or 0), names such as yes and no, points of a scale, numbers."""
LEVELS: Mapping[Answers, Level] = {
    "choices": "nominal", "categories": "nominal", "scale": "ordinal", "numbers": "interval",
}  # fmt: skip
Units = Mapping[str, Mapping[str, float]]
"""Ratings by unit (item) and rater; a rater need not have rated every unit."""
CHOICES = (
    "Choices are compared by which of the two sentences was chosen, not by whether it is the good "
    "one: nearly everybody chooses that, and κ would be near 0 however well people agree."
)


class RaterAgreement(Struct, frozen=True):
    """Measures of agreement; NaN where the answers do not give one."""

    raters: int
    units: int
    raw: float
    """How often two raters of a unit give the same answer, as a mean over units."""
    fleiss_kappa: float
    krippendorff_alpha: float
    level: Level
    icc2k: float
    split_half: float
    note: str
    """What a reader of the numbers must know."""

    def rows(self) -> list[tuple[str, str]]:
        """Names and values as people read them; a dash where the answers do not give a value."""
        numbers = {
            "Fleiss’ κ": self.fleiss_kappa,
            f"Krippendorff’s α ({self.level})": self.krippendorff_alpha,
            "ICC(2,k)": self.icc2k,
            "Split-half reliability": self.split_half,
        }
        return [
            ("People", f"{self.raters:,}"),
            ("Sentences or pairs", f"{self.units:,}"),
            ("Two people agree", "–" if math.isnan(self.raw) else f"{100 * self.raw:.1f} %"),
            *((name, "–" if math.isnan(v) else f"{v:.3f}") for name, v in numbers.items()),
        ]


def measure_agreement(units: Units, answers: Answers, draws: int = 200) -> RaterAgreement:
    """Every measure; ICC from the units that the largest group of raters shares.

    >>> units = {"a": {"x": 1, "y": 1}, "b": {"x": 1, "y": 1}, "c": {"x": 1, "y": 0}}
    >>> round(measure_agreement(units, "choices").fleiss_kappa, 3)  # 2 · 2/3 − 1
    0.333
    """
    entered = double_entry(units) if answers == "choices" else units
    counts: list[Counter[Hashable]] = [Counter(r.values()) for r in entered.values()]
    numbers = answers == "numbers"
    return RaterAgreement(
        raters=len({r for ratings in units.values() for r in ratings}),
        units=len(units),
        raw=math.nan if numbers else raw_agreement(counts),
        fleiss_kappa=math.nan if numbers else fleiss_kappa(counts),
        krippendorff_alpha=krippendorff_alpha(entered, LEVELS[answers]),
        level=LEVELS[answers],
        icc2k=icc2k(shared_table(entered)),
        split_half=split_half(entered, draws),
        note=CHOICES if answers == "choices" else "",
    )


def double_entry(units: Units) -> dict[str, dict[str, float]]:
    """Each unit twice: as it is, and with 0 and 1 exchanged.

    Which of two things is called 1 is then of no consequence: Fisher's (1925) way with pairs whose
    members have no order, for his intraclass correlation.
    """
    entered: dict[str, dict[str, float]] = {}
    for unit, ratings in units.items():
        entered[unit] = dict(ratings)
        entered[f"{unit}\N{UNIT SEPARATOR}"] = {rater: 1 - v for rater, v in ratings.items()}
    return entered


def shared_table(units: Units) -> list[list[float]]:
    """A full table: the raters of the most common group (a list), and the units they all rated."""
    groups = Counter(frozenset(r) for r in units.values())
    if not groups:
        return []
    raters, _ = max(groups.items(), key=lambda g: (g[1] * len(g[0]), sorted(g[0])))
    return [[r[x] for x in sorted(raters)] for r in units.values() if raters <= r.keys()]


def raw_agreement(counts: Sequence[Mapping[Hashable, int]]) -> float:
    """How often two raters of a unit agree: the mean over units of the share of pairs that do.

    Units with one rater do not count.

    >>> raw_agreement([{"a": 3}, {"a": 1, "b": 1}])
    0.5
    """
    agreed = []
    for unit in counts:
        n = sum(unit.values())
        if n > 1:
            agreed.append(sum(c * (c - 1) for c in unit.values()) / (n * (n - 1)))
    return math.fsum(agreed) / len(agreed) if agreed else math.nan


def fleiss_kappa(counts: Sequence[Mapping[Hashable, int]]) -> float:
    """Fleiss' κ = (P̄ − P̄e) / (1 − P̄e) of the counts of each category for each unit.

    Fleiss (1971), Psychological Bulletin 76, 378–382. P̄ is the raw agreement. Units may have
    different numbers of raters; units with one rater do not count.

    >>> round(fleiss_kappa([{"a": 3}, {"a": 1, "b": 2}]), 4)
    0.25
    """
    rated = [unit for unit in counts if sum(unit.values()) > 1]
    if not rated:
        return math.nan
    totals: Counter[Hashable] = Counter()
    for unit in rated:
        totals.update(unit)
    observed = raw_agreement(rated)
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
        for (a, count), (b, other) in permutations(Counter(ratings).items(), 2)
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
