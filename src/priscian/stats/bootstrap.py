"""Bootstrap intervals of the unweighted mean of sets' means: of credits, or of differences.

What is resampled decides what the interval covers: other items of the same sets (`items`), other
sets (`sets`), or other sets and, in each, other items (`both`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

from priscian.errors import DataError, UsageError
from priscian.stats.differences import paired_interval
from priscian.stats.interval import Interval, Values, combined_interval, student_t
from priscian.stats.proportions import credit_interval
from priscian.stats.sets import credit_sets_interval, difference_sets_interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

Resample = Literal["items", "sets", "both"]
DRAWS = 10_000
TAIL = 0.025
FEW_SETS = 10
"""With fewer sets the formula is used, which has better coverage."""


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A 95 % interval of a mean of sets, and how many samples were drawn for it (0: none)."""

    ci: Interval
    draws: int


def credit_mean_interval(
    sets: Sequence[Array], resample: Resample, seed: int = 0, draws: int = DRAWS
) -> MeanInterval:
    """The interval of the mean of sets of credits, each from 0 to 1."""
    return _Mean(sets, credit_interval, credit_sets_interval, 0.0).interval(resample, seed, draws)


def difference_mean_interval(
    sets: Sequence[Array], resample: Resample, seed: int = 0, draws: int = DRAWS
) -> MeanInterval:
    """The interval of the mean of sets of paired differences of credits, each from −1 to 1."""
    return _Mean(sets, paired_interval, difference_sets_interval, -1.0).interval(
        resample, seed, draws
    )


@dataclass(frozen=True, slots=True)
class _Mean:
    """Sets of values from `least` to 1, and the formulas for what cannot be resampled."""

    sets: Sequence[Array]
    of_items: Callable[[Values], Interval]
    of_sets: Callable[[Sequence[Values]], Interval]
    least: float

    def interval(self, resample: Resample, seed: int, draws: int) -> MeanInterval:
        if not self.sets or not all(map(len, self.sets)):
            raise DataError("no items to resample; give at least one")
        if resample == "items":
            return self._other_items(seed, draws)
        return self._other_sets(resample, seed, draws)

    def _other_items(self, seed: int, draws: int) -> MeanInterval:
        """Percentiles of resampled means.

        A set whose items all have one value only ever draws that value, yet it is not certain: it
        has the interval of its formula, and both parts are joined (`combined_interval`).
        """
        varying = [s for s in self.sets if s.min() < s.max()]
        constant = [s for s in self.sets if s.min() == s.max()]
        parts = [(float(s[0]), self.of_items(s)) for s in constant]
        weights = [1 / len(self.sets)] * len(constant)
        if varying:
            mean = math.fsum(float(s.mean()) for s in varying) / len(varying)
            means = resampled_means(varying, "items", seed, draws)
            parts.append((mean, _percentiles(means, TAIL)))
            weights.append(len(varying) / len(self.sets))
        ci = combined_interval(parts, weights) if constant else parts[0][1]
        return MeanInterval(self._inside(ci), draws if varying else 0)

    def _other_sets(self, resample: Resample, seed: int, draws: int) -> MeanInterval:
        """Percentiles of resampled means, moved outwards to correct for few sets.

        For k sets they are Φ(−t·√(k/(k − 1))) with t of k − 1 degrees of freedom, because plain
        ones are too narrow: Hesterberg (2015), The American Statistician 69, 371–386. Fewer than
        ten sets, or sets that all have one mean, are left to the formula. The means of sets include
        the chance of their items, so `both`, which draws items again, is a little wide.
        """
        k = len(self.sets)
        if k < 2:
            raise UsageError("one set cannot be resampled; use items")
        own = [float(s.mean()) for s in self.sets]
        if k < FEW_SETS or min(own) == max(own):
            return MeanInterval(self.of_sets(self.sets), 0)
        tail = NormalDist().cdf(-student_t(k - 1) * math.sqrt(k / (k - 1)))
        means = resampled_means(self.sets, resample, seed, draws)
        return MeanInterval(self._inside(_percentiles(means, tail)), draws)

    def _inside(self, ci: Interval) -> Interval:
        return (max(self.least, ci[0]), min(1.0, ci[1]))


def _percentiles(means: Array, tail: float) -> Interval:
    import numpy as np

    low, high = np.quantile(means, [tail, 1 - tail])
    return (float(low), float(high))


def resampled_means(
    sets: Sequence[Array], resample: Resample, seed: int = 0, draws: int = DRAWS
) -> Array:
    """The mean of sets' means in each of many resamples.

    Few values are different (0, ½ and 1, or their differences), so resampling the items of a set
    is one multinomial draw of how often each value comes up.
    """
    import numpy as np

    draw = np.random.default_rng(seed)
    k = len(sets)
    if resample == "sets":
        own = np.array([np.mean(items) for items in sets])
        drawn: Array = own[draw.integers(k, size=(draws, k))].mean(axis=1)
        return drawn
    if resample == "items":
        total = np.zeros(draws)
        for items in sets:
            total += _item_means(items, draw, draws)
        return total / k
    which = draw.integers(k, size=(draws, k))  # (draws, sets)
    means = np.empty((draws, k))
    for number, items in enumerate(sets):
        chosen = which == number
        means[chosen] = _item_means(items, draw, int(chosen.sum()))
    both: Array = means.mean(axis=1)
    return both


def _item_means(items: Array, draw: np.random.Generator, size: int) -> Array:
    """Means of resampled items of one set, their spread widened by √(n/(n − 1)).

    A plain bootstrap has the variance of the sample with divisor n, which matters for few items.
    """
    import numpy as np

    values, counts = np.unique(items, return_counts=True)
    n = len(items)
    times = draw.multinomial(n, counts / n, size=size)  # (size, values)
    own = float(items.mean())
    means: Array = own + (times @ values / n - own) * math.sqrt(n / max(n - 1, 1))
    return means
