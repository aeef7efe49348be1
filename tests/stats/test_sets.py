"""Intervals for other sets: by hand, never empty, and their coverage for few sets."""

from __future__ import annotations

import math

import numpy as np
import pytest

from priscian.errors import DataError
from priscian.stats.differences import item_variance, paired_interval
from priscian.stats.proportions import credit_interval, wilson
from priscian.stats.sets import (
    credit_sets_interval,
    crossed_interval,
    difference_sets_interval,
    effective_items,
    shares_interval,
)

N = 24  # items of a set, as in SyntaxGym's suites


def ones(right: int, n: int = N) -> list[float]:
    return [1.0] * right + [0.0] * (n - right)


class TestCredits:
    def test_by_hand(self) -> None:
        # means ½, ¾, 1 of 24: p = ¾, s² = 1/16, ρ̂ = (⅓ − 1/24)/(23/24) = 7/23, averaged with 0.2:
        # (2·7/23 + 2·0.2)/4 = 0.252174, nₑ = 3/(0.252174 + 0.747826/24) = 10.5882; t of 4: 2.77645
        found = credit_sets_interval([ones(12), ones(18), ones(24)])
        assert found == pytest.approx(wilson(0.75, 10.58824, 2.776445105), abs=1e-6)

    def test_sets_that_differ_less_than_chance_keep_some_of_the_prior(self) -> None:
        # ρ̂ = 0, averaged to 2·0.2/5 = 0.08: nₑ = 4/(0.08 + 0.92/24) = 33.8028; t of 5: 2.57058
        found = credit_sets_interval([ones(18)] * 4)
        assert found == pytest.approx(wilson(0.75, 33.80282, 2.570581836), abs=1e-6)

    def test_perfect_sets_have_a_width_that_shrinks_with_their_number(self) -> None:
        # 1 − t²/(nₑ + t²): t² = 7.70865 and nₑ = 21.8182 for 3 sets, 5.98738 and 47.3684 for 5
        three, five = (credit_sets_interval([ones(24)] * k) for k in (3, 5))
        assert three == (pytest.approx(0.73893, abs=1e-5), 1.0)
        assert five == (pytest.approx(0.88778, abs=1e-5), 1.0)
        assert credit_sets_interval([ones(0)] * 5) == (0.0, pytest.approx(1 - five[0]))

    def test_the_size_of_the_sets_is_their_harmonic_mean(self) -> None:
        # 10 and 40 items count as 16 each
        found = credit_sets_interval([ones(10, 10), ones(40, 40)])
        assert found == pytest.approx(credit_sets_interval([ones(16, 16)] * 2))

    def test_sets_of_one_item_are_the_items_of_one_set(self) -> None:
        low, high = credit_sets_interval([[1.0]] * 8 + [[0.0]] * 2)
        assert (low, high) == pytest.approx(wilson(0.8, 10, 2.200985160))  # t of 11

    def test_one_set_has_the_interval_of_its_items(self) -> None:
        assert credit_sets_interval([ones(20)]) == credit_interval(ones(20))

    def test_nothing_to_average(self) -> None:
        with pytest.raises(DataError, match="no items"):
            credit_sets_interval([[1.0], []])

    @pytest.mark.parametrize("k", [2, 3, 5, 8, 16, 33])
    @pytest.mark.parametrize(
        ("mean", "alike"),
        [(0.5, 0.02), (0.5, 0.3), (0.8, 0.1), (0.8, 0.3), (0.95, 0.02), (0.95, 0.1)],
    )
    def test_it_covers_at_least_92_per_cent_from_2_sets_on(
        self, k: int, mean: float, alike: float
    ) -> None:
        """Accuracies of sets are beta-distributed, `alike` being the correlation within a set."""
        draw = np.random.default_rng(7)
        scale = 1 / alike - 1
        truths = draw.beta(mean * scale, (1 - mean) * scale, size=(500, k))
        covered = 0
        for right in draw.binomial(N, truths).tolist():
            low, high = credit_sets_interval([ones(r) for r in right])
            covered += low <= mean <= high
        assert covered / 500 >= 0.92
        if k == 33:  # few sets are treated with caution, many need little
            assert covered / 500 <= 0.98


