"""Differences of accuracies: published values, by hand, and how often their intervals hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from priscian.errors import DataError
from priscian.stats.differences import (
    Difference,
    independent_difference,
    mean_difference,
    paired_difference,
    paired_interval,
)
from priscian.stats.proportions import accuracy_of


class TestPairedInterval:
    def test_it_equals_the_published_one(self) -> None:
        # Cavo et al. (2012): 6 and 16 discordant of 161; Fagerland, Lydersen & Laake (2017),
        # Statistical Analysis of Contingency Tables, chapter 8: Bonett and Price −0.1195, −0.0032
        found = paired_interval([1.0] * 6 + [-1.0] * 16 + [0.0] * 139)
        assert found == pytest.approx((-0.1195, -0.0032), abs=5e-5)

    def test_by_hand(self) -> None:
        # 10 items, 3 won and 1 lost: D = 2/12, Σd² = 4, √((6/12 − 1/36)/12) = 0.198372…
        low, high = paired_interval([1, 1, 1, -1, 0, 0, 0, 0, 0, 0])
        half = 1.959963984540054 * math.sqrt((6 / 12 - (2 / 12) ** 2) / 12)
        assert (low, high) == pytest.approx((1 / 6 - half, 1 / 6 + half))

    def test_half_credits_have_a_quarter_of_the_square(self) -> None:
        # d = ½, −½, 0, ½: D = ½/6, Σd² = ¾, so 1.96·√((2.75/6 − 1/144)/6)
        half = 1.959963984540054 * math.sqrt((2.75 / 6 - 1 / 144) / 6)
        found = paired_difference([1, 0, 1, 0.5], [0.5, 0.5, 1, 0])
        assert found.difference == pytest.approx(0.125)
        assert found.ci == pytest.approx((1 / 12 - half, 1 / 12 + half))

    def test_it_has_a_width_where_models_never_differ(self) -> None:
        low, high = paired_interval([0.0] * 40)
        half = 1.959964 * math.sqrt(2 / 42 / 42)
        assert (low, high) == pytest.approx((-half, half), abs=1e-6)

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

    def test_it_covers_93_to_97_per_cent_where_ties_count_half(self) -> None:
        values, shares = np.array([-1, -0.5, 0, 0.5, 1.0]), [0.02, 0.2, 0.4, 0.35, 0.03]
        truth = float(values @ shares)
        draws = np.random.default_rng(5).multinomial(100, shares, size=2_000)
        limits = np.array([paired_interval(np.repeat(values, counts)) for counts in draws])
        assert 0.93 <= np.mean((limits[:, 0] <= truth) & (truth <= limits[:, 1])) <= 0.97

    def test_lists_of_different_length_are_refused(self) -> None:
        with pytest.raises(DataError, match="same items"):
            paired_difference([1, 0], [1])


class TestMeans:
    def test_the_mean_of_differences_joins_limits(self) -> None:
        parts = [Difference(0.1, 10, (0.0, 0.3)), Difference(0.3, 20, (0.2, 0.4))]
        found = mean_difference(parts)
        assert found.difference == pytest.approx(0.2)
        assert found.n == 30
        assert found.ci == pytest.approx(
            (0.2 - math.hypot(0.1, 0.1) / 2, 0.2 + math.hypot(0.2, 0.1) / 2)
        )

    def test_it_covers_93_to_97_per_cent(self) -> None:
        shares = [(0.1, 0.1), (0.05, 0.2), (0.2, 0.1), (0.02, 0.05)]
        truth = np.mean([b - a for a, b in shares])
        draw = np.random.default_rng(5)
        covered, simulations, n = 0, 2_000, 300
        for _ in range(simulations):
            parts = []
            for a, b in shares:
                x, y, rest = draw.multinomial(n, [a, b, 1 - a - b]).tolist()
                change = [-1.0] * x + [1.0] * y + [0.0] * rest
                parts.append(Difference((y - x) / n, n, paired_interval(change)))
            low, high = mean_difference(parts).ci
            covered += low <= truth <= high
        assert 0.93 <= covered / simulations <= 0.97


def test_different_items_have_newcombes_interval() -> None:
    # Newcombe (1998), Table II: 56/70 − 48/80, method 10
    a, b = (accuracy_of([1.0] * r + [0.0] * (n - r)) for r, n in ((56, 70), (48, 80)))
    found = independent_difference(a, b)
    assert found.difference == pytest.approx(0.2)
    assert found.n == 150
    assert found.ci == pytest.approx((0.0524, 0.3339), abs=5e-5)
