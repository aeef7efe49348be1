"""Linear mixed models with crossed random effects, fitted by maximum likelihood."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from priscian.errors import DataError, PriscianWarning
from priscian.stats.profiled_deviance import Array, EffectBlock, Problem

Effect: TypeAlias = dict[str, NDArray[np.float64]]
"""The columns of one effect, by name."""

GRADIENT = 1e-4
"""The search ends where no entry of the deviance's gradient is larger."""
STARTS = (1.0, 0.3, 3.0)
"""Scales of the initial Λ; the best result is kept, as a deviance may have several minima."""
FLAT = 1e-2
"""A search that ends with a larger gradient of the deviance has not found a minimum."""


def treatment(levels: Sequence[str]) -> Effect:
    """Treatment contrasts: a column of 0 and 1 for every level except the first by name.

    >>> {level: column.tolist() for level, column in treatment(["b", "a", "c", "b"]).items()}
    {'b': [1.0, 0.0, 0.0, 1.0], 'c': [0.0, 0.0, 1.0, 0.0]}
    """
    column = np.array(levels)
    return {level: (column == level).astype(np.float64) for level in sorted(set(levels))[1:]}


def columns(effect: str, effects: Mapping[str, Effect]) -> Effect:
    """The columns of an effect, or of an interaction written `a:b`: all products of theirs.

    >>> effects = {"x": {"x": np.array([2.0, 3.0])}, "g": treatment(["a", "b"])}
    >>> {name: column.tolist() for name, column in columns("x:g", effects).items()}
    {'x:b': [0.0, 3.0]}
    """
    first, _, second = effect.partition(":")
    if not second:
        return effects[first]
    return {
        f"{a}:{b}": x * y for a, x in effects[first].items() for b, y in effects[second].items()
    }


@dataclass(frozen=True, slots=True)
class RandomTerm:
    """`(columns | group)`: for each level of a grouping, correlated effects of some columns."""

    name: str
    group: Sequence[str]
    """The level that each row belongs to."""
    columns: ArrayLike
    """One row of the design for each row of data; a column of ones is a random intercept."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A mixed model fitted by maximum likelihood."""

    deviance: float
    n: int
    df: int
    """Free parameters: fixed effects, entries of the covariances, residual variance."""
    coefficients: dict[str, float]
    standard_errors: dict[str, float]
    residual_variance: float
    covariances: dict[str, list[list[float]]]
    """For each random term, the covariance matrix of its effects."""
    slope: float
    """Largest entry of the deviance's gradient where the search ended."""

    @property
    def log_likelihood(self) -> float:
        """Natural log of the likelihood."""
        return -self.deviance / 2

    @property
    def aic(self) -> float:
        """Akaike's criterion: deviance + 2 df."""
        return self.deviance + 2 * self.df

    @property
    def bic(self) -> float:
        """Schwarz's criterion: deviance + df log n."""
        return self.deviance + self.df * float(np.log(self.n))


class RatioTest(Struct, frozen=True):
    """A likelihood-ratio test of a model against a smaller one that it contains."""

    chi2: float
    df: int
    p: float


def likelihood_ratio(smaller: Fit, larger: Fit) -> RatioTest:
    """Does the larger model fit better than the smaller one that it contains?

    The difference of their deviances is χ² with one degree of freedom for each parameter that only
    the larger one has, if the smaller one is true (Wilks 1938, Annals of Mathematical Statistics
    9, 60–62).
    """
    from scipy.special import chdtrc

    difference = smaller.deviance - larger.deviance
    df = larger.df - smaller.df
    return RatioTest(difference, df, float(chdtrc(df, max(0.0, difference))))


def fit_mixed(
    y: ArrayLike,
    fixed: Mapping[str, ArrayLike],
    random: Sequence[RandomTerm],
    what: str = "the model",
) -> Fit:
    """Fit a linear mixed model by maximum likelihood (not REML).

    >>> y = [1.0, 2.0, 5.0, 6.0]  # two groups of two, means 1.5 and 5.5; 0.5 within
    >>> batch = RandomTerm("batch", ["a", "a", "b", "b"], [[1.0]] * 4)
    >>> fit = fit_mixed(y, {"intercept": [1.0] * 4}, [batch])
    >>> round(fit.residual_variance, 4), round(fit.covariances["batch"][0][0], 4)
    (0.5, 3.75)
    """
    response = np.asarray(y, np.float64)
    x = np.column_stack([np.asarray(column, np.float64) for column in fixed.values()])
    blocks = [EffectBlock.of(t.name, t.group, np.asarray(t.columns, np.float64)) for t in random]
    _check(response, x, blocks, list(fixed), what)
    problem = Problem(response, x, blocks)
    try:
        theta = min((_search(problem, scale) for scale in STARTS), key=lambda end: end[0])[1]
        return _describe(problem, theta, list(fixed), what)
    except np.linalg.LinAlgError:
        raise DataError(
            f"{what}: its likelihood has no maximum, since the effects explain all of the "
            f"{len(response)} rows; give more items, models or seeds"
        ) from None


def _search(problem: Problem, scale: float) -> tuple[float, Array]:
    """The minimum that is reached from Λ = scale · I, and where it is."""
    from scipy.optimize import minimize

    start, options = problem.start(scale), {"gtol": GRADIENT}
    found = minimize(problem.deviance, start, jac=True, method="BFGS", options=options)
    return float(found.fun), np.asarray(found.x, np.float64)


def _describe(problem: Problem, theta: Array, names: list[str], what: str) -> Fit:
    deviance, gradient = problem.deviance(theta)
    slope = float(np.abs(gradient).max())
    if slope > FLAT:
        warnings.warn(
            f"{what}: the search for the maximum likelihood ended at a gradient of {slope:.2g}; "
            "its figures may be off: bring the columns of the design to similar scales",
            PriscianWarning,
            stacklevel=3,
        )
    solved = problem.solve(theta)
    variance = solved.r2 / problem.n
    errors = np.sqrt(np.diag(variance * np.linalg.inv(solved.precision)))
    return Fit(
        deviance=deviance,
        n=problem.n,
        df=problem.p + problem.parameters + 1,
        coefficients=dict(zip(names, solved.beta.tolist(), strict=True)),
        standard_errors=dict(zip(names, errors.tolist(), strict=True)),
        residual_variance=variance,
        covariances={
            block.name: (variance * t @ t.T).tolist()
            for block, t in zip(problem.all_blocks, problem.templates(theta), strict=True)
        },
        slope=slope,
    )


def _check(y: Array, x: Array, blocks: Sequence[EffectBlock], names: list[str], what: str) -> None:
    rows = len(y)
    if not all(np.isfinite(a).all() for a in (y, x, *(b.columns for b in blocks))):
        raise DataError(f"{what}: a value is missing or infinite; remove its row")
    for block in blocks:
        if block.size >= rows:
            raise DataError(
                f"{what}: {block.size} random effects of {block.name} cannot be separated from the "
                f"residuals of {rows} rows; give more results, or leave the term out"
            )
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise DataError(
            f"{what}: the fixed effects {', '.join(names)} are collinear in {rows} rows; "
            "give results of more models and corpora, or leave an effect out"
        )
