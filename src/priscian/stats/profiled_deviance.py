"""The profiled deviance of a linear mixed model, and its gradient, by block elimination.

The model is y = Xβ + ZΛu + ε with u ~ N(0, σ²I) and ε ~ N(0, σ²I). Λ is block diagonal: every
level of a random term has the same lower-triangular template, whose entries are θ. β and σ² have a
closed form given θ, which leaves

    d(θ) = log|Λ'Z'ZΛ + I| + n (1 + log(2π r²(θ) / n)),
    r²(θ) = min over β, u of ‖y − Xβ − ZΛu‖² + ‖u‖²

(Bates, Mächler, Bolker & Walker 2015, Fitting linear mixed-effects models using lme4, J. Stat.
Software 67(1), eq. 34). As r² is a minimum over β and u, only its direct dependence on Λ counts:
∂r²/∂Λ = −2 Z'e u'. And ∂ log|M| / ∂Λ = 2 Z'ZΛM⁻¹ with M = Λ'Z'ZΛ + I.

Levels of one term share no row of data, so the widest term's part of M is a stack of small blocks.
They are eliminated first; the rest (the other terms, X and y) is small and dense. Small matrices
also keep BLAS from starting threads, which can be a hundred times slower on a busy machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from priscian.errors import DataError

Array: TypeAlias = NDArray[np.floating[Any]]
NOTHING = 1e-12
"""A share of the sum of squares that is only rounding."""


@dataclass(frozen=True, slots=True)
class EffectBlock:
    """A random term laid out as columns of Z: level by level, inside a level column by column."""

    name: str
    columns: Array  # (rows, k)
    level: NDArray[np.intp]  # (rows,)
    levels: int

    @classmethod
    def of(cls, name: str, group: Sequence[str], columns: Array) -> EffectBlock:
        """The term `(columns | group)`."""
        found, level = np.unique(np.asarray(group), return_inverse=True)
        return cls(name, columns, level, len(found))

    @property
    def k(self) -> int:
        """Effects of one level."""
        return int(self.columns.shape[1])

    @property
    def size(self) -> int:
        """Effects of all levels."""
        return self.levels * self.k

    @property
    def entries(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Row and column in the template of each entry of θ."""
        return np.tril_indices(self.k)

    def design(self) -> Array:
        """Z of this term."""
        rows = len(self.level)
        z = np.zeros((rows, self.levels, self.k))
        z[np.arange(rows), self.level] = self.columns
        return z.reshape(rows, -1)

    def template(self, part: Array) -> Array:
        """The lower-triangular block in Λ that all levels share."""
        made = np.zeros((self.k, self.k))
        made[self.entries] = part
        return made

    def sum_of_tiles(self, matrix: Array) -> Array:
        """The sum of the diagonal blocks of a matrix over this term, one for each level."""
        tiles = matrix.reshape(self.levels, self.k, self.levels, self.k)
        return np.asarray(np.einsum("aiaj->ij", tiles), np.float64)


@dataclass(frozen=True, slots=True)
class Solution:
    """The penalised least-squares problem, solved at one θ."""

    r2: float
    log_det: float
    beta: Array
    precision: Array
    """Inverse of β's covariance, times σ²."""
    u: Array  # (levels, k) of the first term
    u_rest: Array  # (effects of the other terms,)
    template: Array
    m: Array  # (levels, k, k): the first term's part of M
    z_rest: Array  # (levels, k, rest): its products with the other terms, times their Λ
    rest: Array  # (rest, rest): the others' part of M, the first term eliminated
    lambda_rest: Array


