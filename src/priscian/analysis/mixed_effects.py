"""Linear mixed models with crossed random effects, fitted by maximum likelihood.

The model is y = Xβ + ZΛu + ε with u ~ N(0, σ²I) and ε ~ N(0, σ²I). Λ is block diagonal: every
level of a random term has the same lower-triangular block, whose entries are θ. β and σ² have a
closed form given θ, which leaves the profiled deviance

    d(θ) = log|Λ'Z'ZΛ + I| + n (1 + log(2π r²(θ) / n)),
    r²(θ) = min over β, u of ‖y − Xβ − ZΛu‖² + ‖u‖²

(Bates, Mächler, Bolker & Walker 2015, Fitting linear mixed-effects models using lme4, J. Stat.
Software 67(1), eq. 34). It is minimised with its exact gradient: r² is a minimum over β and u, so
only its direct dependence on Λ counts, −2 Z'e u'; and ∂ log|Λ'Z'ZΛ + I| / ∂Λ = 2 Z'ZΛ(Λ'Z'ZΛ + I)⁻¹.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.stats import chi2

from priscian.errors import DataError

Array: TypeAlias = NDArray[np.float64]

STARTS = (1.0, 0.3, 3.0)
"""Scales of the first guess at Λ; the best end is kept, as a deviance may have several minima."""
STEPS = 2000
FLAT = 1e-3
"""A gradient of the deviance below this counts as nought: AIC is then exact to far more than 0.01."""


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
    """What maximum likelihood made of a mixed model."""

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

    @property
    def converged(self) -> bool:
        """Whether the search ended where the deviance is flat."""
        return self.slope < FLAT


@dataclass(frozen=True, slots=True)
class RatioTest:
    """A likelihood-ratio test of a model against a smaller one that it contains."""

    chi2: float
    df: int
    p: float


def likelihood_ratio(smaller: Fit, larger: Fit) -> RatioTest:
    """Does the larger model fit better than the smaller one that it contains?"""
    difference = smaller.deviance - larger.deviance
    df = larger.df - smaller.df
    return RatioTest(difference, df, float(chi2.sf(difference, df)))


def fit_mixed(
    y: ArrayLike, fixed: dict[str, ArrayLike], random: Sequence[RandomTerm], what: str = "the model"
) -> Fit:
    """Fit a linear mixed model by maximum likelihood (not REML).

    >>> y = [1.0, 2.0, 5.0, 6.0]  # two groups of two: means 1.5 and 5.5, variance within 0.5
    >>> one = [1.0, 1.0, 1.0, 1.0]
    >>> term = RandomTerm("group", ["a", "a", "b", "b"], [[1.0]] * 4)
    >>> fit = fit_mixed(y, {"intercept": one}, [term])
    >>> round(fit.residual_variance, 4), round(fit.covariances["group"][0][0], 4)
    (0.5, 3.75)
    """
    problem = Problem(np.asarray(y, np.float64), fixed, random, what)
    ends = [problem.search(scale) for scale in STARTS]
    theta = min(ends, key=lambda end: end[0])[1]
    return problem.describe(theta)


class Problem:
    """The profiled deviance of one model as a function of θ, and its gradient."""

    def __init__(
        self, y: Array, fixed: dict[str, ArrayLike], random: Sequence[RandomTerm], what: str
    ) -> None:
        self.names = list(fixed)
        self.terms = [_Block.of(term) for term in random]
        x = np.column_stack([np.asarray(column, np.float64) for column in fixed.values()])
        z = np.hstack([block.z for block in self.terms])  # (rows, all levels × columns)
        self.n, self.q = z.shape
        ends = np.cumsum([block.size for block in self.terms]).tolist()
        self.slices = [slice(e - b.size, e) for e, b in zip(ends, self.terms, strict=True)]
        _check(y, x, self.terms, self.names, what)
        self.zz, self.zx, self.zy = z.T @ z, z.T @ x, z.T @ y
        self.xx, self.xy, self.yy = x.T @ x, x.T @ y, float(y @ y)

    @property
    def parameters(self) -> int:
        """How many entries θ has."""
        return sum(len(block.rows) for block in self.terms)

    def search(self, scale: float) -> tuple[float, Array]:
        """The minimum that is reached from Λ = scale · I, and where it is."""
        start = np.concatenate([np.where(b.rows == b.cols, scale, 0.0) for b in self.terms])
        found = minimize(
            self.deviance,
            start,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": STEPS, "maxfun": 2 * STEPS, "ftol": 1e-15, "gtol": 1e-6, "maxcor": 30},
        )
        return float(found.fun), np.asarray(found.x, np.float64)

    def deviance(self, theta: Array) -> tuple[float, Array]:
        """d(θ) and its gradient."""
        solved = self._solve(theta)
        d = solved.log_det + self.n * (1 + np.log(2 * np.pi * solved.r2 / self.n))
        inverse = cho_solve((solved.l, True), np.eye(self.q))
        residual = self.zy - self.zx @ solved.beta - solved.zzl @ solved.u  # Z'e
        slope = solved.zzl @ inverse
        gradient = []
        for block, at in zip(self.terms, self.slices, strict=True):
            e, u = residual[at].reshape(-1, block.k), solved.u[at].reshape(-1, block.k)
            full = 2 * block.sum_of_tiles(slope[at, at]) - 2 * self.n / solved.r2 * (e.T @ u)
            gradient.append(full[block.rows, block.cols])
        return float(d), np.concatenate(gradient)

    def describe(self, theta: Array) -> Fit:
        """The fit at θ, with all that can be read off it."""
        d, gradient = self.deviance(theta)
        solved = self._solve(theta)
        variance = solved.r2 / self.n
        spread = np.sqrt(np.diag(variance * cho_solve((solved.rx, True), np.eye(len(self.names)))))
        covariances = {}
        for block, part in zip(self.terms, self._split(theta), strict=True):
            t = block.template(part)
            covariances[block.name] = (variance * t @ t.T).tolist()
        return Fit(
            deviance=d,
            n=self.n,
            df=len(self.names) + self.parameters + 1,
            coefficients=dict(zip(self.names, solved.beta.tolist(), strict=True)),
            standard_errors=dict(zip(self.names, spread.tolist(), strict=True)),
            residual_variance=variance,
            covariances=covariances,
            slope=float(np.abs(gradient).max()),
        )

    def _solve(self, theta: Array) -> _Solved:
        """β, u and the factors of the penalised least-squares problem at θ."""
        parts = self._split(theta)
        zzl = np.empty_like(self.zz)  # Z'ZΛ
        for block, part, at in zip(self.terms, parts, self.slices, strict=True):
            zzl[:, at] = block.times(self.zz[:, at], part)
        m = self._from_left(zzl, parts)
        m[np.diag_indices(self.q)] += 1
        low = cholesky(m, lower=True, check_finite=False)
        cu = solve_triangular(low, self._from_left(self.zy[:, None], parts), lower=True)[:, 0]
        rzx = solve_triangular(low, self._from_left(self.zx, parts), lower=True)
        rx, _ = cho_factor(self.xx - rzx.T @ rzx, lower=True)
        beta = cho_solve((rx, True), self.xy - rzx.T @ cu)
        u = solve_triangular(low, cu - rzx @ beta, lower=True, trans="T")
        r2 = self.yy - float(cu @ cu) - float((self.xy - rzx.T @ cu) @ beta)
        return _Solved(low, rx, beta, u, zzl, r2, 2 * float(np.log(np.diag(low)).sum()))

    def _from_left(self, matrix: Array, parts: list[Array]) -> Array:
        """Λ' times a matrix."""
        made = np.empty_like(matrix)
        for block, part, at in zip(self.terms, parts, self.slices, strict=True):
            made[at] = block.times(matrix[at].T, part).T
        return made

    def _split(self, theta: Array) -> list[Array]:
        ends = np.cumsum([len(block.rows) for block in self.terms])
        return np.split(theta, ends[:-1])


