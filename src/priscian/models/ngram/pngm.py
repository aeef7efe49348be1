"""The `.pngm` file: sections of numbers, mapped into memory, each with a checksum.

    magic | sections, each at a multiple of 64 bytes | description (JSON) | size, CRC of it | magic

The description is at the end, so that a truncated file is detected at once.
"""

from __future__ import annotations

import json
import lzma
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.files import open_unpacked, regular, replacing, write_bytes

MAGIC = b"PNGM\x01\r\n\x1a"
ALIGN = 64
RATIO = 25
"""How many times its size a compressed model may unpack to; real ones have about 4."""
_TAIL = struct.Struct("<QI8s")
_XZ = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0}]

_DTYPES = frozenset(f"{'|' if size == 1 else '<'}{kind}{size}" for kind in "iuf"
                    for size in (1, 2, 4, 8)) - {"|f1"}  # fmt: skip

Array = npt.NDArray[Any]


class FileSection:
    """A part of the file that is filled from its beginning."""

    def __init__(self, file: BinaryIO, name: str, dtype: npt.DTypeLike, length: int) -> None:
        self._file = file
        self.name = name
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.length = length
        self.offset = 0
        self.filled = 0
        self.crc = 0

    def write(self, values: Array) -> None:
        """Append values."""
        data = np.ascontiguousarray(values, self.dtype).view(np.uint8)
        self._file.seek(self.offset + self.filled * self.dtype.itemsize)
        self._file.write(data.data)
        self.crc = zlib.crc32(data.data, self.crc)
        self.filled += len(values)

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return self.length * self.dtype.itemsize

    def describe(self) -> dict[str, object]:
        """The entry in the description at the end of the file."""
        if self.filled != self.length:
            raise AssertionError(f"section {self.name}: {self.filled} of {self.length} written")
        return {
            "name": self.name,
            "dtype": self.dtype.str,
            "offset": self.offset,
            "size": self.size,
            "crc32": self.crc,
        }


class Writer:
    """Sections of known length, filled in any order, each from its beginning."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._sections: list[FileSection] = []
        self._end = len(MAGIC)
        file.write(MAGIC)

    def section(self, name: str, dtype: npt.DTypeLike, length: int) -> FileSection:
        """A new section."""
        made = FileSection(self._file, name, dtype, length)
        made.offset = -(-self._end // ALIGN) * ALIGN
        self._end = made.offset + made.size
        self._sections.append(made)
        return made

    def add(self, name: str, values: Array) -> None:
        """Add a complete section."""
        self.section(name, values.dtype, len(values)).write(values)

    def finish(self, facts: dict[str, object]) -> None:
        """Write the description."""
        described = {"facts": facts, "sections": [s.describe() for s in self._sections]}
        data = json.dumps(described, ensure_ascii=False).encode()
        self._file.seek(self._end)
        self._file.write(data)
        self._file.write(_TAIL.pack(len(data), zlib.crc32(data), MAGIC))


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file with a temporary name that is renamed when it is complete."""
    with replacing(path) as temporary, temporary.open("w+b") as file:
        yield cast(BinaryIO, file)


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a file."""

    facts: dict[str, Any]
    arrays: dict[str, Array]


class _Entry(msgspec.Struct, frozen=True):
    """Where a section is, as written by `FileSection.describe`."""

    name: str
    dtype: str
    offset: int
    size: int
    crc32: int


class _Description(msgspec.Struct, frozen=True):
    """The description at the end of a file."""

    facts: dict[str, Any]
    sections: list[_Entry]


def read_file(path: Path) -> Contents:
    """Map a file into memory; every section is checked against its checksum."""
    described, raw = _open(path)
    arrays = {}
    for entry in described.sections:
        data = raw[entry.offset : entry.offset + entry.size]
        if len(data) != entry.size or zlib.crc32(data.data) != entry.crc32:
            raise ModelError(
                f"{path} is damaged: the checksum of its section {entry.name!r} is wrong; "
                f"copy or train it again"
            )
        arrays[entry.name] = data.view(np.dtype(entry.dtype))
    return Contents(described.facts, arrays)


def read_facts(path: Path) -> dict[str, Any]:
    """The description of a file, without its sections."""
    return _open(path)[0].facts


def _open(path: Path) -> tuple[_Description, npt.NDArray[np.uint8]]:
    raw = _map(path)
    if raw[: len(MAGIC)].tobytes() != MAGIC:
        raise ModelError(f"{path} is not a .pngm model; make one with `priscian train ngram`")
    size, crc, magic = (
        _TAIL.unpack(raw[-_TAIL.size :].tobytes()) if len(raw) > _TAIL.size else (0, 0, b"")
    )
    end = len(raw) - _TAIL.size - size
    if magic != MAGIC or end < len(MAGIC):
        raise ModelError(f"{path} is cut off after {len(raw):,} bytes; copy or train it again")
    data = raw[end : end + size].tobytes()
    if zlib.crc32(data) != crc:
        raise ModelError(
            f"{path} is damaged: the checksum of its description is wrong; copy or train it again"
        )
    try:
        described = msgspec.json.decode(data, type=_Description)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ModelError(
            f"{path} is damaged: its description cannot be read ({error}); train it again"
        ) from None
    for entry in described.sections:
        if not _inside(entry, end):
            raise ModelError(
                f"{path} is damaged: its section {entry.name!r} has a wrong position "
                "or type; train it again"
            )
    return described, raw


def _inside(entry: _Entry, end: int) -> bool:
    """Whether a section has a known type and lies between the header and `end`."""
    item = int(entry.dtype[2:]) if entry.dtype in _DTYPES else 0
    return (
        item > 0
        and entry.size >= 0
        and entry.size % item == 0
        and entry.offset % ALIGN == 0
        and len(MAGIC) <= entry.offset <= end - entry.size
    )


def _map(path: Path) -> npt.NDArray[np.uint8]:
    """The bytes of a file; one in xz is unpacked into memory."""
    try:
        with regular(path).open("rb") as file:
            head = file.read(6)
        if head != b"\xfd7zXZ\x00":
            if not path.stat().st_size:
                return np.zeros(0, np.uint8)
            # a plain view of the map: indexing the subclass costs more than reading the file
            return np.asarray(np.memmap(path, np.uint8, "r"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelError(f"cannot read {path}: {reason}; check the path") from None
    with open_unpacked(path, ModelError, RATIO) as (stream, _):
        return np.frombuffer(stream.read(), np.uint8)


def pack_file(path: Path, packed: Path) -> None:
    """The same file in xz: smaller, but unpacked into memory when it is read."""
    data = lzma.compress(path.read_bytes(), lzma.FORMAT_XZ, lzma.CHECK_CRC64, filters=_XZ)
    write_bytes(packed, data)
