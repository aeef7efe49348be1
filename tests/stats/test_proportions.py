"""Accuracies and their intervals, against published and hand-worked values."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import DataError
from priscian.stats.proportions import (
    Accuracy,
    accuracy_of,
    credit_interval,
    mean_accuracy,
    wilson,
)


def share(right: int, n: int) -> Accuracy:
    return accuracy_of([1.0] * right + [0.0] * (n - right))


def credits_of(wins: int, losses: int, ties: int) -> list[float]:
    return [1.0] * wins + [0.0] * losses + [0.5] * ties


class TestWilson:
    @pytest.mark.parametrize(
        ("right", "n", "low", "high"),
        [  # Newcombe (1998), Statistics in Medicine 17, 857–872, Table I, method 3
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0000, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ],
    )
    def test_it_equals_the_published_one(self, right: int, n: int, low: float, high: float) -> None:
        assert wilson(right / n, n) == pytest.approx((low, high), abs=5e-5)

    def test_at_the_ends(self) -> None:
        assert wilson(0.0, 1000)[0] == 0.0
        assert wilson(1.0, 1000)[1] == 1.0
        assert wilson(1.0, 1000)[0] == pytest.approx(1000 / (1000 + 3.841459), abs=1e-9)
        assert wilson(0.3, 0) == (0.0, 1.0)

    @given(st.integers(1, 2000), st.floats(0, 1))
    def test_it_holds_the_share_and_mirrors(self, n: int, p: float) -> None:
        low, high = wilson(p, n)
        assert 0.0 <= low <= p + 1e-12
        assert p - 1e-12 <= high <= 1.0
        mirror = wilson(1 - p, n)
        assert (1 - mirror[1], 1 - mirror[0]) == pytest.approx((low, high), abs=1e-9)

    @pytest.mark.parametrize("p", [0.5, 0.6, 0.7, 0.8, 0.9, 0.97])
    def test_it_covers_93_to_97_per_cent(self, p: float) -> None:
        drawn = np.random.default_rng(1).binomial(1_000, p, size=20_000)
        limits = np.array([wilson(k / 1_000, 1_000) for k in range(1_001)])[drawn]
        assert 0.93 <= np.mean((limits[:, 0] <= p) & (p <= limits[:, 1])) <= 0.97


class TestTiesThatCountHalf:
    def test_the_interval_is_tangos_published_one(self) -> None:
        # Cavo et al. (2012): 6 and 16 discordant of 161; Fagerland, Lydersen & Laake (2017),
        # Statistical Analysis of Contingency Tables, chapter 8: Tango −0.1240 to −0.0054
        low, high = credit_interval(credits_of(6, 16, 139))
        assert (2 * low - 1, 2 * high - 1) == pytest.approx((-0.1240, -0.0054), abs=5e-5)

    def test_items_that_all_tie_still_have_a_width(self) -> None:
        # θ = z²/(n + z²) either way, so (1 ± 0.1611)/2 with Wilson's limit for 0 of 20
        assert credit_interval([0.5] * 20) == pytest.approx((0.41944, 0.58056), abs=1e-5)

    @given(st.integers(0, 40), st.integers(0, 40))
    def test_without_ties_it_is_wilsons_to_the_last_bit(self, wins: int, losses: int) -> None:
        if wins + losses:
            found = credit_interval(credits_of(wins, losses, 0))
            assert found == wilson(wins / (wins + losses), wins + losses)

    @given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 30))
    def test_it_is_no_wider_than_without_ties_and_mirrors(
        self, wins: int, losses: int, ties: int
    ) -> None:
        values = credits_of(wins, losses, ties)
        n, p = len(values), sum(values) / len(values)
        low, high = credit_interval(values)
        assert 0 <= low < p < high <= 1
        binomial = wilson(p, n)
        assert high - low <= binomial[1] - binomial[0] + 1e-9
        mirror = credit_interval([1 - v for v in values])
        assert (1 - mirror[1], 1 - mirror[0]) == pytest.approx((low, high), abs=1e-9)

    @pytest.mark.parametrize(
        ("win", "tie", "n"), [(0.45, 0.4, 60), (0.05, 0.9, 200), (0.7, 0.25, 30), (0.3, 0.5, 20)]
    )
    def test_it_covers_93_to_97_per_cent_where_wilson_covers_too_much(
        self, win: float, tie: float, n: int
    ) -> None:
        truth = win + tie / 2
        drawn = np.random.default_rng(2).multinomial(n, [win, 1 - win - tie, tie], size=2_000)
        known: dict[tuple[int, ...], tuple[bool, bool]] = {}
        for counts in map(tuple, drawn.tolist()):
            if counts not in known:
                low, high = credit_interval(credits_of(*counts))
                wide = wilson((counts[0] + counts[2] / 2) / n, n)
                known[counts] = (low <= truth <= high, wide[0] <= truth <= wide[1])
        ours, binomial = np.mean([known[tuple(c)] for c in drawn.tolist()], axis=0)
        assert 0.93 <= ours <= 0.97
        assert binomial > 0.97

    def test_other_credits_keep_their_mean_and_their_smaller_variance(self) -> None:
        values = [1.0, 0.75, 0.25, 0.5, 0.0] * 8
        low, high = credit_interval(values)
        wide = wilson(0.5, 40)
        assert wide[0] < low < 0.5 < high < wide[1]
        same = credit_interval(credits_of(10, 10, 20))  # Σ(c − c²) = 8·(2·3/16 + 1/4) = 5 = 20/4
        assert (low, high) == pytest.approx(same)

    def test_a_credit_outside_0_to_1_is_refused(self) -> None:
        with pytest.raises(DataError, match="below 0 or above 1"):
            credit_interval([0.5, 1.5])


class TestMeans:
    def test_a_mean_of_sets_is_unweighted(self) -> None:
        mean = mean_accuracy([share(10, 10), share(0, 1000)])
        assert mean.accuracy == 0.5
        assert mean.n == 1010

    def test_its_interval_by_hand(self) -> None:
        # p̄ = (81/263 + 15/148)/2 = .204668
        # below: .307985−.2553 = .0527, .101351−.0624 = .0390; √(.0527²+.0390²)/2 = .03277
        # above: .3662−.307985 = .0582, .1605−.101351 = .0591; √(.0582²+.0591²)/2 = .04149
        mean = mean_accuracy([share(81, 263), share(15, 148)])
        assert mean.accuracy == pytest.approx(0.204668, abs=1e-6)
        assert mean.ci == pytest.approx((0.17190, 0.24616), abs=1e-4)

    def test_the_interval_of_one_set_is_its_own(self) -> None:
        assert mean_accuracy([share(15, 148)]) == share(15, 148)

    @pytest.mark.parametrize("right", [0, 50])
    def test_it_has_a_width_at_the_ends(self, right: int) -> None:
        mean = mean_accuracy([share(right, 50)] * 4)
        one = share(right, 50).ci
        assert 0.0 <= mean.ci[0] <= mean.accuracy <= mean.ci[1] <= 1.0
        assert mean.ci[1] - mean.ci[0] == pytest.approx((one[1] - one[0]) / 2)  # √4 times narrower

    @given(
        st.lists(
            st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
            min_size=1,
        )
    )
    def test_it_stays_between_0_and_1_and_holds_the_mean(self, sets: list[tuple[int, int]]) -> None:
        mean = mean_accuracy([share(right, n) for right, n in sets])
        assert 0.0 <= mean.ci[0] <= mean.accuracy + 1e-12
        assert mean.accuracy - 1e-12 <= mean.ci[1] <= 1.0

    def test_it_covers_as_it_says(self) -> None:
        rng = random.Random(1)
        truth = [0.5, 0.8, 0.97, 0.6, 0.9]
        hits = 0
        for _ in range(2000):
            parts = [share(sum(rng.random() < t for _ in range(40)), 40) for t in truth]
            low, high = mean_accuracy(parts).ci
            hits += low <= sum(truth) / 5 <= high
        assert 0.93 < hits / 2000 < 0.97

    def test_nothing_has_no_mean(self) -> None:
        with pytest.raises(DataError, match="no sets"):
            mean_accuracy([])
        with pytest.raises(DataError, match="no items"):
            accuracy_of([])
