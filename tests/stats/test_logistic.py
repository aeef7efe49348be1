"""Logistic regression against closed forms, a general optimiser, and data that have no estimate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from priscian.stats.logistic import fit_logistic


def test_one_binary_predictor_is_the_log_odds_ratio() -> None:
    a, b, c, d = 30, 10, 12, 28  # right and wrong, with and without
    y = [1.0] * a + [0.0] * b + [1.0] * c + [0.0] * d
    x = [1.0] * (a + b) + [0.0] * (c + d)
    fit = fit_logistic(y, {"with": x})
    (found,) = fit.coefficients
    assert found.deviation == pytest.approx(0.5)
    assert found.estimate == pytest.approx(0.5 * math.log(a * d / (b * c)))
    assert found.error == pytest.approx(0.5 * math.sqrt(1 / a + 1 / b + 1 / c + 1 / d))
    assert found.ci[0] == pytest.approx(found.estimate - 1.959964 * found.error, abs=1e-6)


def test_four_predictors_agree_with_a_general_optimiser() -> None:
    draw = np.random.default_rng(1)
    x = draw.normal(size=(500, 4)) @ draw.normal(size=(4, 4))
    true = np.array([0.5, -0.3, 0.0, 0.2])
    y = (draw.random(500) < 1 / (1 + np.exp(-0.4 - x @ true))).astype(float)
    fit = fit_logistic(y, {f"x{i}": x[:, i] for i in range(4)})
    z = np.column_stack([np.ones(500), (x - x.mean(0)) / x.std(0)])

    def loss(beta: np.typing.NDArray[np.float64]) -> float:
        return float((np.logaddexp(0, z @ beta) - y * (z @ beta)).sum())

    best = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-7})
    assert [fit.intercept, *(c.estimate for c in fit.coefficients)] == pytest.approx(
        list(best.x), abs=1e-5
    )
    assert fit.deviance == pytest.approx(2 * best.fun)
    assert fit.null_deviance is not None
    assert fit.deviance is not None
    assert fit.null_deviance > fit.deviance


def test_wald_intervals_cover_the_truth() -> None:
    draw = np.random.default_rng(2)
    held = 0
    for _ in range(400):
        x = draw.normal(size=400)
        y = (draw.random(400) < 1 / (1 + np.exp(-0.8 * x - 0.5))).astype(float)
        (c,) = fit_logistic(y, {"x": x}).coefficients
        held += c.ci[0] <= 0.8 * c.deviation <= c.ci[1]
    assert 0.92 <= held / 400 <= 0.98


def test_items_that_are_alike_within_sets_widen_the_interval() -> None:
    draw = np.random.default_rng(3)
    sets = np.repeat(np.arange(40), 50)
    x = np.repeat(draw.normal(size=40), 50)  # one value a set
    level = np.repeat(draw.normal(size=40), 50)
    y = (draw.random(2000) < 1 / (1 + np.exp(-level))).astype(float)
    (plain,) = fit_logistic(y, {"x": x}).coefficients
    together = fit_logistic(y, {"x": x}, [str(s) for s in sets])
    (clustered,) = together.coefficients
    assert together.clusters == 40
    assert clustered.estimate == plain.estimate
    assert clustered.error > 3 * plain.error
    few = fit_logistic(y, {"x": x}, [str(s % 5) for s in sets])
    assert few.clusters == 0
    assert few.coefficients[0].error == plain.error


def test_clustered_intervals_cover_the_truth() -> None:
    draw = np.random.default_rng(67)
    held = 0
    sets = np.repeat(np.arange(67), 20)
    for _ in range(300):
        x = 0.7 * draw.normal(size=67)[sets] + 0.7 * draw.normal(size=len(sets))
        level = draw.normal(size=67)[sets]
        y = (draw.random(len(sets)) < 1 / (1 + np.exp(-level))).astype(float)
        (c,) = fit_logistic(y, {"x": x}, [str(s) for s in sets]).coefficients
        held += c.ci[0] <= 0 <= c.ci[1]
    assert 0.91 <= held / 300 <= 0.98


class TestNoEstimate:
    def test_complete_separation_is_named(self) -> None:
        x = np.linspace(-1, 1, 40)
        noise = np.tile([0.0, 1.0, 2.0, 3.0], 10)
        fit = fit_logistic(x > 0, {"noise": noise, "sure": x})
        assert fit.coefficients == ()
        assert fit.problem.startswith("sure separates")

    def test_quasi_complete_separation_is_found(self) -> None:
        # whenever the flag is up the item is right; otherwise it may be either
        y = [1.0] * 10 + [1.0, 0.0] * 20
        fit = fit_logistic(y, {"flag": [1.0] * 10 + [0.0] * 40})
        assert "flag separates" in fit.problem

    def test_one_outcome_only(self) -> None:
        assert fit_logistic([1.0] * 5, {"x": range(5)}).problem == "every item has the same outcome"

    def test_a_constant_predictor_is_left_out_and_said(self) -> None:
        y = [1.0, 0, 1, 1, 0, 0, 1, 0]
        fit = fit_logistic(y, {"flat": [7.0] * 8, "x": [1.0, 2, 3, 4, 5, 6, 7, 8]})
        assert fit.left_out == ("flat",)
        assert [c.name for c in fit.coefficients] == ["x"]

    def test_predictors_that_say_the_same(self) -> None:
        x = np.arange(10.0)
        fit = fit_logistic([0, 1] * 5, {"a": x, "b": 2 * x + 1})
        assert fit.problem == "a, b are collinear in 10 items"
