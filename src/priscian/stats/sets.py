"""Intervals that cover other sets of the same kind: other suites, other paradigms.

The sets are taken as a sample: another sample would have other sets with other items. What varies
from sample to sample is the set's mean, which includes the chance of its items, so the k means
alone give the standard error. With few sets that error is itself uncertain, and Student's t with
k − 1 degrees of freedom allows for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from priscian.errors import DataError
from priscian.stats.differences import item_variance, paired_interval
from priscian.stats.interval import Interval, Values, student_t
from priscian.stats.proportions import credit_interval, wilson


def credit_sets_interval(sets: Sequence[Values]) -> Interval:
    """95 % interval of the unweighted mean p of k sets' mean credits, for other sets.

    Wilson's interval with Student's t in place of z and an effective number of items,

        nₑ = p(1 − p) / (s²/k),   at most N = k² / Σ(1/nⱼ),

    s² being the variance of the sets' means: as many independent items as would give the standard
    error of p. N is what nₑ would be if sets did not differ; less variance than that can only be
    luck, and where all sets agree (all at 100 %) N is all there is. After Korn & Graubard (1998),
    Survey Methodology 24, 193–201, who put such an nₑ into an interval for proportions; Dean &
    Pagano (2015), J. Survey Statistics and Methodology 3, 484–503, compare forms of it for
    clustered samples. `tests/stats/test_sets.py` simulates its coverage. One set alone says nothing
    about others: its interval is that of its items.

    >>> perfect = [[1.0] * 24] * 3
    >>> [round(limit, 3) for limit in credit_sets_interval(perfect)]
    [0.795, 1.0]
    """
    k, mean, variance = _spread(sets)
    if k == 1:
        return credit_interval(sets[0])
    most = k * k / math.fsum(1 / len(items) for items in sets)
    effective = min(most, mean * (1 - mean) * k / variance) if variance > 0 else most
    return wilson(mean, effective, student_t(k - 1))


def difference_sets_interval(sets: Sequence[Values]) -> Interval:
    """95 % interval of the unweighted mean d of k sets' mean paired differences, for other sets.

    d ± t·√v, Student's t with k − 1 degrees of freedom, v the variance of the k means over k, but
    no less than the variance that items alone give (`item_variance`), so that models which differ
    nowhere still have an interval. One set alone has the interval of its items.
    """
    k, mean, variance = _spread(sets)
    if k == 1:
        return paired_interval(sets[0])
    least = math.fsum(item_variance(items) for items in sets) / (k * k)
    half = student_t(k - 1) * math.sqrt(max(variance / k, least))
    return (max(-1.0, mean - half), min(1.0, mean + half))


def _spread(sets: Sequence[Values]) -> tuple[int, float, float]:
    """How many sets, the mean of their means, and the variance of these."""
    if not len(sets) or not all(len(items) for items in sets):
        raise DataError("no items to average; give at least one in every set")
    means = [math.fsum(items) / len(items) for items in sets]
    k = len(means)
    mean = math.fsum(means) / k
    squares = math.fsum((m - mean) ** 2 for m in means)
    return k, mean, squares / (k - 1) if k > 1 else 0.0
