"""Lines against SciPy's, and Fieller's interval against the band that defines it."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

from priscian.errors import DataError
from priscian.stats.lines import crossing_interval, fit_line, fitted_line

DRAW = random.Random(5)
X = [DRAW.gauss(0, 1) for _ in range(60)]
Y = [0.4 * x + DRAW.gauss(0, 1) for x in X]
SIZES = [18.0, 20.0, 22.0, 24.0, 26.0]
SCORES = [0.55, 0.61, 0.66, 0.73, 0.78]


def test_the_line_and_the_slopes_interval_equal_scipys() -> None:
    theirs, found = stats.linregress(X, Y), fit_line(X, Y)
    assert fitted_line(X, Y) == pytest.approx((theirs.slope, theirs.intercept))
    assert (found.slope, found.intercept) == fitted_line(X, Y)
    half = stats.t.ppf(0.975, 58) * theirs.stderr
    assert found.ci == pytest.approx((theirs.slope - half, theirs.slope + half))


def test_the_crossing_lies_where_the_band_meets_the_level() -> None:
    line, level, n = fit_line(SIZES, SCORES), 0.9, len(SIZES)
    mean = sum(SIZES) / n
    sxx = sum((x - mean) ** 2 for x in SIZES)
    low, high = crossing_interval(SIZES, SCORES, line, level) or (math.nan, math.nan)
    for x, side in ((low, 1), (high, -1)):
        error = line.deviation * math.sqrt(1 / n + (x - mean) ** 2 / sxx)
        band = line.intercept + line.slope * x + side * stats.t.ppf(0.975, n - 2) * error
        assert band == pytest.approx(level)


def test_a_slope_that_may_be_zero_has_no_crossing() -> None:
    y = [0.5, 0.6, 0.5, 0.6]
    assert crossing_interval(SIZES[:4], y, fit_line(SIZES[:4], y), 0.9) is None


def test_too_few_points_are_refused() -> None:
    with pytest.raises(DataError, match="three or more"):
        fit_line([1, 2], [1, 2])
    with pytest.raises(DataError, match="two different x"):
        fitted_line([1, 1], [1, 2])
