"""Files from the web: one function with limits, and archives unpacked without trusting them."""

from __future__ import annotations

import hashlib
import http.client
import tarfile
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from priscian.errors import DataError
from priscian.files.names import file_names
from priscian.files.numbers import whole_number

MOST = 1 << 30
"""Bytes that a file may have, downloaded or unpacked."""
PIECE = 1 << 18
SECONDS = 30
"""How long a server may be silent."""


def download(url: str, file: Path) -> str:
    """Save what is at an address and return its SHA-256; any failure is a `ConnectionError`.

    A download that ends before the length that the server announced has failed.
    """
    if not url.startswith(("https://", "http://")):
        raise ConnectionError(f"{url} is not a web address")
    asked = urllib.request.Request(url, headers={"User-Agent": "priscian"})
    digest = hashlib.sha256()
    size = 0
    try:
        with urllib.request.urlopen(asked, timeout=SECONDS) as answer, file.open("wb") as out:
            announced = answer.headers.get("Content-Length")
            while piece := answer.read(PIECE):
                size += len(piece)
                if size > MOST:
                    raise ConnectionError(f"it has more than {MOST:,} bytes")
                digest.update(piece)
                out.write(piece)
    except urllib.error.HTTPError as error:
        error.close()
        raise ConnectionError(f"{error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise ConnectionError(str(error.reason)) from None
    except (TimeoutError, http.client.HTTPException) as error:
        raise ConnectionError(str(error) or type(error).__name__) from None
    wanted = whole_number(announced or "")
    if wanted is not None and wanted != size:
        raise ConnectionError(f"it was cut off after {size:,} of {wanted:,} bytes")
    return digest.hexdigest()


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
        made.append(folder / chosen[name])
        with stream, made[-1].open("wb") as out:
            while piece := stream.read(PIECE):
                size += len(piece)
                if size > MOST:
                    raise DataError(f"{archive.name} unpacks to more than {MOST:,} bytes; refused")
                out.write(piece)
    return made
