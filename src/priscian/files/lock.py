"""One process at a time writes into a folder."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import BusyError

try:
    import fcntl as locks
except ImportError:  # Windows: only the exclusive creation of run.json protects the folder
    locks = None  # type: ignore[assignment]


@dataclass(slots=True)
class FolderLock:
    """A lock on a folder; the system releases it when the process ends, however it ends."""

    handle: int | None = None

    def release(self) -> None:
        """Let others write."""
        if self.handle is not None:
            with contextlib.suppress(OSError):
                os.close(self.handle)
            self.handle = None


def lock_folder(path: Path, who: str = "priscian score") -> FolderLock:
    """Lock an existing folder; an error if another process has locked it.

    On a disk without locks (some network disks), nothing is locked.
    """
    return _lock(
        path,
        os.O_RDONLY,
        f"another {who} is writing to {path}; wait until it has ended, or give another --out",
    )


def lock_file(path: Path, refusal: str) -> FolderLock:
    """Lock a file that is made for this; an error if another process has locked it."""
    with contextlib.suppress(OSError):  # what is written next says what is wrong with the folder
        path.parent.mkdir(parents=True, exist_ok=True)
    return _lock(path, os.O_RDWR | os.O_CREAT, refusal)  # NFS locks only what can be written


def _lock(path: Path, mode: int, refusal: str) -> FolderLock:
    try:
        handle = os.open(path, mode, 0o644)
    except OSError:
        return FolderLock()
    try:
        if locks is not None:
            locks.flock(handle, locks.LOCK_EX | locks.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise BusyError(refusal) from None
    except OSError:
        os.close(handle)
        return FolderLock()
    return FolderLock(handle)
