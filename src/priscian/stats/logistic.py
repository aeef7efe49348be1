"""Logistic regression by Newton's method, with Wald intervals; separation is found and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priscian.metrics.accuracy import Z95, Interval
from priscian.stats.distributions import student_t_quantile, student_t_sf

Array = NDArray[np.float64]

STEPS = 40
"""A finite maximum is reached in about ten steps; what still grows after forty has none."""
SMALL = 1e-8
FEW_CLUSTERS = 20
"""With fewer clusters their spread says too little of the error."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """Change of the log-odds with one standard deviation of a predictor."""

    name: str
    estimate: float
    error: float
    ci: Interval
    p: float
    mean: float
    deviation: float
    """Mean and standard deviation that the predictor was standardised by."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "estimate": self.estimate,
            "error": self.error,
            "ci": list(self.ci),
            "p": self.p,
            "mean": self.mean,
            "deviation": self.deviation,
        }


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """A regression, or why there is none."""

    n: int
    coefficients: tuple[Coefficient, ...]
    intercept: float | None
    deviance: float | None
    null_deviance: float | None
    clusters: int
    """Groups that errors were allowed to be alike in; 0 if items count as independent."""
    left_out: tuple[str, ...] = ()
    """Predictors that have one value only."""
    problem: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "n": self.n,
            "coefficients": {c.name: c.as_dict() for c in self.coefficients},
            "intercept": self.intercept,
            "deviance": self.deviance,
            "null_deviance": self.null_deviance,
            "clusters": self.clusters,
            "left_out": list(self.left_out),
            "problem": self.problem,
        }


def fit_logistic(
    y: ArrayLike, predictors: Mapping[str, ArrayLike], clusters: Sequence[str] | None = None
) -> LogisticFit:
    """Log-odds of y (0 to 1) as a sum of standardised predictors.

    Errors are Wald's, from the inverse of the information. With at least twenty `clusters` they are
    those of the sandwich estimator, scores summed within clusters (Liang & Zeger 1986, Biometrika
    73, 13–22), times G/(G−1), and intervals are Student's with G − 1 degrees of freedom.
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
        return none(f"{', '.join(columns)} cannot be told apart in {n} items")
    beta, runaway = _newton(outcome, x)
    if runaway is not None:
        growing = np.abs(runaway[1:]) > 0.1 * np.abs(runaway[1:]).max()
        names = [name for name, grows in zip(columns, growing, strict=True) if grows]
        return none(f"{' and '.join(names)} separates right from wrong, so no estimate is finite")
    groups = list(clusters or ())
    errors, used = _errors(outcome, x, beta, groups)
    wide = student_t_quantile(0.975, used - 1) if used else Z95
    found = tuple(
        Coefficient(
            name,
            float(b),
            float(e),
            (float(b - wide * e), float(b + wide * e)),
            2 * _upper_tail(abs(float(b / e)), used),
            *scales[name],
        )
        for name, b, e in zip(columns, beta[1:], errors[1:], strict=True)
    )
    null = np.full(n, outcome.mean())
    return LogisticFit(
        n,
        found,
        float(beta[0]),
        _deviance(outcome, x @ beta),
        _deviance(outcome, np.log(null / (1 - null))),
        used,
        left_out,
    )


def _newton(y: Array, x: Array) -> tuple[Array, Array | None]:
    """The maximum of the likelihood, or the direction in which it grows without end."""
    beta: Array = np.zeros(x.shape[1])
    beta[0] = np.log(y.mean() / (1 - y.mean()))
    deviance = _deviance(y, x @ beta)
    step: Array = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = _expit(x @ beta)
        information = (x * (p * (1 - p))[:, None]).T @ x
        try:
            step = np.asarray(np.linalg.solve(information, x.T @ (y - p)), np.float64)
        except np.linalg.LinAlgError:
            return beta, beta
        if np.abs(step).max() < SMALL:
            return beta, None
        while _deviance(y, x @ (beta + step)) > deviance + SMALL and np.abs(step).max() > SMALL:
            step = step / 2
        beta = beta + step
        deviance = _deviance(y, x @ beta)
    return beta, step


def _errors(y: Array, x: Array, beta: Array, groups: Sequence[str]) -> tuple[Array, int]:
    p = _expit(x @ beta)
    inverse = np.linalg.inv((x * (p * (1 - p))[:, None]).T @ x)
    names, place = np.unique(np.asarray(groups), return_inverse=True) if groups else ((), None)
    if place is None or len(names) < FEW_CLUSTERS:
        return np.sqrt(np.diag(inverse)), 0
    g = len(names)
    scores = np.zeros((g, x.shape[1]))
    np.add.at(scores, place, x * (y - p)[:, None])
    covariance = g / (g - 1) * inverse @ (scores.T @ scores) @ inverse
    return np.sqrt(np.diag(covariance)), g


def _upper_tail(z: float, clusters: int) -> float:
    return student_t_sf(z, clusters - 1) if clusters else NormalDist().cdf(-z)


def _expit(eta: Array) -> Array:
    half: Array = 0.5 * (1 + np.tanh(eta / 2))  # does not overflow
    return half


def _deviance(y: Array, eta: Array) -> float:
    """−2 log-likelihood; for credits between 0 and 1 a quasi-likelihood."""
    return float(2 * (np.logaddexp(0, eta) - y * eta).sum())