@dataclass(frozen=True, slots=True)
class _Solved:
    l: Array  # Cholesky factor of Λ'Z'ZΛ + I  # noqa: E741
    rx: Array
    beta: Array
    u: Array
    zzl: Array
    r2: float
    log_det: float


@dataclass(frozen=True, slots=True)
class _Block:
    """A random term laid out as columns of Z: level by level, inside a level column by column."""

    name: str
    k: int
    z: Array  # (rows, levels × k)
    rows: NDArray[np.intp]
    cols: NDArray[np.intp]

    @classmethod
    def of(cls, term: RandomTerm) -> _Block:
        columns = np.asarray(term.columns, np.float64)
        n, k = columns.shape
        levels, code = np.unique(np.asarray(term.group), return_inverse=True)
        z = np.zeros((n, len(levels), k))
        z[np.arange(n), code] = columns
        rows, cols = np.tril_indices(k)
        return cls(term.name, k, z.reshape(n, -1), rows, cols)

    @property
    def size(self) -> int:
        return self.z.shape[1]

    def template(self, part: Array) -> Array:
        """The lower-triangular block that every level has in Λ."""
        made = np.zeros((self.k, self.k))
        made[self.rows, self.cols] = part
        return made

    def times(self, matrix: Array, part: Array) -> Array:
        """A matrix of this term's columns times its part of Λ."""
        wide = matrix.reshape(-1, self.k) @ self.template(part)
        return wide.reshape(matrix.shape)

    def sum_of_tiles(self, matrix: Array) -> Array:
        """The sum of the diagonal blocks of a matrix, one block for each level."""
        levels = self.size // self.k
        tiles = matrix.reshape(levels, self.k, levels, self.k)
        return np.asarray(np.einsum("aiaj->ij", tiles), np.float64)


def _check(y: Array, x: Array, terms: list[_Block], names: list[str], what: str) -> None:
    if not (np.isfinite(y).all() and np.isfinite(x).all()):
        raise DataError(f"{what}: a value is missing or infinite; take the row out")
    for block in terms:
        if block.size >= len(y):
            raise DataError(
                f"{what}: {block.size} random effects of {block.name} cannot be told from the "
                f"residuals of {len(y)} rows; give more results, or leave the term out"
            )
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise DataError(
            f"{what}: the fixed effects {', '.join(names)} cannot be told apart in {len(y)} rows; "
            "give results of more models and corpora, or leave an effect out"
        )
