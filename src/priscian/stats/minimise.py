"""The minimum of a smooth function whose gradient is known: BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Smooth = Callable[[Array], tuple[float, Array]]
"""A function's value and gradient at a point."""

DECREASE, CURVATURE = 1e-4, 0.9
"""Wolfe's conditions on a step: how much lower, how much flatter."""
ROUNDING = 1e-14
"""A step that lowers the value by less than this share of it is lost in rounding."""


def minimise(
    function: Smooth, start: Array, *, flat: float = 1e-6, steps: int = 2000
) -> tuple[float, Array]:
    """The lowest value that is reached from a point, and where.

    Nocedal & Wright (2006), Numerical Optimization, algorithm 6.1, with the bracketing line search
    of Lewis & Overton (2013), Mathematical Programming 141, 135–163. It ends where no entry of the
    gradient is over `flat`, or where rounding hides any further descent.

    >>> value, where = minimise(lambda x: (float(x @ x), 2 * x), np.array([3.0, -4.0]))
    >>> round(value, 6), where.round(6).tolist()
    (0.0, [0.0, 0.0])
    """
    x: Array = np.array(start, np.float64)
    value, gradient = function(x)
    inverse: Array = np.eye(len(x))
    for step in range(steps):
        if np.abs(gradient).max() <= flat:
            break
        direction: Array = -inverse @ gradient
        if direction @ gradient >= 0:  # rounding has spoilt the curvature: begin it anew
            inverse = np.eye(len(x))
            direction = -gradient
        first = min(1.0, 1 / float(np.abs(gradient).sum())) if step == 0 else 1.0
        found = _line_search(function, x, value, gradient, direction, first)
        if found is None:
            break
        new, new_value, new_gradient = found
        moved, turned = new - x, new_gradient - gradient
        product = float(moved @ turned)
        if product > 0:
            if step == 0:
                inverse *= product / float(turned @ turned)
            inverse = _updated(inverse, moved, turned, product)
        gained = value - new_value
        x, value, gradient = new, new_value, new_gradient
        if gained <= ROUNDING * max(1.0, abs(value)):
            break
    return value, x


def _updated(inverse: Array, moved: Array, turned: Array, product: float) -> Array:
    """The inverse Hessian, made to agree with the last step."""
    applied = inverse @ turned
    cross = np.outer(applied, moved)
    scale = (1 + float(turned @ applied) / product) / product
    updated: Array = inverse + scale * np.outer(moved, moved) - (cross + cross.T) / product
    return updated


def _line_search(
    function: Smooth, x: Array, value: float, gradient: Array, direction: Array, length: float
) -> tuple[Array, float, Array] | None:
    """A point along a direction that meets Wolfe's conditions; None where there is no descent."""
    slope = float(direction @ gradient)
    low, high = 0.0, np.inf
    best = None
    for _ in range(60):
        at = x + length * direction
        reached, there = function(at)
        if not reached <= value + DECREASE * length * slope:
            high = length
        elif float(direction @ there) < CURVATURE * slope:
            low = length
            best = (at, reached, there)
        else:
            return at, reached, there
        length = (low + high) / 2 if np.isfinite(high) else 2 * low
    return best
