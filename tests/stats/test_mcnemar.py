"""The paired test holds its level, its correction the family's, its interval its coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from priscian.stats.mcnemar import holm, mean_of_intervals, mid_p, paired_interval

N = 1_000
SIMULATIONS = 20_000


def joint(p: float, rho: float) -> float:
    """Probability that one of two models of accuracy p alone is right, correlated by rho."""
    return p * (1 - p) * (1 - rho)


class TestMidP:
    @pytest.mark.parametrize(
        ("only_a", "only_b", "expected"),
        [(0, 0, 1.0), (3, 3, 1.0), (0, 1, 0.5), (1, 5, 8 / 64), (0, 6, 1 / 64)],
    )
    def test_by_hand(self, only_a: int, only_b: int, expected: float) -> None:
        assert mid_p(only_a, only_b) == pytest.approx(expected)
        assert mid_p(only_b, only_a) == mid_p(only_a, only_b)

    def test_as_exact_integers_give_it(self) -> None:
        for n in (7, 40, 301):
            for k in range(n // 2 + 1):
                below = sum(math.comb(n, i) for i in range(k))
                expected = (2 * below + math.comb(n, k)) / 2**n if 2 * k != n else 1.0
                assert mid_p(k, n - k) == pytest.approx(expected, rel=1e-9)

    def test_large_counts_agree_with_scipy(self) -> None:
        stats = pytest.importorskip("scipy.stats")
        for k, n in ((500, 1_100), (33_000, 67_000), (20_000, 67_000)):
            expected = 2 * stats.binom.cdf(k, n, 0.5) - stats.binom.pmf(k, n, 0.5)
            assert mid_p(k, n - k) == pytest.approx(expected, rel=1e-6, abs=1e-300)

    @pytest.mark.parametrize("p", [0.5, 0.7, 0.9, 0.97])
    @pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
    def test_equal_models_are_called_different_in_at_most_6_per_cent(
        self, p: float, rho: float
    ) -> None:
        q = joint(p, rho)
        draws = np.random.default_rng(1).multinomial(N, [q, q, 1 - 2 * q], size=SIMULATIONS)
        rejected = np.mean([mid_p(a, b) < 0.05 for a, b, _ in draws.tolist()])
        assert rejected <= 0.06
        if q * N > 20:  # with enough items to differ on it is not cautious either
            assert rejected >= 0.04

    def test_a_real_difference_is_found(self) -> None:
        draws = np.random.default_rng(2).multinomial(N, [0.06, 0.10, 0.84], size=2_000)
        assert np.mean([mid_p(a, b) < 0.05 for a, b, _ in draws.tolist()]) > 0.85


class TestHolm:
    def test_by_hand(self) -> None:
        found = holm({"a": 0.02, "b": 0.01, "c": 0.5, "d": 0.015})
        # 0.01·4; 0.015·3 = 0.045; 0.02·2 = 0.04, raised to the one before; 0.5
        assert found == pytest.approx({"a": 0.045, "b": 0.04, "c": 0.5, "d": 0.045})
        assert list(found) == ["a", "b", "c", "d"]

    def test_never_above_one_and_empty_is_empty(self) -> None:
        assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
        assert holm({}) == {}

    def test_a_family_of_67_equal_paradigms_errs_in_at_most_6_per_cent(self) -> None:
        q = joint(0.8, 0.5)
        draw = np.random.default_rng(3)
        families, once = 2_000, 0
        for _ in range(families):
            counts = draw.multinomial(N, [q, q, 1 - 2 * q], size=67).tolist()
            tested = {str(i): mid_p(a, b) for i, (a, b, _) in enumerate(counts)}
            once += min(holm(tested).values()) < 0.05
        assert 0.02 <= once / families <= 0.06


class TestPairedInterval:
    def test_by_hand(self) -> None:
        # 10 items, 3 won and 1 lost: D = 2/12, Σd² = 4, √((6/12 − 1/36)/12) = 0.198372…
        low, high = paired_interval([1, 1, 1, -1, 0, 0, 0, 0, 0, 0])
        half = 1.959963984540054 * math.sqrt((6 / 12 - (2 / 12) ** 2) / 12)
        assert (low, high) == pytest.approx((1 / 6 - half, 1 / 6 + half))

    def test_it_has_a_width_where_models_never_differ(self) -> None:
        low, high = paired_interval([0.0] * 100)
        assert low == -high < 0

    def test_it_stays_within_one(self) -> None:
        # D = 1/3, Σd² = 1: 1/3 ± 1.96·√((1 − 1/9)/3) = −0.7335, and 1.4 cut off
        assert paired_interval([1.0]) == (pytest.approx(-0.7335, abs=1e-4), 1.0)

    @pytest.mark.parametrize(
        ("n", "only_a", "only_b"),
        [(100, 0.1, 0.1), (100, 0.05, 0.2), (1_000, 0.1, 0.1), (1_000, 0.05, 0.2),
         (1_000, 0.02, 0.05)],
    )  # fmt: skip
    def test_it_covers_93_to_97_per_cent(self, n: int, only_a: float, only_b: float) -> None:
        rest = 1 - only_a - only_b
        draws = np.random.default_rng(4).multinomial(n, [only_a, only_b, rest], size=4_000)
        known: dict[tuple[int, int], tuple[float, float]] = {}
        covered = 0
        for a, b, c in draws.tolist():
            if (a, b) not in known:
                known[a, b] = paired_interval([-1.0] * a + [1.0] * b + [0.0] * c)
            low, high = known[a, b]
            covered += low <= only_b - only_a <= high
        assert 0.93 <= covered / len(draws) <= 0.97


class TestMeanOfIntervals:
    def test_by_hand(self) -> None:
        # distances below 0.3 and 0.4, above 0.6 and 0.8: √(0.09 + 0.16)/2 and √(0.36 + 0.64)/2
        found = mean_of_intervals([(0.1, (-0.2, 0.7)), (-0.1, (-0.5, 0.7))])
        assert found == pytest.approx((-0.25, 0.5))

    def test_it_covers_93_to_97_per_cent(self) -> None:
        shares = [(0.1, 0.1), (0.05, 0.2), (0.2, 0.1), (0.02, 0.05)]
        truth = np.mean([b - a for a, b in shares])
        draw = np.random.default_rng(5)
        covered, simulations, n = 0, 2_000, 300
        for _ in range(simulations):
            parts = []
            for a, b in shares:
                x, y, rest = draw.multinomial(n, [a, b, 1 - a - b]).tolist()
                parts.append(((y - x) / n, paired_interval([-1.0] * x + [1.0] * y + [0.0] * rest)))
            low, high = mean_of_intervals(parts)
            covered += low <= truth <= high
        assert 0.93 <= covered / simulations <= 0.97
