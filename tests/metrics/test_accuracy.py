"""Accuracies and their intervals, against published and hand-worked values."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import DataError
from priscian.metrics import Accuracy, Outcome, mean_accuracy, set_accuracy, summarise, wilson


def outcomes(credit, method="full"):
    return [Outcome(str(n), method, {}, 0.0, c, c == 0.5) for n, c in enumerate(credit)]


def share(right, n):
    return set_accuracy(outcomes([1.0] * right + [0.0] * (n - right)))


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [  # Newcombe (1998), Statistics in Medicine 17, 857–872, Table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval_equals_the_published_one(right, n, low, high):
    assert wilson(right / n, n) == pytest.approx((low, high), abs=5e-5)


def test_wilsons_interval_at_the_ends():
    assert wilson(0.0, 1000)[0] == 0.0
    assert wilson(1.0, 1000)[1] == 1.0
    assert wilson(1.0, 1000)[0] == pytest.approx(1000 / (1000 + 3.841459), abs=1e-9)
    assert wilson(0.3, 0) == (0.0, 1.0)


@given(st.integers(1, 2000), st.floats(0, 1))
def test_wilsons_interval_holds_the_share_and_mirrors(n, p):
    low, high = wilson(p, n)
    assert 0.0 <= low <= p + 1e-12
    assert p - 1e-12 <= high <= 1.0
    mirror = wilson(1 - p, n)
    assert (1 - mirror[1], 1 - mirror[0]) == pytest.approx((low, high), abs=1e-9)


def test_a_set_counts_credit_and_ties():
    result = set_accuracy(outcomes([1.0, 0.0, 0.5, 0.5]))
    assert (result.accuracy, result.n, result.ties) == (0.5, 4, 2)
    assert result.ci == wilson(0.5, 4)
    with pytest.raises(DataError, match="no outcomes"):
        set_accuracy([])


def test_a_mean_of_sets_is_unweighted():
    mean = mean_accuracy([share(10, 10), share(0, 1000)])
    assert mean.accuracy == 0.5
    assert mean.n == 1010


def test_the_interval_of_a_mean_by_hand():
    # p̄ = (81/263 + 15/148)/2 = .204668
    # below: .307985−.2553 = .0527, .101351−.0624 = .0390; √(.0527²+.0390²)/2 = .03277
    # above: .3662−.307985 = .0582, .1605−.101351 = .0591; √(.0582²+.0591²)/2 = .04149
    mean = mean_accuracy([share(81, 263), share(15, 148)])
    assert mean.accuracy == pytest.approx(0.204668, abs=1e-6)
    assert mean.ci == pytest.approx((0.17190, 0.24616), abs=1e-4)


def test_the_interval_of_one_set_is_wilsons():
    assert mean_accuracy([share(15, 148)]) == share(15, 148)


@pytest.mark.parametrize("right", [0, 50])
def test_the_interval_of_a_mean_has_a_width_at_the_ends(right):
    mean = mean_accuracy([share(right, 50)] * 4)
    one = share(right, 50).ci
    assert 0.0 <= mean.ci[0] <= mean.accuracy <= mean.ci[1] <= 1.0
    assert mean.ci[1] - mean.ci[0] == pytest.approx((one[1] - one[0]) / 2)  # √4 times narrower


SETS = st.lists(
    st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1
)


@given(SETS)
def test_the_interval_of_a_mean_stays_between_0_and_1_and_holds_it(sets):
    mean = mean_accuracy([share(right, n) for right, n in sets])
    assert 0.0 <= mean.ci[0] <= mean.accuracy + 1e-12
    assert mean.accuracy - 1e-12 <= mean.ci[1] <= 1.0


def test_the_interval_of_a_mean_covers_as_it_says():
    rng = random.Random(1)
    truth = [0.5, 0.8, 0.97, 0.6, 0.9]
    hits = 0
    for _ in range(2000):
        parts = [Accuracy(p := sum(rng.random() < t for _ in range(40)) / 40, 40, 0, wilson(p, 40))
                 for t in truth]  # fmt: skip
        low, high = mean_accuracy(parts).ci
        hits += low <= sum(truth) / 5 <= high
    assert 0.93 < hits / 2000 < 0.97


def test_no_sets_have_no_mean():
    with pytest.raises(DataError, match="no sets"):
        mean_accuracy([])


TAXONOMY = {"p": ("syntax", "islands"), "q": ("syntax", "binding"), "r": ("morphology", "number")}


def test_a_summary_has_exactly_the_shape_of_the_file():
    by_set = {
        "p": outcomes([1.0, 1.0]) + outcomes([0.0, 0.0], "one_prefix"),
        "q": outcomes([0.0, 0.5]) + outcomes([1.0, 0.0], "two_prefix"),
        "r": outcomes([1.0] * 10),
    }
    summary = summarise(by_set, TAXONOMY)
    assert list(summary) == ["full", "one_prefix", "two_prefix"]
    full = summary["full"]
    assert list(full) == ["overall", "fields", "phenomena", "paradigms"]
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
    assert full["paradigms"]["p"]["ci"] == list(wilson(1.0, 2))
    assert list(summary["one_prefix"]["paradigms"]) == ["p"]
    assert list(summary["two_prefix"]["fields"]) == ["syntax"]
    assert json.loads(json.dumps(summary)) == summary


def test_sets_without_a_taxonomy_have_no_nodes():
    summary = summarise({"p": outcomes([1.0])}, {}, levels=())
    assert summary["full"]["fields"] == summary["full"]["phenomena"] == {}
    assert summary["full"]["overall"]["accuracy"] == 1.0


def test_a_short_path_fills_the_narrowest_level():
    full = summarise({"p": outcomes([1.0])}, {"p": ("islands",)})["full"]
    assert full["fields"] == {}
    assert list(full["phenomena"]) == ["islands"]


def test_other_levels_are_summarised_under_their_plural():
    full = summarise({"p": outcomes([1.0])}, {"p": ("Agreement",)}, levels=("circuit",))["full"]
    assert list(full["circuits"]) == ["Agreement"]
    assert full["phenomena"] == {}


def test_a_path_deeper_than_the_levels_is_refused():
    with pytest.raises(DataError, match="set p: its taxonomy a > b is deeper than the levels x"):
        summarise({"p": outcomes([1.0])}, {"p": ("a", "b")}, levels=("x",))


def test_nothing_gives_nothing():
    assert summarise({}, {}) == {}
