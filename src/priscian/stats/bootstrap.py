"""Bootstrap intervals of means: over the items of a set, and over sets and their items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from priscian.errors import DataError
from priscian.metrics.accuracy import Interval, wilson

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

DRAWS = 10_000
LIMITS = (2.5, 97.5)  # per cent


def item_interval(items: Sequence[float], seed: int = 0) -> Interval:
    """95 % percentile interval of a mean credit, other items drawn from the same set.

    Where every item has the same credit nothing else can be drawn, and the interval is Wilson's:
    a hundred items right of a hundred do not prove that none is ever wrong.
    """
    if items and len(set(items)) == 1:
        return wilson(items[0], len(items))
    return _interval([items], seed, over_sets=False)


def set_interval(sets: Sequence[Sequence[float]], seed: int = 0) -> Interval:
    """95 % percentile interval of the mean of sets' means, other sets and other items drawn.

    Each replicate draws as many sets as there are, with replacement, then the items of each.
    """
    return _interval(sets, seed, over_sets=True)


def _interval(sets: Sequence[Sequence[float]], seed: int, *, over_sets: bool) -> Interval:
    import numpy as np

    if not sets or not all(sets):
        raise DataError("no items to draw from; give at least one")
    draw = np.random.default_rng(seed)
    shape = (DRAWS, len(sets))
    which = draw.integers(len(sets), size=shape) if over_sets else np.zeros(shape, dtype=np.int64)
    means = _item_means(sets, which, draw).mean(axis=1)  # (draws,)
    low, high = np.percentile(means, LIMITS)
    return (float(low), float(high))


def _item_means(
    sets: Sequence[Sequence[float]], which: npt.NDArray[np.int64], draw: np.random.Generator
) -> Array:
    """The mean of resampled items in each set that was drawn.

    A credit is 0, ½ or 1, so resampling n items is drawing how many are full, then how many of the
    others are half.
    """
    import numpy as np

    strangers = {c for items in sets for c in items} - {0.0, 0.5, 1.0}
    if strangers:
        raise DataError(f"a credit of {min(strangers)}; it must be 0, 0.5 or 1")
    n = np.array([len(c) for c in sets])
    full = np.array([sum(x == 1.0 for x in c) / len(c) for c in sets])
    half = np.array([sum(x == 0.5 for x in c) / len(c) for c in sets])
    rest = np.where(full < 1, half / np.where(full < 1, 1 - full, 1.0), 0.0)
    wins = draw.binomial(n[which], full[which])
    halves = draw.binomial(n[which] - wins, np.minimum(rest, 1.0)[which])
    means: Array = (wins + 0.5 * halves) / n[which]
    return means
