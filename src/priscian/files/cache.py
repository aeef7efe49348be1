"""The cache folder, and how files get into it: atomically."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from priscian.errors import OutputError

DAY = 24 * 3600

Say = Callable[[str], None]


def cache_folder() -> Path:
    """Where scores, weights and fetched data are kept.

    It is `$PRISCIAN_CACHE`, else `priscian` in the user's cache folder.
    """
    named = os.environ.get("PRISCIAN_CACHE")
    if named:
        try:
            return Path(named).expanduser()
        except RuntimeError:  # no such user
            return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "priscian"


def tell(line: str) -> None:
    """Tell the user what takes a while."""
    print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def scratch_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder on the same disk as `folder`, removed in the end.

    Several processes may work at once: each has its own, and the first to finish wins.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(".tmp-*"):  # left by a process that was killed
            if time.time() - old.stat().st_mtime > DAY:
                shutil.rmtree(old, ignore_errors=True)
        with tempfile.TemporaryDirectory(
            prefix=".tmp-", dir=folder, ignore_cleanup_errors=True
        ) as made:
            yield Path(made)
    except OSError as error:
        raise OutputError(
            f"cannot write to {folder}: {error.strerror or error}; free some space, or "
            f"set PRISCIAN_CACHE to another folder"
        ) from error


def move_into_place(made: Path, folder: Path, shop: Path, is_whole: Callable[[Path], bool]) -> None:
    """Move a folder from a scratch_folder into place, unless another process has done so."""
    if folder.exists() and not is_whole(folder):
        with contextlib.suppress(OSError):
            folder.rename(shop / "damaged")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made.rename(folder)
    except OSError:
        if not is_whole(folder):
            raise
