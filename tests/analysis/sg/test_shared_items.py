"""Models that were scored on different numbers of items are compared on those that all have."""

from __future__ import annotations

import pytest
from tests.scored_runs import scored_suites

from priscian.analysis.sg.shared_items import NOTE, shared_accuracies


def test_the_items_that_all_have_decide() -> None:
    long = scored_suites("lstm", {"cleft": ("Gross", [1, 0, 0, 0]), "mvrr": ("Paths", [1, 0])})
    short = scored_suites("rnng", {"cleft": ("Gross", [1, 1]), "mvrr": ("Paths", [0, 1])})
    assert shared_accuracies([long, short]) == (
        [{"cleft": 0.5, "mvrr": 0.5}, {"cleft": 1.0, "mvrr": 0.5}],
        NOTE,
    )


def test_equal_numbers_are_taken_as_they_are() -> None:
    one, two = (scored_suites(m, {"cleft": ("Gross", [1, 0, 0.5])}) for m in ("a", "b"))
    assert shared_accuracies([one, two]) == ([{"cleft": pytest.approx(0.5)}] * 2, "")


def test_other_data_are_left_alone() -> None:
    own = scored_suites("a", {"cleft": ("Gross", [1, 0, 0, 0])})
    official = scored_suites("a", {"cleft": ("Gross", [1, 1])}, data="syntaxgym")
    assert shared_accuracies([own, official]) == ([{"cleft": 0.25}, {"cleft": 1.0}], "")
