"""Mixed models against closed forms, a published fit and the density written out in full."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal

from priscian.errors import DataError
from priscian.stats.mixed_effects import Fit, RandomTerm, fit_mixed, likelihood_ratio
from priscian.stats.profiled_deviance import EffectBlock, Problem

# Yield of six batches of dye stuff, five samples each (Davies & Goldsmith 1972, Table 6.1).
DYE = {
    "A": (1545, 1440, 1440, 1520, 1580),
    "B": (1540, 1555, 1490, 1560, 1495),
    "C": (1595, 1550, 1605, 1510, 1560),
    "D": (1445, 1440, 1595, 1465, 1545),
    "E": (1595, 1630, 1515, 1635, 1625),
    "F": (1520, 1455, 1450, 1480, 1445),
}


def one_way(groups: dict[str, tuple[float, ...]]) -> Fit:
    y = [value for values in groups.values() for value in values]
    batch = [name for name, values in groups.items() for _ in values]
    term = RandomTerm("batch", batch, np.ones((len(y), 1)))
    return fit_mixed(y, {"intercept": np.ones(len(y))}, [term])


def crossed(seed: int = 0) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]], list[str],
                                    list[str]]:  # fmt: skip
    """Six subjects by eight items, a covariate that varies within both, one cell missing."""
    rng = np.random.default_rng(seed)
    subject, item = (a.ravel()[:-1] for a in np.meshgrid(np.arange(6), np.arange(8)))
    x = rng.normal(size=len(subject))
    slopes = rng.normal(size=(6, 2)) @ np.array([[1.0, 0.4], [0.0, 0.7]])
    y = 1 + 0.5 * x + slopes[subject, 0] + slopes[subject, 1] * x
    y = y + 0.8 * rng.normal(size=8)[item] + rng.normal(size=len(subject))
    fixed = {"intercept": np.ones(len(x)), "x": x}
    return y, fixed, [f"s{s}" for s in subject], [f"i{i}" for i in item]


def terms(fixed: dict[str, NDArray[np.float64]], subject: list[str], item: list[str]
          ) -> list[RandomTerm]:  # fmt: skip
    return [
        RandomTerm("subject", subject, np.column_stack([fixed["intercept"], fixed["x"]])),
        RandomTerm("item", item, np.ones((len(item), 1))),
    ]


class TestOneWay:
    def test_the_closed_form_of_a_balanced_design(self) -> None:
        # ML: σ² = mean square within; batches ((1 − 1/a) mean square between − σ²) / n
        data = np.array(list(DYE.values()), float)
        a, n = data.shape
        within = data.var(axis=1, ddof=1).mean()
        between = n * data.mean(axis=1).var(ddof=1)
        fit = one_way(DYE)
        assert fit.residual_variance == pytest.approx(within, rel=1e-6)
        expected = ((1 - 1 / a) * between - within) / n
        assert fit.covariances["batch"][0][0] == pytest.approx(expected, rel=1e-5)
        assert fit.coefficients["intercept"] == pytest.approx(1527.5)

    def test_the_fit_that_lme4_prints(self) -> None:
        # Bates (2010), lme4: Mixed-effects modeling with R, §1.3: fm1ML
        fit = one_way(DYE)
        assert fit.deviance == pytest.approx(327.3271, abs=1e-4)
        assert fit.covariances["batch"][0][0] == pytest.approx(1388.33, abs=0.01)
        assert fit.residual_variance == pytest.approx(2451.25, abs=0.01)
        assert fit.standard_errors["intercept"] == pytest.approx(17.69, abs=0.01)
        assert fit.df == 3
        assert fit.aic == pytest.approx(333.3271, abs=1e-4)
        assert fit.bic == pytest.approx(327.3271 + 3 * np.log(30), abs=1e-4)
        assert fit.log_likelihood == pytest.approx(-327.3271 / 2, abs=1e-4)

    def test_batches_that_do_not_differ_leave_ordinary_least_squares(self) -> None:
        fit = one_way({"a": (1.0, 5.0, 9.0), "b": (9.0, 1.0, 5.0), "c": (5.0, 9.0, 1.0)})
        assert fit.covariances["batch"][0][0] == pytest.approx(0, abs=1e-4)
        assert fit.residual_variance == pytest.approx(96 / 9, rel=1e-4)  # Σ(y − 5)² / n
        assert fit.deviance == pytest.approx(9 * (1 + np.log(2 * np.pi * 96 / 9)), abs=1e-6)


class TestCrossed:
    @pytest.mark.parametrize("score", [0.0, 0.7])
    def test_equal_scores_leave_nothing_to_test(self, score: float) -> None:
        with pytest.raises(DataError, match="nothing is left to test"):
            one_way(dict.fromkeys("ABC", (score,) * 5))

    def test_the_gradient_is_that_of_the_deviance(self) -> None:
        y, fixed, subject, item = crossed()
        x = np.column_stack(list(fixed.values()))
        blocks = [
            EffectBlock.of(t.name, t.group, np.asarray(t.columns))
            for t in terms(fixed, subject, item)
        ]
        problem = Problem(y, x, blocks)
        theta = np.array([0.9, -0.3, 0.6, 0.5])
        numeric = approx_fprime(theta, lambda t: problem.deviance(t)[0], 1e-7)
        assert problem.deviance(theta)[1] == pytest.approx(numeric, abs=1e-4)

    def test_the_deviance_is_that_of_the_density_written_out(self) -> None:
        y, fixed, subject, item = crossed()
        fit = fit_mixed(y, fixed, terms(fixed, subject, item))
        assert fit.deviance == pytest.approx(-2 * density(y, fixed, subject, item, fit), abs=1e-6)
        assert fit.df == 2 + 3 + 1 + 1

    def test_no_neighbouring_covariance_is_likelier(self) -> None:
        y, fixed, subject, item = crossed()
        fit = fit_mixed(y, fixed, terms(fixed, subject, item))
        best = density(y, fixed, subject, item, fit)
        for name, (i, j) in (("subject", (0, 0)), ("subject", (1, 1)), ("item", (0, 0))):
            for factor in (0.9, 1.1):
                moved = {k: [list(row) for row in v] for k, v in fit.covariances.items()}
                moved[name][i][j] *= factor
                assert density(y, fixed, subject, item, fit, moved) < best

    def test_the_order_of_the_terms_does_not_matter(self) -> None:
        y, fixed, subject, item = crossed()
        one, two = terms(fixed, subject, item)
        there, back = fit_mixed(y, fixed, [one, two]), fit_mixed(y, fixed, [two, one])
        assert there.deviance == pytest.approx(back.deviance, abs=1e-6)
        assert np.array(there.covariances["subject"]) == pytest.approx(
            np.array(back.covariances["subject"]), abs=1e-3
        )


def density(
    y: NDArray[np.float64],
    fixed: dict[str, NDArray[np.float64]],
    subject: list[str],
    item: list[str],
    fit: Fit,
    covariances: dict[str, list[list[float]]] | None = None,
) -> float:
    """log N(y; Xβ, V) with V built row by row from the covariances."""
    found = covariances or fit.covariances
    z = np.column_stack([fixed["intercept"], fixed["x"]])
    same_subject = np.equal.outer(subject, subject)
    same_item = np.equal.outer(item, item)
    v = same_subject * (z @ np.array(found["subject"]) @ z.T)
    v = v + same_item * found["item"][0][0] + fit.residual_variance * np.eye(len(y))
    mean = sum(fit.coefficients[name] * column for name, column in fixed.items())
    return float(multivariate_normal.logpdf(y, mean, v))


def test_a_ratio_test_counts_the_effects_left_out() -> None:
    y, fixed, subject, item = crossed()
    random = terms(fixed, subject, item)
    smaller = fit_mixed(y, {"intercept": fixed["intercept"]}, random)
    test = likelihood_ratio(smaller, fit_mixed(y, fixed, random))
    assert test.df == 1
    assert test.chi2 > 0
    assert 0 < test.p < 1


class TestBadInput:
    def test_effects_that_cannot_be_told_apart(self) -> None:
        term = RandomTerm("g", ["a", "a", "b", "b"], np.ones((4, 1)))
        with pytest.raises(DataError, match=r"demo: the fixed effects one, two are collinear"):
            fit_mixed([1, 2, 3, 5], {"one": [1] * 4, "two": [2] * 4}, [term], "demo")

    def test_as_many_random_effects_as_rows(self) -> None:
        term = RandomTerm("g", ["a", "b", "c"], np.ones((3, 1)))
        with pytest.raises(DataError, match=r"3 random effects of g cannot be separated from"):
            fit_mixed([1, 2, 4], {"one": [1] * 3}, [term])

    def test_a_missing_value(self) -> None:
        term = RandomTerm("g", ["a", "a", "b"], np.ones((3, 1)))
        with pytest.raises(DataError, match="missing or infinite"):
            fit_mixed([1, float("nan"), 4], {"one": [1] * 3}, [term])
