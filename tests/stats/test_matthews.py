"""Matthews' correlation by hand, and an interval that covers and is never empty."""

from __future__ import annotations

import math

import numpy as np
import pytest

from priscian.errors import DataError
from priscian.stats.matthews import matthews, matthews_interval, matthews_of_counts


def labels(tp: int, tn: int, fp: int, fn: int) -> tuple[list[bool], list[bool]]:
    """Truth and guesses with so many in each cell."""
    truth = [True] * tp + [False] * tn + [False] * fp + [True] * fn
    return truth, [True] * tp + [False] * tn + [True] * fp + [False] * fn


def test_the_coefficient_by_hand() -> None:
    # tp 2, tn 1, fp 1, fn 1: (2·1 − 1·1)/√(3·3·2·2) = 1/6
    truth = [True, True, True, False, False]
    guess = [True, True, False, False, True]
    assert matthews(truth, guess) == pytest.approx(1 / 6)
    assert matthews([True, False], [True, True]) == 0.0


class TestInterval:
    def test_labels_that_agree_have_a_width(self) -> None:
        low, high = matthews_interval(*labels(10, 10, 0, 0)) or (math.nan, math.nan)
        assert 0.6 < low < 0.8
        assert high == 1.0
        low, high = matthews_interval(*labels(0, 0, 10, 10)) or (math.nan, math.nan)
        assert low == -1.0
        assert -0.8 < high < -0.6

    def test_one_label_has_none(self) -> None:
        assert matthews_interval([True] * 9, [True, False, True] * 3) is None
        assert matthews_interval([True, False, True] * 3, [True] * 9) is None

    def test_it_narrows_with_the_root_of_the_sentences(self) -> None:
        truth, guess = labels(20, 10, 10, 1)
        wide, narrow = (matthews_interval(truth * k, guess * k) or (0.0, 0.0) for k in (1, 16))
        assert (narrow[1] - narrow[0]) == pytest.approx((wide[1] - wide[0]) / 4, rel=0.15)

    def test_the_seed_decides(self) -> None:
        cells = labels(20, 10, 10, 1)
        assert matthews_interval(*cells, 3) == matthews_interval(*cells, 3)
        assert matthews_interval(*cells, 3) != matthews_interval(*cells, 4)

    @pytest.mark.parametrize(
        ("n", "acceptable", "hits", "rejections"),
        [(15, 0.5, 0.95, 0.95), (30, 0.7, 0.9, 0.4), (30, 0.85, 0.6, 0.6), (100, 0.7, 0.95, 0.95)],
    )
    def test_it_covers_at_least_92_per_cent(
        self, n: int, acceptable: float, hits: float, rejections: float
    ) -> None:
        bad = 1 - acceptable
        shares = [acceptable * hits, bad * rejections, bad * (1 - rejections),
                  acceptable * (1 - hits)]  # fmt: skip
        tp, tn, fp, fn = (round(1_000_000 * s) for s in shares)
        truth = matthews_of_counts(tp, tn, fp, fn)
        known: dict[tuple[int, ...], tuple[float, float] | None] = {}
        covered = []
        for counts in np.random.default_rng(6).multinomial(n, shares, size=600).tolist():
            key = tuple(counts)
            if key not in known:
                known[key] = matthews_interval(*labels(*counts))
            ci = known[key]
            if ci is not None:
                covered.append(ci[0] <= truth <= ci[1])
        assert 0.92 <= np.mean(covered) <= 0.99


def test_lists_of_different_length_are_refused() -> None:
    with pytest.raises(DataError, match="2 labels and 1 guesses"):
        matthews([True, False], [True])
