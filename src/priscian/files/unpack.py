"""Unpacking with limits: gzip and xz files as streams, zip and tar archives into a folder.

A small file can unpack to almost any size. A caller that keeps a whole stream in memory gives a
`ratio`: a file that unpacks to more than that many times its size is refused.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from priscian.errors import DataError, PriscianError
from priscian.files.names import file_names, inside
from priscian.files.reading import note, regular

PIECE = 1 << 18
"""Bytes that are unpacked at a time."""
FREE = 64 << 20
"""Bytes that any file may unpack to, whatever its size."""
MOST = 1 << 30
"""Bytes that an archive may unpack to."""
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
        read: Callable[[int], bytes]
        if head[:2] == _GZIP:
            read = gzip.GzipFile(fileobj=raw, mode="rb").read1
        elif head == _XZ:
            read = _xz_reader(raw)
        elif path.suffix.lower() in (".gz", ".xz"):
            kind = path.suffix[1:]
            raise error(f"{path} cannot be unpacked: it is not a {kind} file; copy it again")
        else:
            yield raw, raw
            return
        most = None if ratio is None else max(FREE, ratio * size)
        with io.BufferedReader(_Checked(read, path, most, error), PIECE) as buffered:
            yield buffered, raw


def _xz_reader(raw: BinaryIO) -> Callable[[int], bytes]:
    """Reads the streams of an xz file, in turn, within a memory limit."""
    decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)

    def read(size: int) -> bytes:
        nonlocal decoder
        while True:
            packed = b""
            if decoder.eof:
                packed = decoder.unused_data.lstrip(b"\0")
                while not packed:  # padding between streams may have any length
                    piece = raw.read(PIECE)
                    if not piece:
                        return b""
                    packed = piece.lstrip(b"\0")
                decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)
            elif decoder.needs_input:
                packed = raw.read(PIECE)
                if not packed:
                    raise EOFError("the file ends before its contents do")
            if data := decoder.decompress(packed, max_length=size):
                return data

    return read


class _Checked(io.RawIOBase):
    """A stream that raises one error if it is damaged or too long."""

    def __init__(
        self,
        read: Callable[[int], bytes],
        path: Path,
        most: int | None,
        error: type[PriscianError],
    ) -> None:
        self._read = read
        self._path = path
        self._most = most
        self._error = error
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._read(len(buffer))
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as problem:
            reason = str(problem) or type(problem).__name__
            raise self._error(f"{self._path} cannot be unpacked: {reason}; copy it again") from None
        self._count += len(data)
        if self._most is not None and self._count > self._most:
            raise self._error(
                f"{self._path} unpacks to more than {self._most:,} bytes, far more than its size "
                "allows: it is damaged or made to fill the memory; unpack it first if you trust it"
            )
        buffer[: len(data)] = data
        return len(data)


# ---------------------------------------------------------------- archives


def unpack(archive: Path, folder: Path, suffixes: Sequence[str]) -> list[Path]:
    """Copy the files with these suffixes out of a zip or tar archive, flat, under safe names.

    Links, hidden files and paths that lead elsewhere cannot do harm: only contents are copied.
    """
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed:
                names = [i.filename for i in packed.infolist() if not i.is_dir()]
                chosen = _chosen(names, suffixes, archive)
                return _copy(((n, packed.open(n)) for n in chosen), chosen, folder, archive)
        with tarfile.open(archive) as bundle:
            names = [member.name for member in bundle if member.isfile()]
            chosen = _chosen(names, suffixes, archive)
            streams = ((n, s) for n in chosen if (s := bundle.extractfile(n)))
            return _copy(streams, chosen, folder, archive)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, RuntimeError) as error:
        raise DataError(f"{archive.name} cannot be unpacked ({error}); fetch it again") from None


def _chosen(names: Sequence[str], suffixes: Sequence[str], archive: Path) -> dict[str, str]:
    """The wanted members, each with a file name of its own."""
    wanted = []
    for name in names:
        path = PurePosixPath(name)
        hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
        if path.suffix.lower() in suffixes and not hidden:
            wanted.append(name)
    if not wanted:
        raise DataError(f"{archive.name} has no file that ends in {', '.join(suffixes)}")
    stems = {name: PurePosixPath(name).name for name in wanted}
    if len(set(stems.values())) < len(stems):
        stems = {name: name for name in wanted}
    safe = file_names(stems.values())
    return {name: safe[stem] for name, stem in stems.items()}


def _copy(
    streams: Iterator[tuple[str, IO[bytes]]], chosen: dict[str, str], folder: Path, archive: Path
) -> list[Path]:
    made, size = [], 0
    for name, stream in streams:
        made.append(inside(folder, chosen[name]))
        with stream, made[-1].open("wb") as out:
            while piece := stream.read(PIECE):
                size += len(piece)
                if size > MOST:
                    raise DataError(f"{archive.name} unpacks to more than {MOST:,} bytes; refused")
                out.write(piece)
    return made