class TestDifferences:
    def test_by_hand(self) -> None:
        # mean differences 0, ½, 1: ½ ± 4.30265·√(¼/3), cut off at 1
        sets = [[0.0] * 50, [1.0, 0.0] * 25, [1.0] * 50]
        assert difference_sets_interval(sets) == (pytest.approx(0.5 - 1.24207, abs=1e-4), 1.0)

    def test_models_that_differ_nowhere_have_a_width(self) -> None:
        # 2 pseudo-items of 52 in each set: variance 2/52/52 of a set, a third of that of the mean
        half = 4.302652729749464 * math.sqrt(2 / 52 / 52 / 3)
        assert item_variance([0.0] * 50) == pytest.approx(2 / 52 / 52)
        assert difference_sets_interval([[0.0] * 50] * 3) == pytest.approx((-half, half))

    def test_one_set_has_the_interval_of_its_items(self) -> None:
        assert difference_sets_interval([[1.0, 0.0, 0.0]]) == paired_interval([1.0, 0.0, 0.0])

    @pytest.mark.parametrize("k", [3, 5, 9])
    def test_it_covers_at_least_93_per_cent_from_3_sets_on(self, k: int) -> None:
        draw = np.random.default_rng(8)
        covered = 0
        for _ in range(600):
            better = draw.uniform(0.0, 0.4, size=k)  # mean 0.2; worse on a tenth of the items
            counts = [draw.multinomial(50, [b, 0.1, 0.9 - b]) for b in better]
            sets = [np.repeat([1.0, -1.0, 0.0], c) for c in counts]
            low, high = difference_sets_interval(sets)
            covered += low <= 0.1 <= high
        assert 0.93 <= covered / 600 <= 0.985


def test_the_interval_of_shares_is_that_of_the_items_they_come_from() -> None:
    sets = [[1.0] * 7 + [0.0] * 3, [1.0] * 4 + [0.0] * 6, [1.0] * 9 + [0.0]]
    assert shares_interval([0.7, 0.4, 0.9], [10, 10, 10]) == pytest.approx(
        credit_sets_interval(sets)
    )
    assert shares_interval([0.7], [10]) == credit_sets_interval(sets[:1])


def test_sets_that_differ_are_worth_few_items() -> None:
    # s² = .32, p(1 − p) = .24: ρ̂ = 1 at most, ρ = (1 + 2 · .2) / 3, nₑ = 2 / (ρ + (1 − ρ)/10)
    within = 1.4 / 3
    found = effective_items([0.2, 1.0], [10, 10])
    assert found == pytest.approx(2 / (within + (1 - within) / 10))
    assert effective_items([0.6], [10]) == 10
    with pytest.raises(DataError):
        effective_items([], [])


class TestCrossed:
    def test_by_hand(self) -> None:
        # two raters of two items, means 1 and ½ of both: p = ¾, s² = 1/8, ρ̂ = (⅔ − ½)/½ = 1/3,
        # averaged to (1/3 + 2·0.2)/3 = 11/45: nₑ = 2/(11/45 + (34/45)/2) = 45/14 as raters and as
        # items; 1/(14/45 + 14/45 − 1/4) = 180/67; t of 3: 3.182446
        answers = [("a", "x", 1.0), ("a", "y", 1.0), ("b", "x", 1.0), ("b", "y", 0.0)]
        assert crossed_interval(answers) == pytest.approx(wilson(0.75, 180 / 67, 3.182446305))

    def test_what_there_is_one_of_does_not_widen_it(self) -> None:
        one = [("a", str(n), float(n < 6)) for n in range(8)]
        assert crossed_interval(one) == pytest.approx(wilson(0.75, 8, 2.262157163))  # t of 9
        assert crossed_interval([("a", "x", 1.0)]) == pytest.approx(wilson(1.0, 1))
        assert crossed_interval([]) == (0.0, 1.0)

    @pytest.mark.parametrize(("raters", "items"), [(20, 5), (20, 20), (10, 40)])
    def test_it_covers_other_raters_and_items(self, raters: int, items: int) -> None:
        """Logits 2.5 ± 0.7 by rater ± 1.5 by item: intervals of independent answers hold ⅗."""
        rng = np.random.default_rng(3)

        def chances(rows: int, columns: int) -> np.ndarray:
            logits = 2.5 + rng.normal(0, 0.7, (rows, 1)) + rng.normal(0, 1.5, (1, columns))
            return 1 / (1 + np.exp(-logits))

        true = chances(2000, 2000).mean()
        held = independent = 0
        for _ in range(100):
            credit = rng.random((raters, items)) < chances(raters, items)
            low, high = crossed_interval(
                [(str(r), str(i), float(c)) for (r, i), c in np.ndenumerate(credit)]
            )
            held += low <= true <= high
            low, high = wilson(float(credit.mean()), credit.size)
            independent += low <= true <= high
        assert held >= 88
        assert independent <= 75
