"""Correlations against SciPy's, and intervals worked out by hand."""

from __future__ import annotations

import random

import pytest
from scipy import stats

from priscian.errors import DataError
from priscian.stats.correlations import (
    correlation_matrix,
    fitted_line,
    matthews,
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


def test_perfect_correlation_and_few_points() -> None:
    assert pearson([1, 2, 3, 4], [2, 4, 6, 8]).ci == (1.0, 1.0)
    assert pearson([1, 2], [2, 1]).ci == (-1.0, 1.0)


def test_matrix_is_symmetric_with_ones() -> None:
    found = correlation_matrix({"x": X, "y": Y, "t": TIED})
    assert found["x"]["x"] == 1.0
    assert found["x"]["y"] == found["y"]["x"] == pearson(X, Y).r


def test_fitted_line_equals_scipys() -> None:
    theirs = stats.linregress(X, Y)
    assert fitted_line(X, Y) == pytest.approx((theirs.slope, theirs.intercept))


def test_matthews_by_hand() -> None:
    # tp 2, tn 1, fp 1, fn 1: (2·1 − 1·1)/√(3·3·2·2) = 1/6
    truth = [True, True, True, False, False]
    guess = [True, True, False, False, True]
    assert matthews(truth, guess) == pytest.approx(1 / 6)
    assert matthews([True, False], [True, True]) == 0.0


def test_what_has_no_correlation_is_refused() -> None:
    with pytest.raises(DataError, match="all values are 1"):
        pearson([1.0, 1.0], [1.0, 2.0])
    with pytest.raises(DataError, match="cannot be correlated"):
        spearman([1.0], [2.0])
    with pytest.raises(DataError, match="2 labels and 1 guesses"):
        matthews([True, False], [True])
