"""Safetensors files as NumPy arrays, without torch: a JSON header, then raw numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.files import regular, replacing

LARGEST_HEADER = 100_000_000
LARGEST = 1e6
"""Largest weight; larger ones mean damage, and sums would overflow."""
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}

Floats32 = npt.NDArray[np.float32]


def read_safetensors(path: Path) -> dict[str, Floats32]:
    """Every array of a file as float32, each checked against the size of the file."""
    try:
        data = regular(path).read_bytes()
    except OSError as error:
        raise ModelError(
            f"cannot read {path}: {error.strerror}; check the path and its permissions"
        ) from None
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(LARGEST_HEADER, len(data) - 8):
        raise ModelError(f"{path} is not a safetensors file or is cut short; copy it again")
    body = memoryview(data)[8 + length :]
    try:
        header = json.loads(data[8 : 8 + length])
        header.pop("__metadata__", None)
        _refuse_overlaps(header)
        return {str(name): _array(body, **facts) for name, facts in header.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ModelError(f"{path} is damaged ({error}); copy it again") from None


def write_safetensors(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays as float32, whole or not at all; one array at a time is in memory."""
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


def _refuse_overlaps(header: Mapping[str, Any]) -> None:
    """Arrays that share bytes could be many times as large as their file."""
    reached = 0
    for begin, end in sorted(facts["data_offsets"] for facts in header.values()):
        if begin < reached:
            raise ValueError("two arrays share their bytes")
        reached = end


def _array(body: memoryview, dtype: str, shape: list[int], data_offsets: list[int]) -> Floats32:
    begin, end = data_offsets
    kind = np.dtype(_DTYPES[dtype])
    if not 0 <= begin <= end <= len(body) or prod(shape) * kind.itemsize != end - begin:
        raise ValueError("an array does not fit the file")
    values = np.frombuffer(body[begin:end], kind)
    # comparisons with NaN are false
    if len(values) and not (float(values.min()) >= -LARGEST and float(values.max()) <= LARGEST):
        raise ValueError("a weight is not a number, or far too large")
    return values.reshape(shape).astype(np.float32)
