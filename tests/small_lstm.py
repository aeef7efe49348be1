"""The pieces and weights of a recurrent model that is small enough to be read in a millisecond."""

from __future__ import annotations

from typing import Any

import numpy as np

from priscian.models.plstm import BOUNDARY, BYTES, WordPieces

Arrays = dict[str, Any]

PIECES = WordPieces((BOUNDARY, *BYTES, "a", "b", "##b"), (("a", "##b"),))


def weights(**changes: Any) -> Arrays:
    """A network of two bands and one layer, with some arrays changed."""
    random = np.random.default_rng(1)
    shapes = {
        "tables.0": (200, 4), "tables.1": (60, 2), "maps.0": (2, 4), "bands": (1, 4),
        "biases.0": (200,), "biases.1": (60,), "band_bias": (1,),
        "lstm.weight_ih_l0": (12, 4), "lstm.weight_hh_l0": (12, 3),
        "lstm.bias_ih_l0": (12,), "lstm.bias_hh_l0": (12,),
        "out.weight": (4, 3), "out.bias": (4,),
    }  # fmt: skip
    made = {name: random.normal(size=shape).astype("f4") for name, shape in shapes.items()}
    for name, change in changes.items():
        name = name.replace("__", ".")
        if change is None:
            del made[name]
        else:
            made[name] = np.zeros(change, "f4")
    return made
