"""Logistic regression with a penalty: against scikit-learn, and where it must refuse."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from priscian.errors import DataError
from priscian.stats.logistic import fit_ridge


def example(rows: int = 300, width: int = 12) -> tuple[np.ndarray, list[bool]]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(rows, width))
    truth = x @ rng.normal(size=width) + rng.normal(size=rows) + 0.7
    return x, (truth > 0).tolist()


@pytest.mark.parametrize("c", [0.01, 1.0, 10.0])
def test_coefficients_are_those_of_scikit_learn(c: float) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    x, y = example()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = linear_model.LogisticRegression(C=c, tol=1e-12, solver="newton-cholesky").fit(x, y)
    ours = fit_ridge(x, y, c)
    assert np.abs(ours.weights - theirs.coef_[0]).max() < 1e-6
    assert abs(ours.intercept - theirs.intercept_[0]) < 1e-6


def test_sparse_rows_and_another_start_give_the_same_minimum() -> None:
    x, y = example()
    dense = fit_ridge(x, y, 0.3)
    assert np.allclose(fit_ridge(csr_matrix(x), y, 0.3).weights, dense.weights, atol=1e-7)
    warm = fit_ridge(x, y, 0.3, fit_ridge(x, y, 3.0))
    assert np.allclose(warm.weights, dense.weights, atol=1e-6)


def test_the_gradient_is_zero_at_the_minimum_of_a_hand_worked_case() -> None:
    # two points at ±1 with labels ±1: w = c · 2 · σ(−w), b = 0 by symmetry
    fit = fit_ridge(np.array([[1.0], [-1.0]]), [True, False], 2.0)
    w = float(fit.weights[0])
    assert abs(w - 2.0 * 2.0 / (1 + np.exp(w))) < 1e-7
    assert abs(fit.intercept) < 1e-7


@pytest.mark.parametrize(
    ("labels", "c", "told"),
    [
        ([True, True], 1.0, "one label"),
        ([True], 1.0, "2 rows and 1 labels"),
        ([True, False], 0.0, "above 0"),
    ],
)
def test_what_has_no_solution_is_refused(labels: list[bool], c: float, told: str) -> None:
    with pytest.raises(DataError, match=told):
        fit_ridge(np.array([[1.0], [2.0]]), labels, c)
