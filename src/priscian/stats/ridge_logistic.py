"""Logistic regression with an L2 penalty, for many predictors; dense or sparse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priscian.errors import DataError

Array = NDArray[np.float64]

GRADIENT = 1e-9
"""Largest element of the gradient, per example, at which the search ends."""
STEPS = 20_000


@dataclass(frozen=True, slots=True)
class RidgeFit:
    """Weights and intercept: a text's logit is x · weights + intercept."""

    weights: Array  # (width,)
    intercept: float

    def logits(self, x: Any) -> Array:
        """Log-odds of True for each row of a matrix: (rows,)."""
        return np.asarray(x @ self.weights, np.float64) + self.intercept


def fit_ridge(
    x: Any,
    y: Sequence[bool],
    c: float,
    start: RidgeFit | None = None,
    gradient: float = GRADIENT,
) -> RidgeFit:
    """The minimum of ½‖w‖² + c Σ log(1 + exp(−y f)), with y = ±1 and f = x · w + b.

    The intercept b is not penalised. `x` is a matrix (rows, width) of NumPy or SciPy; `start` is
    where SciPy's L-BFGS begins, such as the fit for another c. The minimum is unique, so the result
    does not depend on it beyond the tolerance.

    >>> fit = fit_ridge(np.array([[-2.0], [-1.0], [1.0], [2.0]]), [False, False, True, True], 1.0)
    >>> round(float(fit.weights[0]), 4), round(abs(fit.intercept), 4)
    (1.0066, 0.0)
    """
    from scipy.optimize import minimize

    rows, width = x.shape
    if rows != len(y):
        raise DataError(f"{rows} rows and {len(y)} labels; give as many of each")
    if len(set(map(bool, y))) < 2:
        raise DataError("all examples have one label; a regression needs both")
    if not c > 0:
        raise DataError(f"the inverse penalty is {c:g}; it must be above 0")
    signs = np.where(np.asarray(y, bool), 1.0, -1.0)  # (rows,)

    def loss(w: Array) -> tuple[float, Array]:
        margins = signs * (x @ w[:-1] + w[-1])
        value = np.logaddexp(0.0, -margins).sum() / rows
        pull = -signs * _logistic(-margins) / rows  # (rows,)
        gradient = np.append(x.T @ pull + w[:-1] / (c * rows), pull.sum())
        return float(value + w[:-1] @ w[:-1] / (2 * c * rows)), gradient

    begin = np.zeros(width + 1)
    if start is not None:
        begin[:-1], begin[-1] = start.weights, start.intercept
    found = minimize(
        loss,
        begin,
        jac=True,
        method="L-BFGS-B",
        options={"gtol": gradient, "ftol": 0.0, "maxiter": STEPS, "maxfun": STEPS, "maxcor": 20},
    )
    return RidgeFit(found.x[:-1], float(found.x[-1]))


def _logistic(x: Array) -> Array:
    from scipy.special import expit

    return np.asarray(expit(x))