class Problem:
    """d(θ) for one set of data, fixed effects and random terms."""

    def __init__(self, y: Array, x: Array, blocks: Sequence[EffectBlock]) -> None:
        self.order = sorted(range(len(blocks)), key=lambda i: -blocks[i].size)
        self.first, *self.others = (blocks[i] for i in self.order)
        self.n, self.p = x.shape
        levels, k = self.first.levels, self.first.k
        dense = np.column_stack([*(b.design() for b in self.others), x, y])
        z = self.first.design()
        self.r = dense.shape[1] - self.p - 1
        self.own = np.zeros((levels, k, k))
        for level in range(levels):
            rows = self.first.columns[self.first.level == level]
            self.own[level] = rows.T @ rows
        self.cross = (z.T @ dense).reshape(levels, k, -1)
        self.dense = dense.T @ dense
        sizes = [len(b.entries[0]) for b in (self.first, *self.others)]
        self.cuts = np.cumsum(sizes)[:-1]
        self.parameters = sum(sizes)

    def start(self, scale: float) -> Array:
        """θ of Λ = scale · I."""
        return np.concatenate(
            [np.where(b.entries[0] == b.entries[1], scale, 0.0) for b in self.all_blocks]
        )

    @property
    def all_blocks(self) -> list[EffectBlock]:
        """The terms in the order of θ: the widest first."""
        return [self.first, *self.others]

    def templates(self, theta: Array) -> list[Array]:
        """Each term's template, in the order of θ."""
        parts = np.split(theta, self.cuts)
        return [b.template(part) for b, part in zip(self.all_blocks, parts, strict=True)]

    def solve(self, theta: Array) -> Solution:
        """β, u and r² at θ."""
        r, p = self.r, self.p
        t, *others = self.templates(theta)
        lambda_rest = np.zeros((r, r))
        at = 0
        for block, template in zip(self.others, others, strict=True):
            size = slice(at, at + block.size)
            lambda_rest[size, size] = np.kron(np.eye(block.levels), template)
            at += block.size
        z_rest = self.cross[:, :, :r] @ lambda_rest
        m = t.T @ self.own @ t + np.eye(self.first.k)
        low = np.linalg.cholesky(m)
        w = np.linalg.solve(low, t.T @ np.concatenate([z_rest, self.cross[:, :, r:]], axis=2))
        s = -np.matmul(w.transpose(0, 2, 1), w).sum(axis=0)  # (rest + p + 1) squared
        s[:r, :r] += lambda_rest.T @ self.dense[:r, :r] @ lambda_rest + np.eye(r)
        s[:r, r:] += lambda_rest.T @ self.dense[:r, r:]
        s[r:, r:] += self.dense[r:, r:]
        low_rest = np.linalg.cholesky(s[:r, :r])
        v = np.linalg.solve(low_rest, s[:r, r:])
        xy = s[r:, r:] - v.T @ v
        beta = np.linalg.solve(xy[:p, :p], xy[:p, p])
        u_rest = np.linalg.solve(s[:r, :r], s[:r, -1] - s[:r, r : r + p] @ beta)
        left = self.cross[:, :, -1] - self.cross[:, :, r : r + p] @ beta - z_rest @ u_rest
        return Solution(
            r2=float(xy[p, p] - xy[:p, p] @ beta),
            log_det=2 * (_log_diagonal(low) + _log_diagonal(low_rest)),
            beta=beta,
            precision=xy[:p, :p],
            u=np.linalg.solve(m, (left @ t)[:, :, None])[:, :, 0],
            u_rest=u_rest,
            template=t,
            m=m,
            z_rest=z_rest,
            rest=s[:r, :r],
            lambda_rest=lambda_rest,
        )

    def deviance(self, theta: Array) -> tuple[float, Array]:
        """d(θ) and its gradient."""
        at = self.solve(theta)
        if at.r2 <= NOTHING * float(self.dense[-1, -1]):
            raise DataError("the fixed effects explain every score, and nothing is left to test")
        d = at.log_det + self.n * (1 + float(np.log(2 * np.pi * at.r2 / self.n)))
        det_first, det_rest = self._slope_of_determinant(at)
        e_first, e_rest = self._residuals(at)
        weight = self.n / at.r2
        slopes = [2 * (det_first - weight * e_first.T @ at.u)[self.first.entries]]
        begin = 0
        for block in self.others:
            size = slice(begin, begin + block.size)
            begin += block.size
            e, u = e_rest[size].reshape(-1, block.k), at.u_rest[size].reshape(-1, block.k)
            full = block.sum_of_tiles(det_rest[size, size]) - weight * e.T @ u
            slopes.append(2 * full[block.entries])
        return d, np.concatenate(slopes)

    def _slope_of_determinant(self, at: Solution) -> tuple[Array, Array]:
        """Z'ZΛM⁻¹: the first term's tiles summed, and the part of the other terms."""
        q = np.linalg.solve(at.m, at.template.T @ at.z_rest)  # (levels, k, rest)
        inverse = np.linalg.inv(at.rest)
        corner = -q @ inverse  # M⁻¹ between the first term and the others
        own = np.linalg.inv(at.m) - corner @ q.transpose(0, 2, 1)
        first = (self.own @ at.template @ own + at.z_rest @ corner.transpose(0, 2, 1)).sum(axis=0)
        across = self.cross[:, :, : self.r].transpose(0, 2, 1) @ (at.template @ corner)
        rest = across.sum(axis=0) + self.dense[: self.r, : self.r] @ at.lambda_rest @ inverse
        return first, rest

    def _residuals(self, at: Solution) -> tuple[Array, Array]:
        """Z'e of the first term, level by level, and of the others."""
        r, p = self.r, self.p
        tu = at.u @ at.template.T  # (levels, k)
        first = self.cross[:, :, -1] - self.cross[:, :, r : r + p] @ at.beta
        first = first - (self.own @ tu[:, :, None])[:, :, 0] - at.z_rest @ at.u_rest
        rest = self.dense[:r, -1] - self.dense[:r, r : r + p] @ at.beta
        rest = rest - (self.cross[:, :, :r] * tu[:, :, None]).sum(axis=(0, 1))
        return first, rest - self.dense[:r, :r] @ at.lambda_rest @ at.u_rest


def _log_diagonal(low: Array) -> float:
    return float(np.log(np.diagonal(low, axis1=-2, axis2=-1)).sum())
