"""BFGS on functions whose minimum is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from priscian.stats.minimise import minimise


@pytest.mark.parametrize("size", [2, 5, 20])
def test_the_bottom_of_rosenbrocks_valley_is_found(size):
    value, where = minimise(lambda x: (rosen(x), rosen_der(x)), np.full(size, -0.7))
    assert value == pytest.approx(0, abs=1e-10)
    assert where == pytest.approx(np.ones(size), abs=1e-5)


def test_a_quadratic_is_solved_like_its_equations():
    random = np.random.default_rng(3)
    root = random.normal(size=(8, 8))
    matrix, right = root @ root.T + np.eye(8), random.normal(size=8)

    def quadratic(x):
        return float(x @ matrix @ x / 2 - right @ x), matrix @ x - right

    _, where = minimise(quadratic, np.zeros(8))
    assert where == pytest.approx(np.linalg.solve(matrix, right), abs=1e-6)


def test_a_function_without_descent_ends_where_it_began():
    def lying(x):  # the gradient points uphill everywhere
        return float(x @ x), -2 * x

    value, where = minimise(lying, np.array([1.0, 1.0]))
    assert value == 2
    assert where.tolist() == [1.0, 1.0]
