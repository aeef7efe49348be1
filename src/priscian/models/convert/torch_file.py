"""Files of `torch.save`, old and new, read without torch and without running anything in them.

The older format is five pickles (a magic number, the protocol, facts of the machine, the object,
the keys of its storages) followed by the storages: a count of 8 bytes, then the numbers. The newer
one is an uncompressed zip archive with `data.pkl` and a file for each storage.
"""

from __future__ import annotations

import mmap
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.files import regular
from priscian.models.convert.inert import (
    MOST_BYTES,
    Global,
    InertError,
    Made,
    PickleReader,
    read_pickle,
)

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
MOST_ARRAYS = 10_000
DEEPEST = 40
"""Modules inside each other."""
_DTYPES = {
    "FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2", "LongStorage": "<i8",
    "IntStorage": "<i4", "ShortStorage": "<i2", "CharStorage": "|i1", "ByteStorage": "|u1",
    "BoolStorage": "|b1",
}  # fmt: skip

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Storage:
    """Numbers that lie outside the pickle."""

    dtype: str
    key: str
    count: int
    first: int = 0
    """Where a view into a larger storage begins."""
    whole: int = 0
    """Numbers of the larger storage, 0 if there is none."""


@dataclass(frozen=True, slots=True)
class TorchFile:
    """What a file holds: an inert value, and the numbers that its tensors are made of."""

    value: object
    storages: Mapping[str, Array]
    size: int  # bytes of the file

    def arrays(self) -> dict[str, Array]:
        """Every parameter and buffer of a module, or every tensor of a state dictionary, by name.

        Arrays are views of the file: nothing is copied.
        """
        found: dict[str, Array] = {}
        _collect(self, self.value, "", found, (), [0])
        if not found:
            raise InertError("it holds neither a module nor a dictionary of tensors")
        if sum(array.nbytes for array in found.values()) > 4 * self.size:
            raise InertError("its tensors are larger than the file")
        return found


def read_torch_file(path: Path) -> TorchFile:
    """Read a file of `torch.save`; nothing in it is run.

    >>> read_torch_file(Path("model.pt")).arrays()["encoder.weight"].shape  # doctest: +SKIP
    (50001, 650)
    """
    return _read(path, plain=False)


def read_pickled(path: Path) -> object:
    """The inert value of a file of `torch.save` or of `pickle.dump`; nothing in it is run."""
    return _read(path, plain=True).value


