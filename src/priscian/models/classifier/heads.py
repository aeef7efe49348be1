"""Heads: from one vector per text to a logit. They need NumPy alone and are kept as safetensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.models.safetensors_file import Floats32, read_safetensors, write_safetensors

Floats = npt.NDArray[np.float64]

SMALLEST = 1e-8
"""A dimension that varies less is constant."""


def standardise(states: Floats32, mean: Floats32, scale: Floats32) -> Floats:
    """Every dimension less its mean, in units of its scale."""
    return (states.astype(np.float64) - mean) / scale


def spread(states: Floats32) -> tuple[Floats32, Floats32]:
    """Mean and standard deviation of every dimension; a constant one has scale 1."""
    mean = states.mean(0, dtype=np.float64)
    scale = states.std(0, dtype=np.float64)
    scale = np.where(scale > SMALLEST, scale, 1.0)
    return mean.astype(np.float32), scale.astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class LinearHead:
    """Logistic regression on standardised vectors."""

    mean: Floats32  # (width,)
    scale: Floats32  # (width,)
    weights: Floats32  # (width,)
    intercept: float

    def logits(self, states: Floats32) -> Floats:
        """The logit of each row: (texts,)."""
        x = standardise(states, self.mean, self.scale)
        return np.asarray(x @ self.weights.astype(np.float64) + self.intercept)

    def save(self, path: Path) -> None:
        """Write it as safetensors."""
        arrays = {"mean": self.mean, "scale": self.scale, "weights": self.weights}
        write_safetensors(path, arrays | {"intercept": np.array([self.intercept])})


@dataclass(frozen=True, slots=True, eq=False)
class MlpHead:
    """One hidden layer of rectified units on standardised vectors."""

    mean: Floats32  # (width,)
    scale: Floats32  # (width,)
    inner: Floats32  # (hidden, width)
    inner_bias: Floats32  # (hidden,)
    outer: Floats32  # (hidden,)
    outer_bias: float

    def logits(self, states: Floats32) -> Floats:
        """The logit of each row: (texts,)."""
        x = standardise(states, self.mean, self.scale)
        hidden = np.maximum(x @ self.inner.astype(np.float64).T + self.inner_bias, 0.0)
        return np.asarray(hidden @ self.outer.astype(np.float64) + self.outer_bias)

    def save(self, path: Path) -> None:
        """Write it as safetensors."""
        arrays = {"mean": self.mean, "scale": self.scale}
        arrays |= {"inner": self.inner, "inner_bias": self.inner_bias, "outer": self.outer}
        write_safetensors(path, arrays | {"outer_bias": np.array([self.outer_bias])})


Head = LinearHead | MlpHead


def read_head(path: Path) -> Head:
    """A head from its file; its parts must fit together."""
    found = read_safetensors(path)
    try:
        mean, scale = found["mean"], found["scale"]
        _check_shapes(found)
        if "inner" not in found:
            return LinearHead(mean, scale, found["weights"], float(found["intercept"][0]))
        inner, bias, outer = found["inner"], found["inner_bias"], found["outer"]
        return MlpHead(mean, scale, inner, bias, outer, float(found["outer_bias"][0]))
    except (KeyError, IndexError, ValueError) as error:
        raise ModelError(
            f"{path} is not the head of a classifier ({error}); train it again"
        ) from None


def _check_shapes(found: Mapping[str, Floats32]) -> None:
    width = found["mean"].shape
    shapes = {"scale": width, "weights": width}
    if "inner" in found:
        hidden = found["inner_bias"].shape
        shapes = {"scale": width, "inner": (*hidden, *width), "outer": hidden}
    for name, shape in shapes.items():
        if len(width) != 1 or found[name].shape != shape:
            raise ValueError(f"{name} has the shape {found[name].shape}, not {shape}")
    if not (found["scale"] >= SMALLEST).all():
        raise ValueError("scale has a value that is not above 0")
