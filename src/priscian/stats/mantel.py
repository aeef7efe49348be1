"""Mantel's test: do two matrices of distances between the same things go together?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from priscian.errors import DataError

Floats = npt.NDArray[np.float64]

PERMUTATIONS = 10_000


class Mantel(Struct, frozen=True):
    """Pearson's r of the distances, and the share of permutations with at least that r.

    Both are NaN where all distances of one matrix are equal.
    """

    r: float
    p: float
    things: int
    permutations: int


def mantel(one: Floats, other: Floats, seed: int = 0, permutations: int = PERMUTATIONS) -> Mantel:
    """Pearson's correlation of two symmetric matrices of distances, tested by permutation.

    The rows and columns of one matrix are permuted together; p is the share of permutations, the
    given order included, whose correlation is as high or higher (one-sided). Mantel (1967), Cancer
    Research 27, 209–220.

    >>> line = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    >>> round(mantel(line, line).r, 6)
    1.0
    """
    n = len(one)
    if one.shape != (n, n) or other.shape != (n, n) or n < 3:
        raise DataError(
            f"matrices of {one.shape} and {other.shape}; Mantel's test needs two square ones of "
            "one size, of at least 3 things"
        )
    upper = np.triu_indices(n, 1)
    a, b = one[upper], other[upper]
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return Mantel(float("nan"), float("nan"), n, 0)
    x = (a - a.mean()) / np.linalg.norm(a - a.mean())
    centred, length = b.mean(), np.linalg.norm(b - b.mean())
    r = float(x @ (b - centred) / length)
    rng = np.random.default_rng(seed)
    reached = 1
    for _ in range(permutations):
        order = rng.permutation(n)
        drawn = other[np.ix_(order, order)][upper]
        reached += float(x @ (drawn - centred) / length) >= r - 1e-12
    return Mantel(r, reached / (permutations + 1), n, permutations)
