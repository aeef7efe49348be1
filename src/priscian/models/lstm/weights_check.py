"""Whether the arrays of a recurrent model fit together: names and shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt


class UnsoundError(ValueError):
    """What is wrong with the contents of a model file."""


def check_weights(weights: Mapping[str, npt.NDArray[Any]], vocabulary: int) -> None:
    """Raise UnsoundError unless there are just the arrays of a network with such a vocabulary.

    Bands of the softmax have a table (words, width), a bias and, but for the first, a map to the
    width of the first; layers have the four arrays of an LSTM; `out` leads back to that width.
    """
    bands = _numbered(weights, "tables.")
    layers = _numbered(weights, "lstm.weight_ih_l")
    if not bands or not layers:
        raise UnsoundError("it has no tables or no layers")
    shapes = {name: array.shape for name, array in weights.items()}
    sizes = [shapes[f"tables.{n}"] for n in range(bands)]
    if any(len(size) != 2 for size in sizes):
        raise UnsoundError("a table is not a matrix")
    width = sizes[0][1]
    hidden = shapes["lstm.weight_ih_l0"][0] // 4
    wanted: dict[str, tuple[int, ...]] = {
        "out.weight": (width, hidden),
        "out.bias": (width,),
        "bands": (bands - 1, width),
        "band_bias": (bands - 1,),
    }
    for n, size in enumerate(sizes):
        wanted[f"tables.{n}"] = size
        wanted[f"biases.{n}"] = (size[0],)
        if n:
            wanted[f"maps.{n - 1}"] = (size[1], width)
    for layer in range(layers):
        wanted[f"lstm.weight_ih_l{layer}"] = (4 * hidden, hidden if layer else width)
        wanted[f"lstm.weight_hh_l{layer}"] = (4 * hidden, hidden)
        wanted[f"lstm.bias_ih_l{layer}"] = wanted[f"lstm.bias_hh_l{layer}"] = (4 * hidden,)
    for name in sorted(wanted.keys() | shapes.keys()):
        if wanted.get(name) != shapes.get(name):
            raise UnsoundError(
                f"its array {name!r} has the shape {shapes.get(name)}, not {wanted.get(name)}"
            )
    if sum(size[0] for size in sizes) != vocabulary:
        raise UnsoundError(f"its tables are not for its {vocabulary:,} tokens")


def _numbered(weights: Mapping[str, object], prefix: str) -> int:
    """How many arrays are called `prefix` and a number from 0 on, without a gap."""
    count = 0
    while f"{prefix}{count}" in weights:
        count += 1
    return count
