"""Accuracies with 95 % intervals: one set of items, and the unweighted mean of several sets.

**How a tie counts.** An item has a credit: 1 if right, 0 if wrong, ½ for a tie under the rule
`half` (the other rules turn a tie into 0 or 1). An accuracy is the mean credit. Its interval is the
score interval of that mean. Without half credits that is Wilson's; a half credit lowers the
variance, and the interval becomes Tango's. All intervals of accuracies in Priscian come from here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

from priscian.errors import DataError
from priscian.stats.interval import Z95, Interval, Values, combined_interval

_NO_HALVES = 1e-9


class Accuracy(Struct, frozen=True):
    """A mean credit, the number of items and of ties among them, and its 95 % interval."""

    accuracy: float
    n: int
    ties: int
    ci: Interval


def wilson(p: float, n: float, z: float = Z95) -> Interval:
    """Wilson's score interval for a proportion p of n.

    (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n), Wilson (1927), JASA 22, 209–212.
    """
    if n <= 0:
        return (0.0, 1.0)
    centre = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # at p = 0 and p = 1 one limit is p itself, which rounding may miss by an ulp
    low = 0.0 if p == 0 else max(0.0, (centre - half) / scale)
    high = 1.0 if p == 1 else min(1.0, (centre + half) / scale)
    return (low, high)


def credit_interval(values: Values) -> Interval:
    """95 % score interval of a mean of credits, each 0, ½ or 1.

    A credit c is a win, a loss or a tie worth 2c − 1, so the mean credit is (1 + θ)/2 with
    θ = P(win) − P(loss), a difference of two probabilities of one trinomial. The interval of θ is
    Tango's (1998, Statistics in Medicine 17, 891–908): all θ with

        |w − l − nθ| ≤ z·√(n·(2q + θ − θ²)),   q the most likely probability of a loss, given θ

    where w, l are the numbers of wins and losses. Without ties this is Wilson's interval. Other
    credits between 0 and 1 are replaced by wins, losses and ties of the same mean and variance.

    >>> credit_interval([1.0] * 8 + [0.0] * 2) == wilson(0.8, 10)
    True
    >>> [round(limit, 3) for limit in credit_interval([0.5] * 10)]
    [0.361, 0.639]
    """
    n = len(values)
    if n == 0:
        return (0.0, 1.0)
    if min(values) < 0 or max(values) > 1:
        raise DataError("a credit is below 0 or above 1; credits are shares of a right answer")
    p = math.fsum(values) / n
    # c − c² is ¼ for a half and 0 for a whole credit
    halves = min(4 * math.fsum(c - c * c for c in values), 2 * n * min(p, 1 - p))
    if halves < _NO_HALVES:
        return wilson(p, n)
    wins = n * p - halves / 2
    low, high = _tango(wins, n - wins - halves, n)
    return ((1 + low) / 2, (1 + high) / 2)


def _tango(wins: float, losses: float, n: int) -> Interval:
    from scipy.optimize import brentq

    difference = wins - losses

    def outside(theta: float) -> float:
        """Above 0 where θ lies outside the interval."""
        b = (2 * n - difference) * theta - wins - losses
        c = -losses * theta * (1 - theta)
        q = (math.sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)
        variance = max(0.0, n * (2 * q + theta - theta * theta))
        return float((difference - n * theta) ** 2 - Z95 * Z95 * variance)

    middle, step = difference / n, 1e-9  # where all items tie, `outside` is 0 in the middle
    return (
        float(brentq(outside, -1.0, middle - step, xtol=1e-12)),
        float(brentq(outside, middle + step, 1.0, xtol=1e-12)),
    )


def accuracy_of(items: Iterable[float], ties: int = 0) -> Accuracy:
    """The mean of the items' credits, with its interval.

    >>> accuracy_of([1.0, 1.0, 0.0, 1.0]).accuracy
    0.75
    """
    values = list(items)
    if not values:
        raise DataError("no items to average; give at least one")
    return Accuracy(math.fsum(values) / len(values), len(values), ties, credit_interval(values))


def mean_accuracy(parts: Sequence[Accuracy]) -> Accuracy:
    """Unweighted mean of sets, as in the BLiMP paper, whatever their sizes.

    The interval combines the sets' own (`combined_interval`). It covers other items of the same
    sets; for other sets see `priscian.stats.sets`.
    """
    if not parts:
        raise DataError("no sets to average; give at least one")
    if len(parts) == 1:
        return parts[0]
    low, high = combined_interval([(a.accuracy, a.ci) for a in parts])
    return Accuracy(
        math.fsum(a.accuracy for a in parts) / len(parts),
        sum(a.n for a in parts),
        sum(a.ties for a in parts),
        (max(0.0, low), min(1.0, high)),
    )
