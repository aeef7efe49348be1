"""The paired test holds its level, and its correction that of a family of tests."""

from __future__ import annotations

import math

import numpy as np
import pytest

from priscian.stats.differences import holm, mid_p

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

    def test_the_published_value(self) -> None:
        # Cavo et al. (2012), 6 and 16; Fagerland, Lydersen & Laake (2017), chapter 8
        assert mid_p(6, 16) == pytest.approx(0.034690, abs=5e-7)

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
        known = {pair: mid_p(*pair) for pair in {(a, b) for a, b, _ in draws.tolist()}}
        rejected = np.mean([known[a, b] < 0.05 for a, b, _ in draws.tolist()])
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
