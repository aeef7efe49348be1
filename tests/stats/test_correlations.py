"""Correlations and their intervals against SciPy's, and at their limits."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

from priscian.errors import DataError
from priscian.stats.correlations import (
    correlation_matrix,
    pearson,
    ranks,
    spearman,
)

DRAW = random.Random(5)
X = [DRAW.gauss(0, 1) for _ in range(60)]
Y = [0.4 * x + DRAW.gauss(0, 1) for x in X]
TIED = [round(x) for x in X]


def test_pearson_and_its_interval_equal_scipys() -> None:
    found, theirs = pearson(X, Y), stats.pearsonr(X, Y)
    assert found.r == pytest.approx(theirs.statistic)
    low, high = theirs.confidence_interval()
    assert found.ci == pytest.approx((low, high))
    assert found.n == 60


def test_spearman_with_ties_equals_scipys() -> None:
    assert spearman(TIED, Y).r == pytest.approx(stats.spearmanr(TIED, Y).statistic)
    assert ranks(TIED) == list(stats.rankdata(TIED))


def test_spearmans_interval_is_wider_than_fishers() -> None:
    found = spearman(X, Y)
    fisher = pearson(ranks(X), ranks(Y))
    assert found.ci[0] < fisher.ci[0] < found.r < fisher.ci[1] < found.ci[1]


@pytest.mark.parametrize("n", [4, 5, 6, 8])
def test_a_perfect_order_excludes_zero_where_the_exact_test_does(n: int) -> None:
    # of n! orders one is right and one reversed: p = 2/n!, 0.083 for 4 points and 0.017 for 5
    x = list(range(n))
    low, high = spearman(x, [v * v for v in x]).ci
    assert high == 1.0
    assert (low > 0) == (2 / math.factorial(n) < 0.05)
    assert spearman(x, [-v for v in x]).ci == pytest.approx((-1.0, -low))


def test_perfect_correlation_and_few_points() -> None:
    assert pearson([1, 2, 3, 4], [2, 4, 6, 8]).ci == (1.0, 1.0)
    assert pearson([1, 2], [2, 1]).ci == (-1.0, 1.0)


def test_matrix_is_symmetric_with_ones() -> None:
    found = correlation_matrix({"x": X, "y": Y, "t": TIED})
    assert found["x"]["x"] == 1.0
    assert found["x"]["y"] == found["y"]["x"] == pearson(X, Y).r


def test_what_has_no_correlation_is_refused() -> None:
    with pytest.raises(DataError, match="all values are 1"):
        pearson([1.0, 1.0], [1.0, 2.0])
    with pytest.raises(DataError, match="cannot be correlated"):
        spearman([1.0], [2.0])
