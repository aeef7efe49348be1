"""Shallow predictors: bins, what is put into them, and the regression on all four."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.scored_runs import scored_pairs

from priscian.analysis.blimp.shallow import quantile_bins, shallow
from priscian.errors import DataError, UsageError
from priscian.stats.proportions import wilson

TEXTS = [("One two .", -6.0, -8.0), ("One two three four .", -20.0, -15.0)]


def drawn(
    n: int = 1200, seed: int = 0, sets: int = 30
) -> tuple[dict[str, list[tuple[str, float, float]]], dict[str, list[float]]]:
    """Pairs whose accuracy rises with confidence and with nothing else."""
    draw = np.random.default_rng(seed)
    rows: dict[str, list[tuple[str, float, float]]] = {f"s{i}": [] for i in range(sets)}
    credit: dict[str, list[float]] = {f"s{i}": [] for i in range(sets)}
    for number in range(n):
        name = f"s{number % sets}"
        words = int(draw.integers(3, 12))
        good = -float(draw.gamma(4, 1.5)) * words
        sure = float(draw.exponential(3))
        right = draw.random() < 1 / (1 + math.exp(0.5 - 0.4 * sure))
        rows[name].append((" ".join(["w"] * words), good, good - sure if right else good + sure))
        credit[name].append(float(right))
    return rows, credit


def test_the_four_predictors_are_those_of_the_acceptable_sentence() -> None:
    scored = scored_pairs("m", {"s": [1.0, 0.0]}, {}, rows={"s": TEXTS})
    (model,) = shallow([scored], bins=2).models
    medians = {key: [b.median for b in bins] for key, bins in model.bins.items()}
    assert medians["length"] == [3, 5]
    assert medians["perplexity"] == pytest.approx([math.exp(2), math.exp(4)])
    assert medians["log_probability"] == [-20, -6]
    assert medians["confidence"] == [2, 5]
    assert [b.accuracy for b in model.bins["confidence"]] == [1, 0]


def test_bins_are_of_like_size_and_never_cut_equal_values() -> None:
    x = np.array([1.0] * 50 + [2.0] * 5 + list(np.linspace(3, 9, 45)))
    credit = np.ones(100)
    found = quantile_bins(x, credit, np.zeros(100, bool), 10)
    assert sum(b.n for b in found) == 100
    assert (found[0].low, found[0].high, found[0].n) == (1, 1, 50)
    assert all(a.high < b.low for a, b in itertools.pairwise(found))
    assert found[0].ci == wilson(1.0, 50)


def test_confidence_is_found_to_matter_and_the_others_are_not() -> None:
    rows, credit = drawn()
    (model,) = shallow([scored_pairs("m", credit, {}, rows=rows)]).models
    bins = model.bins["confidence"]
    assert len(bins) == 10
    assert bins[-1].ci[0] > bins[0].ci[1]
    found = {c.name: c for c in model.regression.coefficients}
    assert list(found) == ["length", "perplexity", "log_probability", "confidence"]
    assert found["confidence"].ci[0] > 0
    assert all(abs(c.estimate) < 3 * c.error for k, c in found.items() if k != "confidence")
    assert found["confidence"].estimate == pytest.approx(
        0.4 * found["confidence"].deviation, abs=0.25
    )
    assert model.regression.clusters == 30


def test_scores_that_are_no_log_probabilities_are_left_out_and_said() -> None:
    rows, credit = drawn(200)
    slor = scored_pairs("slor", credit, {}, rows=rows, measure="slor")
    plain = scored_pairs("plain", credit, {}, rows=rows)
    found = shallow([slor, plain])
    assert [m.name for m in found.models] == ["plain"]
    assert found.notes == ("slor is left out: its scores are slor, no log P",)
    with pytest.raises(DataError, match="slor is left out"):
        shallow([slor])


def test_pairs_without_a_finite_score_are_counted_out() -> None:
    endless = [*TEXTS, ("One .", -math.inf, -3.0)]
    scored = scored_pairs("m", {"s": [1.0, 0.0, 0.0]}, {}, rows={"s": endless})
    found = shallow([scored], bins=2)
    assert found.models[0].n == 2
    assert found.notes == ("m: 1 pair without a finite score",)


def test_a_model_that_is_always_right_has_bins_and_no_regression() -> None:
    rows, credit = drawn(100)
    perfect = {name: [1.0] * len(values) for name, values in credit.items()}
    found = shallow([scored_pairs("m", perfect, {}, rows=rows)])
    assert found.models[0].regression.problem == "every item has the same outcome"
    assert "m has no estimates: every item" in found.figures[1].caption


def test_figures_show_every_bin_and_coefficient() -> None:
    rows, credit = drawn(600)
    found = shallow([scored_pairs("m", credit, {}, rows=rows)], bins=5)
    figure, coefficients = found.figures
    assert len(figure.rows) == sum(len(b) for b in found.models[0].bins.values())
    assert "n = 600 pairs" in figure.caption
    assert "Wilson's" in figure.caption
    assert len(figure.chart["concat"]) == 4
    assert len(coefficients.rows) == 4
    assert "clustered by paradigm (30 clusters)" in coefficients.caption


def test_one_bin_is_refused() -> None:
    with pytest.raises(UsageError, match="2 or more"):
        shallow([scored_pairs("m", {"s": [1.0, 0.0]}, {}, rows={"s": TEXTS})], bins=1)
