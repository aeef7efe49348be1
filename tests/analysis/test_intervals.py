"""Intervals are honest: they cover the truth as often as they say, and say what they are about."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.small_results import pairs_result, suites_result

from priscian.analysis.intervals import (
    Resample,
    find_resample,
    mean_interval,
    overall_interval,
    resampled_means,
    set_credits,
)
from priscian.errors import DataError, UsageError
from priscian.metrics.accuracy import Accuracy, mean_accuracy, wilson

N = 1_000
TRUTHS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.97)
SIMULATIONS = 20_000


def ones(right: int, n: int = N) -> np.ndarray:
    return np.repeat([1.0, 0.0], [right, n - right])


class TestCoverage:
    @pytest.mark.parametrize("p", TRUTHS)
    def test_of_a_set_by_wilson(self, p: float) -> None:
        drawn = np.random.default_rng(1).binomial(N, p, size=SIMULATIONS)
        limits = np.array([wilson(k / N, N) for k in range(N + 1)])[drawn]
        covered = np.mean((limits[:, 0] <= p) & (p <= limits[:, 1]))
        assert 0.93 <= covered <= 0.97

    @pytest.mark.parametrize("p", TRUTHS)
    def test_of_a_set_by_resampling_items(self, p: float) -> None:
        drawn = np.random.default_rng(2).binomial(N, p, size=SIMULATIONS).tolist()
        known = {k: mean_interval([ones(k)], "items", seed=k, draws=2_000) for k in set(drawn)}
        covered = np.mean([known[k][0] <= p <= known[k][1] for k in drawn])
        assert 0.93 <= covered <= 0.97

    def test_of_a_mean_of_sets_by_wilson(self) -> None:
        truths = np.linspace(0.5, 0.97, 12)
        draw = np.random.default_rng(3)
        covered = 0
        for _ in range(3_000):
            shares = (draw.binomial(N, truths) / N).tolist()
            low, high = mean_accuracy([Accuracy(p, N, 0, wilson(p, N)) for p in shares]).ci
            covered += low <= truths.mean() <= high
        assert 0.93 <= covered / 3_000 <= 0.97

    def test_of_a_mean_of_these_sets_by_resampling_items(self) -> None:
        truths = np.linspace(0.5, 0.97, 10)
        draw = np.random.default_rng(4)
        covered = 0
        for number in range(800):
            sets = [ones(k) for k in draw.binomial(N, truths)]
            low, high = mean_interval(sets, "items", seed=number, draws=1_000)
            covered += low <= truths.mean() <= high
        assert 0.93 <= covered / 800 <= 0.97

    @pytest.mark.parametrize("resample", ["sets", "both"])
    @pytest.mark.parametrize("k", [8, 16])
    def test_of_a_mean_of_other_sets_by_resampling_sets(self, resample: Resample, k: int) -> None:
        draw = np.random.default_rng(5)
        covered = 0
        for number in range(600):
            truths = draw.uniform(0.5, 0.97, size=k)
            sets = [ones(right) for right in draw.binomial(N, truths)]
            low, high = mean_interval(sets, resample, seed=number, draws=800)
            covered += low <= 0.735 <= high
        assert 0.93 <= covered / 600 <= 0.97

    def test_of_a_mean_of_small_sets_by_resampling_items(self) -> None:
        truths = np.linspace(0.3, 0.8, 12)
        draw = np.random.default_rng(8)
        covered = 0
        for number in range(2_000):
            sets = [ones(k, 10) for k in draw.binomial(10, truths)]
            low, high = mean_interval(sets, "items", seed=number, draws=1_000)
            covered += low <= truths.mean() <= high
        assert 0.93 <= covered / 2_000 <= 0.97

    def test_items_alone_do_not_cover_other_sets(self) -> None:
        draw = np.random.default_rng(6)
        covered = 0
        for number in range(200):
            sets = [ones(k) for k in draw.binomial(N, draw.uniform(0.5, 0.97, size=8))]
            low, high = mean_interval(sets, "items", seed=number, draws=500)
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
        one, same, other = (mean_interval(self.sets, "both", s, 200) for s in (1, 1, 2))
        assert one == same != other

    def test_it_stays_among_the_values(self) -> None:
        low, high = mean_interval([np.array([0.0, 1.0]), np.array([1.0, 0.0])], "items")
        assert (low, high) == (0.0, 1.0)

    def test_one_set_cannot_be_resampled(self) -> None:
        with pytest.raises(UsageError, match="one set cannot be resampled; use items"):
            mean_interval(self.sets[:1], "sets")

    def test_nothing_to_draw_from(self) -> None:
        with pytest.raises(DataError, match="no items to draw from"):
            resampled_means([np.array([])], "items")

    def test_an_unknown_way(self) -> None:
        with pytest.raises(UsageError, match="did you mean items"):
            find_resample("item")


JUDGED = {"wh_island": [1, 1, 0, 1], "passive_1": [0, 1]}


class TestOverall:
    def test_the_score_is_the_mean_of_sets(self) -> None:
        found = overall_interval(pairs_result("m", JUDGED))
        assert found.score == pytest.approx((0.75 + 0.5) / 2)
        assert (found.sets, found.items, found.resample) == (2, 6, "items")
        assert found.ci[0] < found.score < found.ci[1]

    def test_it_says_what_was_resampled(self) -> None:
        result = pairs_result("m", JUDGED)
        words = {
            way: overall_interval(result, resample=way, draws=500).words
            for way in ("items", "sets", "both")
        }
        assert words["items"].startswith("95 % bootstrap, 500 draws of items within each set")
        assert "draws of sets;" in words["sets"]
        assert "sets, and items within each" in words["both"]
        found = overall_interval(result, resample="both", draws=500).as_dict()
        assert (found["resample"], found["draws"]) == ("both", 500)

    def test_an_item_of_a_suite_counts_once_as_a_whole(self) -> None:
        result = suites_result("m", {"cleft": [1, 0, 0], "mvrr": [1, 1]})
        found = {name: values.tolist() for name, values in set_credits(result).items()}
        assert found == {"cleft": [1, 0, 0], "mvrr": [1, 1]}
        assert overall_interval(result).score == pytest.approx((1 / 3 + 1) / 2)

    def test_a_method_that_is_not_there(self) -> None:
        with pytest.raises(UsageError, match="no method 'one_prefix'; it has full"):
            overall_interval(pairs_result("m", JUDGED), "one_prefix")
