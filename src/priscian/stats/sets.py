"""Intervals that cover other sets of the same kind: other suites, other paradigms.

The sets count as a sample: another sample would have other sets with other items. What varies
from sample to sample is the mean of a set, which includes the chance of its items, so the k means
alone give the standard error. Few sets leave that error uncertain, and Student's t allows for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from priscian.errors import DataError
from priscian.stats.differences import paired_interval
from priscian.stats.interval import Z95, Interval, Values, student_t
from priscian.stats.proportions import credit_interval, wilson

WITHIN = 0.2
"""Correlation of items within a set to begin with. Its median over the 46 models in the released
results of Hu et al. (2020) is .21 for suites within circuits (tenth to ninetieth percentile .14 to
.35); for paradigms within phenomena the four models of BLiMP have .12 to .19."""
WITHIN_DIFFERENCES = 0.15
"""The same for the differences of two models on an item: the median over all pairs of those 46
models is .14 (tenth to ninetieth percentile .05 to .37)."""
WITHIN_SETS = 2
"""How many sets these values count for."""


def credit_sets_interval(sets: Sequence[Values]) -> Interval:
    """95 % interval of the unweighted mean p of k sets' mean credits, for other sets.

    Items of one set are alike, so k sets of n items are worth fewer independent items. If credits
    within a set are correlated by ρ, the variance of p is p(1 − p)(ρ + (1 − ρ)/n)/k, that of

        nₑ = k / (ρ + (1 − ρ)/n)

    independent items. The interval is Wilson's for nₑ items, with Student's t in place of z; Korn &
    Graubard (1998), Survey Methodology 24, 193–201, introduced such intervals for clustered
    samples. n is the harmonic mean of the sets' sizes. ρ comes from the variance s² of the k means,

        ρ̂ = (s²/(p(1 − p)) − 1/n) / (1 − 1/n),   from 0 to 1,

    averaged with `WITHIN`, which counts for two sets: few sets say little about ρ, and sets that
    all have 100 % say nothing. So t has k + 1 degrees of freedom. `tests/stats/test_sets.py`
    simulates the coverage. One set says nothing about others: its interval is that of its items.

    >>> perfect = [[1.0] * 24] * 3
    >>> [round(limit, 3) for limit in credit_sets_interval(perfect)]
    [0.739, 1.0]
    """
    if len(sets) == 1:
        return credit_interval(sets[0])
    _check(sets)
    means = [math.fsum(items) / len(items) for items in sets]
    return shares_interval(means, [len(items) for items in sets])


def shares_interval(means: Sequence[float], sizes: Sequence[int]) -> Interval:
    """The interval of `credit_sets_interval`, from the mean credits of sets and their sizes.

    >>> [round(limit, 3) for limit in shares_interval([1.0, 1.0, 1.0], [24, 24, 24])]
    [0.739, 1.0]
    """
    k = len(means)
    mean = math.fsum(means) / k if k else 0.0
    if k == 1:
        return wilson(mean, sizes[0])
    return wilson(mean, effective_items(means, sizes), student_t(_weight(k)))


def effective_items(means: Sequence[float], sizes: Sequence[int]) -> float:
    """How many independent items k sets of similar items are worth: nₑ of `credit_sets_interval`.

    >>> round(effective_items([0.5, 0.5], [10, 10]), 2)  # ρ = (0 + 2 · .2) / 3
    9.09
    """
    if not means or min(sizes, default=0) < 1:
        raise DataError("no items to average; give at least one in every set")
    k = len(means)
    if k == 1:
        return float(sizes[0])
    mean = math.fsum(means) / k
    variance = math.fsum((m - mean) ** 2 for m in means) / (k - 1)
    size = k / math.fsum(1 / n for n in sizes)
    within = _within(variance, mean * (1 - mean), size, k, WITHIN)
    return k / (within + (1 - within) / size)


def _within(of_means: float, of_items: float, size: float, k: int, usual: float) -> float:
    """The correlation of items within a set, from the variances of sets' means and of items."""
    own = 0.0
    if of_means > 0 and size > 1:
        own = (of_means / of_items - 1 / size) / (1 - 1 / size)
    return ((k - 1) * min(1.0, max(0.0, own)) + WITHIN_SETS * usual) / _weight(k)


