"""Thresholds and Matthews' correlation, by hand and against every threshold there is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import DataError
from priscian.metrics.labels import Matthews, best_threshold, matthews_of
from priscian.stats.matthews import matthews, matthews_interval


def test_a_threshold_by_hand() -> None:
    # above 3.5: tp 2, fp 0, fn 1, tn 2 is better than any other cut
    scores = [1.0, 2.0, 3.0, 4.0, 5.0]
    assert best_threshold(scores, [False, True, False, True, True]) == 3.5


def test_equal_scores_are_never_parted() -> None:
    assert best_threshold([1.0, 1.0, 1.0, 2.0], [False, True, True, True]) == 1.5


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=20))
def test_no_threshold_is_better(rows: list[tuple[int, bool]]) -> None:
    scores, truth = [float(s) for s, _ in rows], [t for _, t in rows]
    if len(set(scores)) < 2 or len(set(truth)) < 2:
        with pytest.raises(DataError):
            best_threshold(scores, truth)
        return
    found = best_threshold(scores, truth)
    best = matthews(truth, [s > found for s in scores])
    for cut in range(int(min(scores)), int(max(scores))):
        assert matthews(truth, [s > cut + 0.5 for s in scores]) <= best + 1e-12


def test_an_interval_holds_the_coefficient() -> None:
    truth, guess = [True, True, False, False] * 10, [True, True, False, True] * 10
    found = matthews_of(truth, guess)
    assert (found.n, found.acceptable) == (40, 20)
    assert found.mcc == pytest.approx(1 / math.sqrt(3))  # tp 20, tn 10, fp 10, fn 0
    assert found.ci == matthews_interval(truth, guess)
    assert found.ci is not None
    assert found.ci[0] < found.mcc < found.ci[1]


def test_labels_that_agree_have_an_interval_with_a_width() -> None:
    found = matthews_of([True, False] * 20, [True, False] * 20)
    assert found.mcc == 1.0
    assert found.ci is not None
    assert found.ci[0] < 0.95 < found.ci[1] == 1.0


def test_guesses_that_are_all_alike_have_no_interval() -> None:
    found = matthews_of([True, False] * 20, [True] * 40)
    assert found == Matthews(0.0, 40, 20, None)


def test_one_label_has_no_coefficient() -> None:
    found = matthews_of([False, False], [True, False])
    assert found == Matthews(None, 2, 0, None)


@pytest.mark.parametrize(
    ("scores", "truth", "line"),
    [
        ([1.0], [True, False], "1 scores and 2 labels"),
        ([2.0, 2.0], [True, False], "all 2 scores are 2"),
        ([1.0, 2.0], [True, True], "all sentences have one label"),
        ([1.0, math.nan], [True, False], "NaN or infinite"),
    ],
)
def test_what_has_no_threshold(scores: list[float], truth: list[bool], line: str) -> None:
    with pytest.raises(DataError, match=line):
        best_threshold(scores, truth)
