"""Files from the web: one function with limits, and archives unpacked without trusting them."""

from __future__ import annotations

import hashlib
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import urljoin

from priscian.errors import DataError, brief
from priscian.files.names import file_names, inside

MOST = 1 << 30
"""Bytes that a file may have, downloaded or unpacked."""
PIECE = 1 << 18
SECONDS = 30
"""How long a server may be silent."""
LONGEST = 3600
"""Seconds that a download may take in all."""
PLACES = 10
"""Addresses that are asked, where each redirects to the next."""


def download(url: str, file: Path) -> str:
    """Save what is at an address and return its SHA-256; any failure is a `ConnectionError`.

    Redirects are followed.
    """
    from priscian.files.web import RequestLimits, request

    digest = hashlib.sha256()
    place, until = url, time.monotonic() + LONGEST
    with file.open("wb") as out:

        def keep(piece: bytes) -> None:
            digest.update(piece)
            out.write(piece)

        for _ in range(PLACES):
            if not place.startswith(("https://", "http://")):
                raise ConnectionError(f"{brief(place)} is not a web address")
            limits = RequestLimits(max(until - time.monotonic(), 0), MOST, SECONDS)
            reply = request(place, limits, keep=keep)
            if reply.status == 200:
                return digest.hexdigest()
            if not reply.redirect:
                raise ConnectionError(f"{reply.status} {reply.reason}")
            place = _next(place, reply.redirect)
    raise ConnectionError(f"it is redirected more than {PLACES - 1} times")


def _next(place: str, redirect: str) -> str:
    """Where a redirect leads; never from https to http."""
    try:
        found = urljoin(place, redirect)
    except ValueError:
        found = ""
    if not found or (place.startswith("https://") and not found.startswith("https://")):
        raise ConnectionError(f"it redirects to {brief(redirect)}, which cannot be trusted")
    return found


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