def _read(path: Path, *, plain: bool) -> TorchFile:
    try:
        with regular(path).open("rb") as file:
            head = file.read(4)
            if head[:2] == b"PK":
                return _read_zip(path)
            file.seek(0)
            return _read_legacy(file, path.stat().st_size, plain=plain)
    except (OSError, ValueError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or error
        raise unreadable(path, reason) from None
    except (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError,
            KeyError, EOFError, OverflowError) as error:  # fmt: skip
        reason = str(error) or type(error).__name__
        raise unreadable(path, f"its archive is damaged: {reason[:100]}") from None


def unreadable(path: Path, reason: object) -> ModelError:
    """The error of a file that holds no model that we can read."""
    return ModelError(
        f"{path} cannot be read: {reason}; give a file that torch.save has written, or copy it "
        "again"
    )


# ------------------------------------------------------------ the two formats


def _read_legacy(file: BinaryIO, size: int, *, plain: bool) -> TorchFile:
    """With `plain`, a file that is one pickle and nothing else is read too."""
    reader = PickleReader(file.read(MOST_BYTES))
    known: dict[str, Storage] = {}
    try:
        magic = reader.value(_refuse)
    except InertError as error:
        raise InertError(f"it is not a file of torch.save ({error})") from None
    if plain and magic != MAGIC:
        return TorchFile(magic, {}, size)
    if magic != MAGIC:
        raise InertError("it is not a file of torch.save (its magic number is wrong)")
    protocol, machine = reader.value(_refuse), reader.value(_refuse)
    if protocol != PROTOCOL:
        raise InertError("it has another version of the format of torch.save")
    if isinstance(machine, dict) and machine.get("little_endian") is False:
        raise InertError("it was written on a big-endian machine")
    value = reader.value(lambda reference: _refer(reference, known))
    keys = reader.value(_refuse)
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise InertError("it has no list of its storages")
    data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    at = reader.place
    storages: dict[str, Array] = {}
    for key in keys:
        storage = known.get(key)
        if storage is None:
            raise InertError("it has a storage that no tensor refers to")
        count, dtype = storage.whole or storage.count, np.dtype(storage.dtype)
        if at + 8 + count * dtype.itemsize > size:
            raise InertError("it is cut short: a storage is larger than what is left of the file")
        if int.from_bytes(data[at : at + 8], "little") != count:
            raise InertError("a storage has another size than its tensors say")
        storages[key] = np.frombuffer(data, dtype, count, at + 8)
        at += 8 + count * dtype.itemsize
    return TorchFile(value, storages, size)


def _read_zip(path: Path) -> TorchFile:
    size = path.stat().st_size
    known: dict[str, Storage] = {}
    with zipfile.ZipFile(path) as archive:
        entries = {info.filename: info for info in archive.infolist()}
        name = next((name for name in entries if name.endswith("/data.pkl")), None)
        if name is None:
            raise InertError("it is a zip archive without data.pkl")
        place = name.removesuffix("data.pkl")
        room = size

        def take(name: str) -> bytes:
            nonlocal room
            info = entries[name]
            # a small archive can unfold to anything, and its entries may overlap
            room -= info.file_size
            if info.compress_type != zipfile.ZIP_STORED or room < 0:
                raise InertError("its archive is compressed or larger inside than outside")
            return archive.read(info)

        order = take(f"{place}byteorder") if f"{place}byteorder" in entries else b"little"
        if order != b"little":
            raise InertError("it was written on a big-endian machine")
        if entries[name].file_size > MOST_BYTES:
            raise InertError(f"its data.pkl has more than {MOST_BYTES:,} bytes")
        value = read_pickle(take(name), lambda reference: _refer(reference, known))
        storages: dict[str, Array] = {}
        for key, storage in known.items():
            if f"{place}data/{key}" not in entries:
                raise InertError("a storage is missing from its archive")
            data = take(f"{place}data/{key}")
            if len(data) < storage.count * np.dtype(storage.dtype).itemsize:
                raise InertError("a storage is smaller than its tensors say")
            storages[key] = np.frombuffer(data, storage.dtype, storage.count)
    return TorchFile(value, storages, size)


def _refuse(reference: object) -> object:
    raise InertError("it refers to storages before its object begins")


def _refer(reference: object, known: dict[str, Storage]) -> object:
    """What a reference to the outside stands for: a storage, or a class with its source."""
    if not isinstance(reference, tuple) or not reference:
        raise InertError("it refers to something that is not a storage")
    if reference[0] == "module" and len(reference) == 4:
        return reference[1]  # the class; its source text stays where it is
    if reference[0] != "storage" or len(reference) not in (5, 6):
        raise InertError("it refers to something that is not a storage")
    kind, key, _, count, *view = reference[1:]
    name = kind.name if isinstance(kind, Global) else ""
    if name not in _DTYPES:
        raise InertError(f"it has tensors of type {name[:40] or 'unknown'}, which is not supported")
    if not isinstance(key, str | int) or not _is_count(count):
        raise InertError("it describes a storage in a way that no torch does")
    storage = Storage(_DTYPES[name], str(key), count)
    if view and view[0] is not None:
        if not (isinstance(view[0], tuple) and len(view[0]) == 3):
            raise InertError("it describes a view in a way that no torch does")
        _, first, length = view[0]
        if not _is_count(first) or not _is_count(length) or first + length > count:
            raise InertError("a view is larger than its storage")
        storage = Storage(_DTYPES[name], str(key), length, first, count)
    before = known.setdefault(storage.key, storage)
    if (before.dtype, before.whole or before.count) != (storage.dtype, count):
        raise InertError("two tensors disagree about a storage")
    return storage


# ------------------------------------------------------------ tensors and modules


def _collect(
    file: TorchFile,
    value: object,
    prefix: str,
    found: dict[str, Array],
    above: tuple[int, ...],
    seen: list[int],
) -> None:
    """Add the tensors of a module or dictionary, and of the modules in it, under their names."""
    seen[0] += 1  # a module may be in several places, but not in 2 ** 40 of them
    if id(value) in above or len(above) > DEEPEST or seen[0] > MOST_ARRAYS:
        raise InertError("a module contains itself, or modules are nested too deeply")
    state = value.state if isinstance(value, Made) else None
    tensors, modules = mapping(value), {}
    if isinstance(state, dict) and ("_parameters" in state or "_modules" in state):
        tensors = mapping(state.get("_parameters")) | mapping(state.get("_buffers"))
        modules = mapping(state.get("_modules"))
    for name, tensor in tensors.items():
        array = as_array(file, tensor)
        if array is not None:
            if len(found) >= MOST_ARRAYS:
                raise InertError(f"it has more than {MOST_ARRAYS:,} tensors")
            found[f"{prefix}{name}"] = array
    for name, inner in modules.items():
        if inner is not None:
            _collect(file, inner, f"{prefix}{name}.", found, (*above, id(value)), seen)


def mapping(value: object) -> dict[Any, object]:
    """A dictionary, or one that an inert call would have made: `OrderedDict`, `Counter` …"""
    if isinstance(value, dict):
        return value
    if not isinstance(value, Made):
        return {}
    if value.items is not None:
        return value.items
    args = value.args
    given = args[0] if isinstance(args, tuple) and args else None
    if isinstance(given, dict):
        return given
    if isinstance(given, list) and all(
        isinstance(p, list | tuple) and len(p) == 2 and isinstance(p[0], str) for p in given
    ):
        return dict(given)
    return {}


def as_array(file: TorchFile, value: object, depth: int = 0) -> Array | None:
    """The numbers of a tensor, or of a Parameter around one; None for anything else."""
    if not isinstance(value, Made) or not isinstance(value.args, tuple) or depth > 4:
        return None
    if value.is_call_of("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3"):
        return _tensor(file, value.args)
    if value.is_call_of("_rebuild_parameter", "Parameter", "Variable", "_rebuild_parameter_v2"):
        inner = value.args[0] if value.args else None
        if inner is None and isinstance(value.state, tuple | list) and value.state:
            inner = value.state[0]
        return as_array(file, inner, depth + 1)
    return None


def _tensor(file: TorchFile, args: tuple[Any, ...]) -> Array:
    """A tensor from its storage, offset, sizes and strides, each checked."""
    if len(args) < 4 or not isinstance(args[0], Storage) or not _is_count(args[1]):
        raise InertError("it describes a tensor in a way that no torch does")
    storage, first = args[0], args[1] + args[0].first
    sizes, strides = _sizes(args[2]), _sizes(args[3])
    data = file.storages.get(storage.key)
    if data is None:
        raise InertError("a tensor has no storage")
    if len(sizes) != len(strides):
        raise InertError("a tensor has more sizes than strides")
    last = first + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    if 0 in sizes:
        if prod(size for size in sizes if size) >= 1 << 31:
            raise InertError("a tensor has absurd sizes")
        return np.zeros(sizes, data.dtype)
    if last >= len(data) or prod(sizes) > storage.count:
        raise InertError("a tensor is larger than its storage")
    steps = tuple(stride * data.itemsize for stride in strides)
    return np.lib.stride_tricks.as_strided(data[first:], sizes, steps, writeable=False)


def _sizes(value: object) -> tuple[int, ...]:
    """Sizes or strides: a tuple, a list, or an inert `torch.Size`."""
    if isinstance(value, Made) and isinstance(value.args, tuple) and len(value.args) == 1:
        value = value.args[0]
    if not isinstance(value, tuple | list) or len(value) > 8 or not all(map(_is_count, value)):
        raise InertError("a tensor has sizes that are not numbers")
    return tuple(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 48
