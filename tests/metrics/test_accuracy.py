"""Accuracies of sets, and their summary by the classes of a taxonomy."""

from __future__ import annotations

import msgspec
import pytest

from priscian.errors import DataError
from priscian.metrics import MethodScores, Outcome, summarise
from priscian.stats.proportions import Accuracy, credit_interval, wilson


def outcomes(credit, method="full"):
    return [Outcome(str(n), method, {}, 0.0, c, c == 0.5) for n, c in enumerate(credit)]


def set_accuracy(rows: list[Outcome]) -> Accuracy:
    return summarise({"p": rows}, {})["full"].paradigms["p"]


def test_a_set_counts_credit_and_ties():
    result = set_accuracy(outcomes([1.0, 0.0, 0.5, 0.5]))
    assert (result.accuracy, result.n, result.ties) == (0.5, 4, 2)
    assert result.ci == credit_interval([1.0, 0.0, 0.5, 0.5])
    assert summarise({"p": []}, {}) == {}  # a set without items has no accuracy


def test_a_tie_that_counts_as_wrong_is_a_wrong_item():
    rows = [Outcome("a", "full", {}, 0.0, 0.0, True), Outcome("b", "full", {}, 1.0, 1.0, False)]
    result = set_accuracy(rows)
    assert (result.accuracy, result.ties, result.ci) == (0.5, 1, wilson(0.5, 2))


TAXONOMY = {"p": ("syntax", "islands"), "q": ("syntax", "binding"), "r": ("morphology", "number")}


def test_a_summary_has_exactly_the_shape_of_the_file():
    by_set = {
        "p": outcomes([1.0, 1.0]) + outcomes([0.0, 0.0], "one_prefix"),
        "q": outcomes([0.0, 0.5]) + outcomes([1.0, 0.0], "two_prefix"),
        "r": outcomes([1.0] * 10),
    }
    found = summarise(by_set, TAXONOMY)
    summary = msgspec.to_builtins(found)
    assert list(summary) == ["full", "one_prefix", "two_prefix"]
    full = summary["full"]
    assert list(full) == ["overall", "fields", "phenomena", "levels", "paradigms"]
    assert list(full["overall"]) == ["accuracy", "n", "ties", "ci"]
    assert full["overall"]["accuracy"] == pytest.approx((1 + 0.25 + 1) / 3)  # not 12.5/14
    assert full["overall"]["n"] == 14
    assert full["overall"]["ties"] == 1
    assert {k: v["accuracy"] for k, v in full["fields"].items()} == {
        "syntax": 0.625,
        "morphology": 1.0,
    }
    assert {k: v["accuracy"] for k, v in full["phenomena"].items()} == {
        "islands": 1.0,
        "binding": 0.25,
        "number": 1.0,
    }
    assert list(full["paradigms"]) == ["p", "q", "r"]
    assert full["paradigms"]["p"]["ci"] == wilson(1.0, 2)
    assert list(summary["one_prefix"]["paradigms"]) == ["p"]
    assert list(summary["two_prefix"]["fields"]) == ["syntax"]
    assert msgspec.json.decode(msgspec.json.encode(found), type=dict[str, MethodScores]) == found


def test_sets_without_a_taxonomy_have_no_nodes():
    full = summarise({"p": outcomes([1.0])}, {}, levels=())["full"]
    assert full.fields == full.phenomena == {}
    assert full.overall.accuracy == 1.0


def test_a_short_path_fills_the_narrowest_level():
    full = summarise({"p": outcomes([1.0])}, {"p": ("islands",)})["full"]
    assert full.fields == {}
    assert list(full.phenomena) == ["islands"]


def test_other_levels_are_summarised_under_their_name():
    full = summarise({"p": outcomes([1.0])}, {"p": ("Agreement",)}, levels=("circuit",))["full"]
    assert list(full.levels["circuit"]) == ["Agreement"]
    assert full.phenomena == {}


def test_a_path_deeper_than_the_levels_is_refused():
    with pytest.raises(DataError, match="set p: its taxonomy a > b is deeper than the levels x"):
        summarise({"p": outcomes([1.0])}, {"p": ("a", "b")}, levels=("x",))


def test_nothing_gives_nothing():
    assert summarise({}, {}) == {}
