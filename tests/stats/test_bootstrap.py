"""Bootstrap intervals cover the truth as often as they say, and never lack a width."""

from __future__ import annotations

import math

import numpy as np
import pytest

from priscian.errors import DataError, UsageError
from priscian.stats.bootstrap import (
    Resample,
    credit_mean_interval,
    difference_mean_interval,
    resampled_means,
)
from priscian.stats.interval import combined_interval
from priscian.stats.proportions import accuracy_of, mean_accuracy, wilson
from priscian.stats.sets import credit_sets_interval, difference_sets_interval

N = 1_000
TRUTHS = (0.5, 0.7, 0.9, 0.97)
SIMULATIONS = 20_000


def ones(right: int, n: int = N) -> np.ndarray:
    return np.repeat([1.0, 0.0], [right, n - right])


class TestCoverage:
    @pytest.mark.parametrize("p", TRUTHS)
    def test_of_a_set_by_resampling_items(self, p: float) -> None:
        drawn = np.random.default_rng(2).binomial(N, p, size=SIMULATIONS).tolist()
        known = {
            k: credit_mean_interval([ones(k)], "items", seed=k, draws=2_000).ci for k in set(drawn)
        }
        covered = np.mean([known[k][0] <= p <= known[k][1] for k in drawn])
        assert 0.93 <= covered <= 0.97

    def test_of_a_mean_of_these_sets_by_resampling_items(self) -> None:
        truths = np.linspace(0.5, 0.97, 10)
        draw = np.random.default_rng(4)
        covered = 0
        for number in range(500):
            sets = [ones(k) for k in draw.binomial(N, truths)]
            low, high = credit_mean_interval(sets, "items", seed=number, draws=1_000).ci
            covered += low <= truths.mean() <= high
        assert 0.93 <= covered / 500 <= 0.97

    @pytest.mark.parametrize("resample", ["sets", "both"])
    @pytest.mark.parametrize("k", [10, 16])
    def test_of_a_mean_of_other_sets_by_resampling_sets(self, resample: Resample, k: int) -> None:
        draw = np.random.default_rng(5)
        covered = 0
        for number in range(600):
            truths = draw.uniform(0.5, 0.97, size=k)
            sets = [ones(right) for right in draw.binomial(N, truths)]
            low, high = credit_mean_interval(sets, resample, seed=number, draws=800).ci
            covered += low <= 0.735 <= high
        assert 0.93 <= covered / 600 <= 0.97

    def test_of_a_mean_of_small_sets_by_resampling_items(self) -> None:
        truths = np.linspace(0.3, 0.8, 12)
        draw = np.random.default_rng(8)
        covered = 0
        for number in range(700):
            sets = [ones(k, 10) for k in draw.binomial(10, truths)]
            low, high = credit_mean_interval(sets, "items", seed=number, draws=1_000).ci
            covered += low <= truths.mean() <= high
        assert 0.93 <= covered / 700 <= 0.97

    def test_items_alone_do_not_cover_other_sets(self) -> None:
        draw = np.random.default_rng(6)
        covered = 0
        for number in range(200):
            sets = [ones(k) for k in draw.binomial(N, draw.uniform(0.5, 0.97, size=8))]
            low, high = credit_mean_interval(sets, "items", seed=number, draws=500).ci
            covered += low <= 0.735 <= high
        assert covered / 200 < 0.5


class TestResampling:
    sets = (np.array([1.0, 1.0, 0.0, 0.5]), np.array([0.0, 1.0]), np.array([1.0, 1.0, 1.0]))

    @pytest.mark.parametrize("resample", ["items", "sets", "both"])
    def test_means_and_spread_are_those_of_the_bootstrap(self, resample: Resample) -> None:
        found = resampled_means(self.sets, resample, seed=7, draws=40_000)
        means = np.array([s.mean() for s in self.sets])
        within = np.array([s.var(ddof=1) / len(s) for s in self.sets])
        variance = {
            "items": within.mean() / 3,
            "sets": means.var() / 3,
            "both": (means.var() + within.mean()) / 3,
        }[resample]
        assert found.mean() == pytest.approx(means.mean(), abs=0.005)
        assert found.std() == pytest.approx(math.sqrt(variance), rel=0.03)

    def test_the_seed_decides(self) -> None:
        many = self.sets * 4
        one, same, other = (credit_mean_interval(many, "both", s, 200).ci for s in (1, 1, 2))
        assert one == same != other

    def test_it_stays_among_the_values(self) -> None:
        low, high = credit_mean_interval([np.array([0.0, 1.0]), np.array([1.0, 0.0])], "items").ci
        assert (low, high) == (0.0, 1.0)

    def test_one_set_cannot_be_resampled(self) -> None:
        with pytest.raises(UsageError, match="one set cannot be resampled; use items"):
            credit_mean_interval(self.sets[:1], "sets")

    def test_nothing_to_draw_from(self) -> None:
        with pytest.raises(DataError, match="no items to resample"):
            credit_mean_interval([np.array([])], "items")


class TestWhatCannotBeDrawn:
    def test_sets_that_are_all_right_have_the_joined_intervals_of_wilson(self) -> None:
        found = credit_mean_interval([np.ones(20)] * 4, "items")
        assert found.ci == mean_accuracy([accuracy_of([1.0] * 20)] * 4).ci
        assert found.draws == 0

    def test_a_set_of_one_value_adds_its_own_width(self) -> None:
        varied = np.repeat([1.0, 0.0], [6, 4])
        alone = credit_mean_interval([varied], "items").ci
        both = credit_mean_interval([varied, np.ones(10)], "items").ci
        parts = [(0.6, alone), (1.0, wilson(1.0, 10))]
        assert both == pytest.approx(combined_interval(parts))

    def test_identical_models_have_a_width(self) -> None:
        same = [np.zeros(50)] * 12
        for way in ("items", "sets", "both"):
            low, high = difference_mean_interval(same, way).ci
            assert low == pytest.approx(-high)
            assert 0.005 < high < 0.05

    @pytest.mark.parametrize("resample", ["sets", "both"])
    def test_few_sets_are_left_to_the_formula(self, resample: Resample) -> None:
        sets = [ones(k, 20) for k in (12, 15, 20)]
        found = credit_mean_interval(sets, resample)
        assert (found.ci, found.draws) == (credit_sets_interval(sets), 0)
        change = [s - 0.5 for s in sets]
        assert difference_mean_interval(change, resample).ci == difference_sets_interval(change)
        assert credit_mean_interval(sets * 4, resample, draws=200).draws == 200
