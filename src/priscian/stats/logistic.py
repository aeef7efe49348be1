"""Logistic regression: with Wald intervals, and with an L2 penalty for many predictors.

Separated data, for which the first has no estimate, are detected and reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from priscian.errors import DataError
from priscian.files import by
from priscian.stats.interval import Z95, Interval, student_t

Array = NDArray[np.float64]

RUNAWAY = 1e-2
"""Newton's next step is shorter than this at a maximum; if the likelihood grows without limit,
it is always about 1."""
FEW_CLUSTERS = 20
"""With fewer clusters, the sandwich estimate of the errors is poor."""


GRADIENT = 1e-9
"""Largest element of the gradient, per example, at which the search ends."""
STEPS = 20_000


class Coefficient(Struct, frozen=True):
    """Change of the log-odds with one standard deviation of a predictor."""

    name: str
    estimate: float
    error: float
    ci: Interval
    p: float
    mean: float
    deviation: float
    """Mean and standard deviation with which the predictor was standardised."""


class LogisticFit(Struct, frozen=True):
    """A regression, or the reason why there is none."""

    n: int
    coefficients: Annotated[tuple[Coefficient, ...], by("name")]
    intercept: float | None
    deviance: float | None
    null_deviance: float | None
    clusters: int
    """Groups within which errors may be correlated; 0 if items count as independent."""
    left_out: tuple[str, ...] = ()
    """Predictors that have one value only."""
    problem: str = ""


def fit_logistic(
    y: ArrayLike, predictors: Mapping[str, ArrayLike], clusters: Sequence[str] | None = None
) -> LogisticFit:
    """Log-odds of y (0 to 1) as a sum of standardised predictors.

    Errors are Wald's, from the inverse of the information. With at least twenty `clusters` they are
    those of the sandwich estimator, scores summed within clusters (Liang & Zeger 1986, Biometrika
    73, 13–22), times G/(G−1), and intervals are Student's with G − 1 degrees of freedom.

    >>> fit = fit_logistic([0, 0, 1, 0, 1, 1], {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    >>> fit.coefficients[0].estimate > 0
    True
    """
    outcome = np.asarray(y, np.float64)
    columns = {name: np.asarray(values, np.float64) for name, values in predictors.items()}
    n = len(outcome)
    left_out = tuple(name for name, x in columns.items() if n == 0 or np.ptp(x) == 0)
    columns = {name: x for name, x in columns.items() if name not in left_out}

    def none(problem: str) -> LogisticFit:
        return LogisticFit(n, (), None, None, None, 0, left_out, problem)

    if n == 0 or np.ptp(outcome) == 0:
        return none("every item has the same outcome")
    if not columns:
        return none("no predictor varies")
    scales = {name: (float(x.mean()), float(x.std())) for name, x in columns.items()}
    x = np.column_stack(
        [np.ones(n), *((c - scales[name][0]) / scales[name][1] for name, c in columns.items())]
    )  # (n, 1 + predictors)
    if np.linalg.matrix_rank(x) < x.shape[1]:
        return none(f"{', '.join(columns)} are collinear in {n} items")
    beta, runaway = _maximum(outcome, x)
    if runaway is not None:
        growing = np.abs(runaway[1:]) > 0.1 * np.abs(runaway[1:]).max()
        names = [name for name, grows in zip(columns, growing, strict=True) if grows]
        return none(f"{' and '.join(names)} separates right from wrong, so no estimate is finite")
    errors, used = _errors(outcome, x, beta, list(clusters or ()))
    null = np.full(n, outcome.mean())
    return LogisticFit(
        n,
        _coefficients(beta[1:], errors[1:], used, scales),
        float(beta[0]),
        _deviance(outcome, x @ beta),
        _deviance(outcome, np.log(null / (1 - null))),
        used,
        left_out,
    )


def _maximum(y: Array, x: Array) -> tuple[Array, Array | None]:
    """The maximum of the likelihood, or the direction in which it grows without end.

    Data are separated if some direction predicts every outcome without an error. The likelihood
    then has no maximum, and at any point far out Newton's step still leads further along it.
    """
    from scipy.optimize import minimize

    start: Array = np.zeros(x.shape[1])
    start[0] = np.log(y.mean() / (1 - y.mean()))

    def loss(beta: Array) -> tuple[float, Array]:
        eta = x @ beta
        return _deviance(y, eta) / (2 * len(y)), x.T @ (_expit(eta) - y) / len(y)

    found = minimize(
        loss,
        start,
        jac=True,
        hess=lambda beta: _information(x, beta) / len(y),
        method="trust-exact",
        options={"gtol": 1e-10},
    )
    beta: Array = np.asarray(found.x, np.float64)
    slope = x.T @ (y - _expit(x @ beta))
    try:
        step: Array = np.asarray(np.linalg.solve(_information(x, beta), slope), np.float64)
    except np.linalg.LinAlgError:
        return beta, beta
    return (beta, step) if np.abs(step).max() > RUNAWAY else (beta + step, None)


def _information(x: Array, beta: Array) -> Array:
    p = _expit(x @ beta)
    information: Array = (x * (p * (1 - p))[:, None]).T @ x
    return information


def _errors(y: Array, x: Array, beta: Array, groups: Sequence[str]) -> tuple[Array, int]:
    """Standard errors, and the number of clusters that they allow for."""
    inverse = np.linalg.inv(_information(x, beta))
    names, place = np.unique(np.asarray(groups), return_inverse=True) if groups else ((), None)
    if place is None or len(names) < FEW_CLUSTERS:
        return np.sqrt(np.diag(inverse)), 0
    g = len(names)
    scores = np.zeros((g, x.shape[1]))
    np.add.at(scores, place, x * (y - _expit(x @ beta))[:, None])
    covariance = g / (g - 1) * inverse @ (scores.T @ scores) @ inverse
    return np.sqrt(np.diag(covariance)), g


def _coefficients(
    beta: Array, errors: Array, clusters: int, scales: Mapping[str, tuple[float, float]]
) -> tuple[Coefficient, ...]:
    from scipy.special import ndtr, stdtr

    wide = student_t(clusters - 1) if clusters else Z95
    found = []
    for (name, scale), b, e in zip(scales.items(), beta.tolist(), errors.tolist(), strict=True):
        z = abs(b / e)
        tail = float(stdtr(clusters - 1, -z) if clusters else ndtr(-z))
        found.append(Coefficient(name, b, e, (b - wide * e, b + wide * e), 2 * tail, *scale))
    return tuple(found)


def _expit(eta: Array) -> Array:
    from scipy.special import expit

    return np.asarray(expit(eta), np.float64)


def _deviance(y: Array, eta: Array) -> float:
    """−2 log-likelihood; for credits between 0 and 1 a quasi-likelihood."""
    return float(2 * (np.logaddexp(0, eta) - y * eta).sum())


# ---------------------------------------------------------------- with a penalty


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
        pull = -signs * _expit(-margins) / rows  # (rows,)
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