def crossed_interval(answers: Sequence[tuple[str, str, float]]) -> Interval:
    """95 % interval of the mean credit of raters on items, for other raters and other items.

    Each credit comes with its rater and item. Answers of one rater are alike, and so are answers to
    one item, so that the mean p has the variance

        p(1 − p)(ρᵣ/r + ρᵢ/i + (1 − ρᵣ − ρᵢ)/n),

    that of nₑ independent answers with 1/nₑ = 1/nᵣ + 1/nᵢ − 1/n, where nᵣ and nᵢ are those that n
    answers are worth as r raters and as i items (`effective_items`). The interval is Wilson's for
    nₑ, with Student's t of the smaller number. One rater says nothing about others, nor one item:
    what there is only one of does not widen the interval.

    >>> answers = [(r, i, 1.0) for r in "abcdefghij" for i in "12345"]
    >>> [round(limit, 3) for limit in crossed_interval(answers)]
    [0.827, 1.0]
    """
    if not answers:
        return (0.0, 1.0)
    groups: tuple[dict[str, list[float]], ...] = ({}, {})
    for rater, item, credit in answers:
        groups[0].setdefault(rater, []).append(credit)
        groups[1].setdefault(item, []).append(credit)
    n = len(answers)
    worth = -1 / n
    for group in groups:
        own = [math.fsum(values) / len(values) for values in group.values()]
        worth += 1 / effective_items(own, [len(values) for values in group.values()])
    several = [len(group) for group in groups if len(group) > 1]
    mean = math.fsum(credit for *_, credit in answers) / n
    return wilson(mean, 1 / worth, student_t(_weight(min(several))) if several else Z95)


def _weight(k: int) -> int:
    """Degrees of freedom of k sets together with those that `WITHIN` counts for."""
    return k - 1 + WITHIN_SETS


def difference_sets_interval(sets: Sequence[Values]) -> Interval:
    """95 % interval of the unweighted mean d of k sets' mean paired differences, for other sets.

    As for credits (`credit_sets_interval`): items of one set are alike, so with the variance S² of
    an item's difference and a correlation ρ within sets of n items, the interval is

        d ± t·√(S²·(ρ + (1 − ρ)/n)/k),   Student's t with k + 1 degrees of freedom

    ρ̂ = (s²/S² − 1/n) / (1 − 1/n), from the variance s² of the k means, is averaged with
    `WITHIN_DIFFERENCES`, which counts for two sets. S² has one item more for each side, as in
    `paired_interval`, so that models which differ nowhere still have an interval. One set says
    nothing about others: its interval is that of its items.

    >>> [round(limit, 3) for limit in difference_sets_interval([[1.0, 0.0] * 12] * 3)]
    [0.216, 0.784]
    """
    _check(sets)
    if len(sets) == 1:
        return paired_interval(sets[0])
    means = [math.fsum(items) / len(items) for items in sets]
    k = len(means)
    mean = math.fsum(means) / k
    variance = math.fsum((m - mean) ** 2 for m in means) / (k - 1)
    items = sum(map(len, sets))
    square = math.fsum(math.fsum(d * d for d in one) / len(one) for one in sets) / k
    of_items = (square * items + 2) / (items + 2) - (mean * items / (items + 2)) ** 2
    size = k / math.fsum(1 / len(one) for one in sets)
    within = _within(variance, of_items, size, k, WITHIN_DIFFERENCES)
    half = student_t(_weight(k)) * math.sqrt(of_items * (within + (1 - within) / size) / k)
    return (max(-1.0, mean - half), min(1.0, mean + half))


def _check(sets: Sequence[Values]) -> None:
    if not len(sets) or not all(len(items) for items in sets):
        raise DataError("no items to average; give at least one in every set")


class PairedTest(Struct, frozen=True):
    """The mean of paired differences of k sets, its 95 % interval and Student's test of 0."""

    difference: float
    ci: Interval
    sets: int
    p: float


def paired_t(differences: Sequence[float]) -> PairedTest:
    """Student's paired t-test over sets; two-sided.

    >>> found = paired_t([0.1, 0.3, 0.2, 0.2])
    >>> round(found.difference, 6), [round(limit, 4) for limit in found.ci], round(found.p, 4)
    (0.2, [0.0701, 0.3299], 0.0163)
    """
    from scipy.special import stdtr

    k = len(differences)
    if k < 2:
        raise DataError("a test over sets needs at least two; compare more of them")
    mean = math.fsum(differences) / k
    variance = math.fsum((d - mean) ** 2 for d in differences) / (k - 1)
    error = math.sqrt(variance / k)
    half = student_t(k - 1) * error
    p = 2 * float(stdtr(k - 1, -abs(mean) / error)) if error else float(mean == 0)
    return PairedTest(mean, (mean - half, mean + half), k, p)
