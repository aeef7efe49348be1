"""Differences of accuracies: by hand, and how often their intervals hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from priscian.errors import DataError
from priscian.metrics.accuracy import Accuracy, wilson
from priscian.stats.differences import (
    Difference,
    independent_difference,
    mean_difference,
    paired_difference,
)


def test_a_paired_interval_has_a_width_where_nothing_differs() -> None:
    found = paired_difference([1, 1, 0, 1] * 10, [1, 1, 0, 1] * 10)
    assert found.difference == 0
    half = 1.959964 * math.sqrt(2 / 42 / 42)
    assert found.ci == pytest.approx((-half, half), abs=1e-6)


@pytest.mark.parametrize(("up", "down"), [(0.02, 0.02), (0.10, 0.05), (0.3, 0.2)])
def test_paired_intervals_cover_the_truth(up: float, down: float) -> None:
    draw = np.random.default_rng(4)
    held = 0
    for _ in range(2000):
        change = draw.choice([1, -1, 0], 300, p=[up, down, 1 - up - down])
        low, high = paired_difference(change > 0, change < 0).ci
        held += low <= up - down <= high
    assert 0.93 <= held / 2000 <= 0.975


def test_lists_of_different_length_are_refused() -> None:
    with pytest.raises(DataError, match="same items"):
        paired_difference([1, 0], [1])


def test_the_mean_of_differences_joins_limits() -> None:
    parts = [Difference(0.1, 10, (0.0, 0.3)), Difference(0.3, 20, (0.2, 0.4))]
    found = mean_difference(parts)
    assert found.difference == pytest.approx(0.2)
    assert found.n == 30
    assert found.ci == pytest.approx(
        (0.2 - math.hypot(0.1, 0.1) / 2, 0.2 + math.hypot(0.2, 0.1) / 2)
    )


def test_newcombe_s_own_example() -> None:
    # Newcombe (1998), Table II: 56/70 − 48/80, method 10
    a, b = (Accuracy(r / n, n, 0, wilson(r / n, n)) for r, n in ((56, 70), (48, 80)))
    found = independent_difference(a, b)
    assert found.difference == pytest.approx(0.2)
    assert found.ci == pytest.approx((0.0524, 0.3339), abs=5e-5)
