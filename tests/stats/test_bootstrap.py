"""Bootstrap intervals against theory and against plain resampling."""

from __future__ import annotations

import math
import random

import pytest

from priscian.errors import DataError
from priscian.stats.bootstrap import item_interval, set_interval


def test_a_large_set_has_nearly_the_normal_interval() -> None:
    credits_ = [1.0] * 600 + [0.0] * 400
    half = 1.96 * math.sqrt(0.6 * 0.4 / 1000)
    low, high = item_interval(credits_)
    assert low == pytest.approx(0.6 - half, abs=0.003)
    assert high == pytest.approx(0.6 + half, abs=0.003)


def test_a_seed_fixes_the_interval_and_another_changes_it() -> None:
    sets = [[1.0, 0.0, 1.0] * 5, [0.0, 0.5, 1.0] * 7, [1.0] * 9]
    assert set_interval(sets, 3) == set_interval(sets, 3)
    assert set_interval(sets, 3) != set_interval(sets, 4)


def test_where_all_credits_are_alike_the_interval_is_wilsons() -> None:
    assert item_interval([1.0] * 20) == pytest.approx((0.8389, 1.0), abs=1e-4)
    assert item_interval([0.0] * 20) == pytest.approx((0.0, 0.1611), abs=1e-4)


def test_sets_and_items_are_resampled_as_a_plain_loop_does() -> None:
    sets = [[1.0] * 15 + [0.0] * 5, [0.5] * 10 + [0.0] * 10 + [1.0] * 4, [0.0] * 12 + [1.0] * 3]
    draw = random.Random(5)
    means = []
    for _ in range(6000):
        chosen = [draw.choice(sets) for _ in sets]
        parts = [[draw.choice(items) for _ in items] for items in chosen]
        means.append(sum(sum(p) / len(p) for p in parts) / len(parts))
    means.sort()
    low, high = set_interval(sets)
    assert low == pytest.approx(means[150], abs=0.02)
    assert high == pytest.approx(means[5850], abs=0.02)


def test_intervals_over_sets_are_wider_than_over_their_items_alone() -> None:
    sets = [[1.0] * 50, [0.0] * 50, [1.0] * 25 + [0.0] * 25]
    low, high = set_interval(sets)
    assert high - low > 0.5


def test_impossible_input_is_refused() -> None:
    with pytest.raises(DataError, match="no items"):
        item_interval([])
    with pytest.raises(DataError, match=r"a credit of 0\.3"):
        item_interval([0.3, 1.0])
