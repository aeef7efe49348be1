"""Mantel's test, worked out by hand and by going through all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from priscian.errors import DataError
from priscian.stats.correlations import mantel

ONE = np.array([[0, 1, 4, 5], [1, 0, 3, 6], [4, 3, 0, 2], [5, 6, 2, 0]], float)
OTHER = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]], float)


def test_r_is_pearsons_correlation_of_the_distances() -> None:
    # distances 1 4 5 3 6 2 and 0 1 1 1 1 0: Σxy − n·x̄ȳ = 18 − 6 · 3.5 · 2/3 = 4;
    # sums of squares 17.5 and 4/3
    assert mantel(ONE, OTHER).r == pytest.approx(4 / (17.5 * 4 / 3) ** 0.5)


def test_p_is_the_share_of_orders_with_as_high_a_correlation() -> None:
    upper = np.triu_indices(4, 1)
    every = [
        np.corrcoef(ONE[upper], OTHER[np.ix_(order, order)][upper])[0, 1]
        for order in permutations(range(4))
    ]
    exact = np.mean(np.array(every) >= mantel(ONE, OTHER).r - 1e-9)
    assert mantel(ONE, OTHER).p == pytest.approx(exact, abs=0.02)


def test_the_same_seed_gives_the_same_p() -> None:
    assert mantel(ONE, OTHER, seed=3) == mantel(ONE, OTHER, seed=3)


def test_equal_distances_have_no_correlation() -> None:
    assert np.isnan(mantel(ONE, np.ones((4, 4))).r)


def test_matrices_of_different_sizes_are_refused() -> None:
    with pytest.raises(DataError, match="one size"):
        mantel(ONE, OTHER[:3, :3])
