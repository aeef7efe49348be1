"""Straight lines: least squares with Student's intervals, and where a line reaches a level."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct, field

from priscian.errors import DataError
from priscian.stats.interval import Interval, student_t


class FittedLine(Struct, frozen=True):
    """A least-squares line of y on x."""

    slope: float
    ci: Interval = field(name="slope_ci")
    """95 % interval of the slope, Student's t with n − 2 degrees of freedom."""
    intercept: float
    deviation: float = field(name="residual_deviation")
    """Standard deviation of the residuals, with n − 2 degrees of freedom."""


def fitted_line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Slope and intercept of the least-squares line of y on x, two points or more."""
    mx, my, sxx = _centre(x, y)
    slope = math.fsum((a - mx) * (b - my) for a, b in zip(x, y, strict=True)) / sxx
    return slope, my - slope * mx


def fit_line(x: Sequence[float], y: Sequence[float]) -> FittedLine:
    """Least squares with intervals; needs three points or more.

    slope ± t·s/√Sxx with s² = Σ residual² / (n − 2) and Sxx = Σ(x − x̄)².

    >>> round(fit_line([1, 2, 3], [0.5, 0.6, 0.7]).slope, 6)
    0.1
    """
    n = len(x)
    if n < 3:
        raise DataError(f"{n} points give a line without an interval; give three or more")
    slope, intercept = fitted_line(x, y)
    squares = math.fsum((b - intercept - slope * a) ** 2 for a, b in zip(x, y, strict=True))
    deviation = math.sqrt(squares / (n - 2))
    half = student_t(n - 2) * deviation / math.sqrt(_centre(x, y)[2])
    return FittedLine(slope, (slope - half, slope + half), intercept, deviation)


def crossing_interval(
    x: Sequence[float], y: Sequence[float], line: FittedLine, level: float
) -> Interval | None:
    """Fieller's 95 % interval for the x at which a fitted line reaches a level.

    All x where the level lies in the line's 95 % band. With u = x − x̄ and d = level − ȳ these are
    the u between the roots of (b² − t²s²/Sxx)·u² − 2bd·u + d² − t²s²/n = 0. There are two roots
    only if the interval of the slope b excludes 0; otherwise None. Fieller (1954), J. Royal
    Statistical Society B 16, 175–185.
    """
    n = len(x)
    mx, my, _ = _centre(x, y)
    half = line.ci[1] - line.slope  # t·s/√Sxx
    a = line.slope**2 - half**2
    if a <= 0:
        return None
    d = level - my
    c = d * d - (student_t(n - 2) * line.deviation) ** 2 / n
    root = math.sqrt(max(0.0, (line.slope * d) ** 2 - a * c))
    return ((line.slope * d - root) / a + mx, (line.slope * d + root) / a + mx)


def _centre(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    """x̄, ȳ and Σ(x − x̄)²."""
    if len(x) != len(y) or len(x) < 2 or max(x) == min(x):
        raise DataError(f"{len(x)} and {len(y)} values have no line; give two different x or more")
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    return mx, my, math.fsum((a - mx) ** 2 for a in x)
