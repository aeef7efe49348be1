"""What an interval is, and how the intervals of several estimates become one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Values: TypeAlias = "Sequence[float] | npt.NDArray[np.float64]"
Interval = tuple[float, float]
"""A lower and an upper limit; 95 % unless stated otherwise."""
Z95 = 1.959963984540054  # the 97.5 % quantile of the standard normal


@cache
def student_t(df: float) -> float:
    """The 97.5 % quantile of Student's t.

    >>> round(student_t(10), 6)
    2.228139
    """
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.975))


def combined_interval(
    parts: Sequence[tuple[float, Interval]], weights: Sequence[float] | None = None
) -> Interval:
    """95 % interval of Σ wᵢθᵢ from independent estimates (θ̂ᵢ, (lᵢ, uᵢ)).

    MOVER, the method of variance estimates recovery: each limit's distance from its estimate stands
    for the standard error on that side. With e = Σ wᵢθ̂ᵢ the limits are

        e − √Σ(wᵢθ̂ᵢ − min(wᵢlᵢ, wᵢuᵢ))²   and   e + √Σ(max(wᵢlᵢ, wᵢuᵢ) − wᵢθ̂ᵢ)²

    Zou, Huang & Zhang (2009), Computational Statistics & Data Analysis 53, 1080–1085. For θ₁ − θ₂
    with Wilson's limits it is method 10 of Newcombe (1998), Statistics in Medicine 17, 873–890. It
    has a width where every estimate is 0 or 1, as long as the parts' intervals have one. Without
    weights it is the interval of the unweighted mean.

    >>> low, high = combined_interval([(0.5, (0.2, 0.8)), (0.5, (0.1, 0.9))])
    >>> round(low, 9), round(high, 9)
    (0.25, 0.75)
    """
    weights = [1 / len(parts)] * len(parts) if weights is None else weights
    sums, below, above = [], [], []
    for (estimate, limits), weight in zip(parts, weights, strict=True):
        scaled = weight * estimate
        ends = (weight * limits[0], weight * limits[1])
        sums.append(scaled)
        below.append((scaled - min(ends)) ** 2)
        above.append((max(ends) - scaled) ** 2)
    centre = math.fsum(sums)
    return (centre - math.sqrt(math.fsum(below)), centre + math.sqrt(math.fsum(above)))
