"""Prefix methods against full sentences, on the very pairs that they judge."""

from __future__ import annotations

import pytest
from tests.scored_runs import rights, scored_pairs

from priscian.analysis.blimp.methods import methods
from priscian.errors import DataError

TAXONOMY = {"a": ("f", "agreement"), "b": ("f", "agreement"), "c": ("f", "islands")}
FULL = {"a": rights(8, 10), "b": rights(5, 10), "c": rights(9, 10)}
ONE = {"a": rights(9, 10), "b": [0.0] * 5 + [1.0] * 5}
SCORED = scored_pairs("m", FULL, TAXONOMY, prefixes={"one_prefix": ONE})


def test_full_sentences_are_judged_on_the_pairs_that_have_prefixes() -> None:
    rows = {row.name: row for row in methods([SCORED]).rows}
    assert list(rows) == ["agreement", "overall"]
    overall = rows["overall"]
    assert overall.full.accuracy == pytest.approx(0.65)  # not 0.733, the mean with c
    assert overall.accuracy.accuracy == pytest.approx(0.70)
    assert overall.difference == pytest.approx(0.05)
    assert (overall.accuracy.n, overall.paradigms) == (20, 2)


def test_pairs_judged_alike_are_counted() -> None:
    (agreement, _) = methods([SCORED]).rows
    assert agreement.same == pytest.approx((0.9 + 0.0) / 2)
    assert agreement.difference_ci[0] < 0 < agreement.difference_ci[1]


def test_a_clear_difference_is_told_from_nought() -> None:
    scored = scored_pairs(
        "m",
        {"a": rights(20, 100)},
        TAXONOMY,
        prefixes={"two_prefix": {"a": rights(60, 100)}},
    )
    row = methods([scored]).rows[0]
    assert row.difference_ci[0] > 0.28
    assert row.difference_ci[1] < 0.52


def test_data_without_prefixes_are_refused() -> None:
    with pytest.raises(DataError, match="full sentences only"):
        methods([scored_pairs("m", FULL, TAXONOMY)])


def test_the_figure_has_a_panel_for_each_method() -> None:
    found = methods(
        [scored_pairs("m", FULL, TAXONOMY, prefixes={"one_prefix": ONE, "two_prefix": ONE})]
    )
    (figure,) = found.figures
    assert [p["title"] for p in figure.chart["vconcat"]] == ["one-prefix", "two-prefix"]
    assert "n = 20 pairs (one-prefix), 20 pairs (two-prefix)" in figure.caption
    assert [row["name"] for row in figure.rows] == ["agreement", "overall"] * 2
