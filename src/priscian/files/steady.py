"""Files that must stay the same while they are read."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from priscian.errors import DataError

Stamp = tuple[int, ...] | None


@contextlib.contextmanager
def steady(files: Iterable[Path]) -> Iterator[None]:
    """Around the reading of files: an error at the end if one was changed or replaced meanwhile.

    What is not a file, such as a pipe, is not looked at.
    """
    before = [(file, _stamp(file)) for file in files]
    yield
    for file, stamp in before:
        if _stamp(file) != stamp:
            raise DataError(f"{file} changed while it was read; run the same command again")


def _stamp(file: Path) -> Stamp:
    """What changes with a file's content; None if it is missing, or not a regular file."""
    try:
        found = file.stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
