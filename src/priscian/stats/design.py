"""Columns of a design matrix: categories as 0 and 1, and interactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Effect: TypeAlias = dict[str, NDArray[np.float64]]
"""The columns of one effect, by name."""


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
