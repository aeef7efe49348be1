"""Our reader of safetensors files: an array may not take more memory than the file has bytes."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from priscian.errors import ModelError
from priscian.models.safetensors_file import read_safetensors, write_safetensors


def save(path: Path, header: dict[str, Any], body: bytes) -> Path:
    head = json.dumps(header).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + body)
    return path


def entry(begin: int, end: int, dtype: str = "F32") -> dict[str, Any]:
    size = {"F32": 4, "F16": 2}[dtype]
    return {"dtype": dtype, "shape": [(end - begin) // size], "data_offsets": [begin, end]}


def test_arrays_come_back_as_they_were_written(tmp_path: Path) -> None:
    made = {"b": np.arange(6.0).reshape(2, 3), "a": np.ones(0), "c": np.full(1, -2.5)}
    write_safetensors(tmp_path / "w", made)
    found = read_safetensors(tmp_path / "w")
    assert sorted(found) == ["a", "b", "c"]
    assert all(np.array_equal(found[name], made[name]) for name in made)


def test_arrays_in_any_order_are_read(tmp_path: Path) -> None:
    body = np.arange(3, dtype="<f4").tobytes()
    save(tmp_path / "w", {"a": entry(8, 12), "b": entry(0, 8), "c": entry(8, 8)}, body)
    found = read_safetensors(tmp_path / "w")
    assert (found["a"].tolist(), found["b"].tolist(), found["c"].tolist()) == ([2], [0, 1], [])


def test_bytes_that_belong_to_no_array_are_refused(tmp_path: Path) -> None:
    save(tmp_path / "w", {"a": entry(0, 4), "b": entry(8, 12)}, bytes(12))
    with pytest.raises(ModelError, match=r"w is damaged \(.*\); copy it again"):
        read_safetensors(tmp_path / "w")


@pytest.mark.parametrize("value", [np.nan, np.inf, -2e6])
def test_a_weight_that_is_no_number_or_far_too_large_is_refused(
    value: float, tmp_path: Path
) -> None:
    write_safetensors(tmp_path / "w", {"a": np.array([0.0, value])})
    with pytest.raises(ModelError, match="a weight is not a number, or far too large"):
        read_safetensors(tmp_path / "w")


def test_a_shared_range_takes_no_memory_before_it_is_refused(tmp_path: Path) -> None:
    size = 20_000_000
    save(tmp_path / "w", {f"a{n}": entry(0, size) for n in range(3000)}, bytes(size))
    tracemalloc.start()
    with pytest.raises(ModelError, match=r"w is damaged \(.*\); copy it again"):
        read_safetensors(tmp_path / "w")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 3 * size


@pytest.mark.parametrize(
    "header",
    [
        {f"a{n}": entry(0, 16) for n in range(3000)},
        {"a": entry(0, 12), "b": entry(8, 16)},
        {"a": entry(0, 16), "b": entry(4, 8, "F16")},
    ],
)
def test_arrays_that_share_bytes_are_refused(tmp_path: Path, header: dict[str, Any]) -> None:
    save(tmp_path / "w", header, bytes(16))
    with pytest.raises(ModelError, match=r"w is damaged \(.*[Oo]ffset.*\); copy it again"):
        read_safetensors(tmp_path / "w")


@pytest.mark.parametrize(
    "entry_",
    [
        {}, [], None, 5, {"data_offsets": 5}, {"data_offsets": [0]}, {"data_offsets": ["a", "b"]},
        {"data_offsets": [0, None]}, {"data_offsets": [-8, 8], "dtype": "F32", "shape": [4]},
        {"data_offsets": [0, 99], "dtype": "F32", "shape": [4]},
        {"data_offsets": [0, 16], "dtype": "F8", "shape": [4]},
        {"data_offsets": [0, 16], "dtype": "F32", "shape": [-4, -1]},
        {"data_offsets": [0, 16], "dtype": "F32", "shape": "4"},
        {"data_offsets": [0.0, 16.0], "dtype": "F32", "shape": [4]},
    ],
)  # fmt: skip
def test_an_entry_that_describes_no_array_is_one_line(tmp_path: Path, entry_: Any) -> None:
    save(tmp_path / "w", {"b": entry(0, 16), "a": entry_}, bytes(16))
    with pytest.raises(ModelError, match=r"w is damaged \(.*\); copy it again"):
        read_safetensors(tmp_path / "w")
