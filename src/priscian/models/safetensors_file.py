"""Safetensors files as NumPy arrays, without torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load

from priscian.errors import ModelError
from priscian.files import replacing
from priscian.models.fingerprint import read_bytes

LARGEST_HEADER = 100_000_000
LARGEST = 1e6
"""Largest weight; larger ones mean damage, and sums would overflow."""

Floats32 = npt.NDArray[np.float32]


def read_safetensors(path: Path) -> dict[str, Floats32]:
    """Every array of a file as float32, each weight checked.

    The library refuses arrays that share bytes, or that do not fit the file, before it makes any.
    """
    try:
        found = load(read_bytes(path))
    except (SafetensorError, KeyError) as error:
        raise ModelError(f"{path} is damaged ({error}); copy it again") from None
    for values in found.values():
        # comparisons with NaN are false
        real = values.dtype.kind != "c"
        if values.size and not (real and values.min() >= -LARGEST and values.max() <= LARGEST):
            raise ModelError(
                f"{path} is damaged (a weight is not a number, or far too large); copy it again"
            )
    return {name: values.astype(np.float32) for name, values in found.items()}


def write_safetensors(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays as float32, in their order, atomically; one at a time is copied.

    The library's own writer would copy all of them, and sort them by name.
    """
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, array in arrays.items():
        shape = list(array.shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + 4 * array.size]}
        at += 4 * array.size
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array, "<f4").tobytes())
