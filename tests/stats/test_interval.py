"""One interval from several: published values and hand-worked ones."""

from __future__ import annotations

import pytest
from scipy import stats

from priscian.stats.interval import Z95, combined_interval, student_t
from priscian.stats.proportions import wilson


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [  # Newcombe (1998), Statistics in Medicine 17, 873–890, Table II, method 10
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((0, 10), (0, 20), (-0.1611, 0.2775)),
        ((0, 10), (0, 10), (-0.2775, 0.2775)),
        ((10, 10), (0, 20), (0.6791, 1.0000)),
        ((10, 10), (0, 10), (0.6075, 1.0000)),
    ],
)
def test_a_difference_of_two_proportions_equals_newcombes_tables(
    first: tuple[int, int], second: tuple[int, int], expected: tuple[float, float]
) -> None:
    parts = [(right / n, wilson(right / n, n)) for right, n in (first, second)]
    assert combined_interval(parts, [1.0, -1.0]) == pytest.approx(expected, abs=5e-5)


def test_the_mean_of_two_by_hand() -> None:
    # distances below 0.3 and 0.4, above 0.6 and 0.8: √(0.09 + 0.16)/2 and √(0.36 + 0.64)/2
    found = combined_interval([(0.1, (-0.2, 0.7)), (-0.1, (-0.5, 0.7))])
    assert found == pytest.approx((-0.25, 0.5))


def test_a_negative_weight_swaps_the_limits() -> None:
    assert combined_interval([(0.3, (0.2, 0.7))], [-2.0]) == pytest.approx((-1.4, -0.4))


def test_the_points_of_the_normal_and_of_students_t_are_scipys() -> None:
    assert pytest.approx(stats.norm.ppf(0.975), abs=1e-15) == Z95
    for df in (1, 2, 5, 30, 1_000):
        assert student_t(df) == pytest.approx(stats.t.ppf(0.975, df), rel=1e-12)
