"""Plain, gzip or xz files as one stream of bytes, unpacked in parts of limited size.

A small file can unpack to almost any size. A caller that keeps a whole stream in memory gives a
`ratio`: a file that unpacks to more than that many times its size is refused.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from priscian.errors import DataError, PriscianError
from priscian.files.reading import regular
from priscian.files.unchanged import note

PIECE = 1 << 18
"""Bytes that are unpacked at a time."""
FREE = 64 << 20
"""Bytes that any file may unpack to, whatever its size."""
MEMORY = 256 << 20
"""Bytes that the xz decoder may take for its dictionary; `xz -9` needs 65 MiB."""

_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"


@contextlib.contextmanager
def open_unpacked(
    path: Path, error: type[PriscianError] = DataError, ratio: int | None = None
) -> Iterator[tuple[IO[bytes], BinaryIO]]:
    """A stream of a file's unpacked contents, and the file itself, whose position shows progress.

    Damage that is found while the stream is read raises `error`.
    """
    note(path)
    try:
        raw = regular(path).open("rb")
        size = path.stat().st_size
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise error(f"cannot read {path}: {reason}; check the path") from None
    with raw:
        head = raw.read(6)
        raw.seek(0)
        stream: io.RawIOBase
        if head[:2] == _GZIP:
            stream = _Gzip(raw)
        elif head == _XZ:
            stream = _Xz(raw)
        elif path.suffix.lower() in (".gz", ".xz"):
            kind = path.suffix[1:]
            raise error(f"{path} cannot be unpacked: it is not a {kind} file; copy it again")
        else:
            yield raw, raw
            return
        most = None if ratio is None else max(FREE, ratio * size)
        with io.BufferedReader(_Checked(stream, path, most, error), PIECE) as buffered:
            yield buffered, raw


class _Gzip(io.RawIOBase):
    """The members of a gzip file, in turn."""

    def __init__(self, raw: BinaryIO) -> None:
        self._file = gzip.GzipFile(fileobj=raw, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._file.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _Xz(io.RawIOBase):
    """The streams of an xz file, in turn, within a memory limit."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while True:
            if self._decoder.eof:
                rest = self._decoder.unused_data.lstrip(b"\0")
                while not rest:  # padding between streams may have any length
                    piece = self._raw.read(PIECE)
                    if not piece:
                        return 0
                    rest = piece.lstrip(b"\0")
                self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)
            elif self._decoder.needs_input:
                rest = self._raw.read(PIECE)
                if not rest:
                    raise EOFError("the file ends before its contents do")
            else:
                rest = b""
            data = self._decoder.decompress(rest, max_length=len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)


class _Checked(io.RawIOBase):
    """A stream that raises one error if it is damaged or too long."""

    def __init__(
        self, stream: io.RawIOBase, path: Path, most: int | None, error: type[PriscianError]
    ) -> None:
        self._stream = stream
        self._path = path
        self._most = most
        self._error = error
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            count = self._stream.readinto(buffer) or 0
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as problem:
            reason = str(problem) or type(problem).__name__
            raise self._error(f"{self._path} cannot be unpacked: {reason}; copy it again") from None
        self._count += count
        if self._most is not None and self._count > self._most:
            raise self._error(
                f"{self._path} unpacks to more than {self._most:,} bytes, far more than its size "
                "allows: it is damaged or made to fill the memory; unpack it first if you trust it"
            )
        return count
