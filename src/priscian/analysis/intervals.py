"""Intervals of an overall score: other items, other paradigms, or both are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from priscian.analysis.scored import Scored
from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.metrics.accuracy import Interval
from priscian.stats.distributions import student_t_quantile

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

Resample = Literal["items", "sets", "both"]
DRAWS = 10_000
TAIL = 0.025

WHAT_IS_DRAWN: dict[Resample, str] = {
    "items": "items within each set; it speaks of other items of the same sets",
    "sets": "sets; it speaks of other sets of the same kind",
    "both": "sets, and items within each; it speaks of other sets with other items",
}


@dataclass(frozen=True, slots=True)
class OverallInterval:
    """A mean of sets and its 95 % bootstrap interval, with what was resampled."""

    score: float
    ci: Interval
    resample: Resample
    sets: int
    items: int
    draws: int

    @property
    def words(self) -> str:
        """How the interval was made, for a caption."""
        return f"95 % bootstrap, {self.draws:,} draws of {WHAT_IS_DRAWN[self.resample]}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "score": self.score,
            "ci": list(self.ci),
            "resample": self.resample,
            "sets": self.sets,
            "items": self.items,
            "draws": self.draws,
        }


def find_resample(name: str) -> Resample:
    """items, sets or both."""
    if name not in get_args(Resample):
        raise UnknownNameError("way to resample", name, get_args(Resample))
    return cast(Resample, name)


def overall_interval(
    scored: Scored,
    method: str = "full",
    resample: Resample = "items",
    seed: int = 0,
    draws: int = DRAWS,
) -> OverallInterval:
    """The overall score, a mean of sets, with an interval that says what it is about."""
    credit = list(set_credits(scored, method).values())
    mean = math.fsum(float(c.mean()) for c in credit) / len(credit)
    ci = mean_interval(credit, resample, seed, draws)
    return OverallInterval(mean, ci, resample, len(credit), sum(map(len, credit)), draws)


def set_credits(scored: Scored, method: str = "full") -> dict[str, Array]:
    """The credit of every item, by set: of a pair by a method, of a suite's item as a whole."""
    import polars

    if scored.kind == "suites":
        frame = scored.items.unique(["set", "item"], keep="first", maintain_order=True).select(
            "set", credit="item_correct"
        )
    else:
        frame = scored.items.filter(polars.col("method") == method).select("set", credit="correct")
    groups = frame.group_by("set", maintain_order=True).agg("credit").collect()
    if not len(groups):
        known = ", ".join(scored.methods) or "none"
        raise UsageError(f"{scored.model} on {scored.data}: no method {method!r}; it has {known}")
    return {name: values.to_numpy() for name, values in zip(*groups.get_columns(), strict=True)}


def mean_interval(
    sets: Sequence[Array], resample: Resample, seed: int = 0, draws: int = DRAWS
) -> Interval:
    """95 % bootstrap interval of the unweighted mean of sets' means.

    Percentiles of the resampled means. Where k sets are drawn, percentiles are moved outwards to
    Φ(−t·√(k/(k − 1))), t with k − 1 degrees of freedom, because plain ones are too narrow for few
    sets: Hesterberg (2015), The American Statistician 69, 371–386. The means of sets carry the
    noise of their items already, so `both`, which draws items again, is a little wide. A set whose
    items all have one value adds nothing to `items`: nothing else can be drawn from it.
    """
    import numpy as np

    tail = TAIL
    if resample != "items":
        k = len(sets)
        if k < 2:
            raise UsageError("one set cannot be resampled; use items")
        tail = NormalDist().cdf(-student_t_quantile(1 - TAIL, k - 1) * math.sqrt(k / (k - 1)))
    means = resampled_means(sets, resample, seed, draws)
    low, high = np.quantile(means, [tail, 1 - tail])
    least, most = min(s.min() for s in sets), max(s.max() for s in sets)
    return (max(float(low), float(least)), min(float(high), float(most)))


def resampled_means(
    sets: Sequence[Array], resample: Resample, seed: int = 0, draws: int = DRAWS
) -> Array:
    """The mean of sets' means in each of many resamples.

    Few values are different (0, ½ and 1, or their differences), so resampling the items of a set
    is one multinomial draw of how often each value comes up.
    """
    import numpy as np

    if not sets or not all(map(len, sets)):
        raise DataError("no items to draw from; give at least one")
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
