"""Files that must not change while they are read: what they were before is compared with after.

A file is told by its number on the disk, its size and its times. Another one in its place, by
renaming, has another number; one that is written to gets another time.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

from priscian.errors import ChangedError


class Stamp(NamedTuple):
    """What tells a file from another one in its place, or from itself after a change."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """The stamp of a file whose status is known."""
        times = (found.st_mtime_ns, found.st_ctime_ns)
        return cls(found.st_dev, found.st_ino, found.st_size, *times)


_Stamps = dict[Path, Stamp | None]

_read: ContextVar[_Stamps | None] = ContextVar("files that were read", default=None)


def stamp_of(file: Path) -> Stamp | None:
    """The stamp of a file; None if there is none, and for what is not a file, such as a pipe."""
    try:
        found = file.stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Stamp.of(found)


def note(file: Path) -> None:
    """Remember what a file is before it is read, for the block of `unchanged` around it."""
    files = _read.get()
    if files is not None:
        files.setdefault(file, stamp_of(file))


@contextlib.contextmanager
def unchanged() -> Iterator[None]:
    """All files that are read in the block are the same at its end, or a ChangedError names one.

    >>> from priscian.files import read_text
    >>> with unchanged():
    ...     text = read_text(__file__)
    """
    if _read.get() is not None:  # the block around this one checks
        yield
        return
    files: _Stamps = {}
    token = _read.set(files)
    try:
        yield
    finally:
        _read.reset(token)
    _check(files)


@contextlib.contextmanager
def steady(files: Iterable[Path]) -> Iterator[None]:
    """The same for files that are named, also while they are read little by little."""
    before = {file: stamp_of(file) for file in files}
    yield
    _check(before)


def _check(stamps: Mapping[Path, Stamp | None]) -> None:
    for file, before in stamps.items():
        if stamp_of(file) != before:
            raise ChangedError(
                f"{file} changed while it was read; run again when nothing writes to it"
            )


@contextlib.contextmanager
def unnoted() -> Iterator[None]:
    """Files that are read in the block may change, such as those that it makes itself."""
    token = _read.set(None)
    try:
        yield
    finally:
        _read.reset(token)
