"""One process at a time writes into a folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import BusyError, OutputError

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
    """Lock an existing folder; an error if another process has locked it."""
    return lock_file(
        path,
        f"another {who} is writing to {path}; wait until it has ended, or give another `out=`",
    )


@contextlib.contextmanager
def only_writer(path: Path, who: str) -> Iterator[None]:
    """Make a folder, if there is none, and keep others from writing to it in the block.

    They are refused, so that no files of theirs are among those that are written here.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"cannot write to the folder {path}: {reason}; choose another") from None
    lock = lock_folder(path, who)
    try:
        yield
    finally:
        lock.release()


def lock_file(path: Path, refusal: str | None) -> FolderLock:
    """Lock a folder, or a file that is made for this; an error if another process has locked it.

    With None for the refusal it waits for the other process. On a disk without locks (some network
    disks), nothing is locked; NFS locks only files, since these can be opened for writing.
    """
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT, 0o644)
        except OSError:  # what is written next says what is wrong with the folder
            return FolderLock()
        try:
            if locks is not None:
                locks.flock(handle, locks.LOCK_EX | (0 if refusal is None else locks.LOCK_NB))
            if os.fstat(handle).st_nlink:
                return FolderLock(handle)
        except BlockingIOError:
            os.close(handle)
            raise BusyError(refusal or "") from None
        except OSError:
            os.close(handle)
            return FolderLock()
        os.close(handle)  # whoever held it has removed it: the next process makes another


@contextlib.contextmanager
def in_turn(path: Path) -> Iterator[None]:
    """Wait until no other process is in such a block with the same file, which is made for this."""
    lock = lock_file(path, None)
    try:
        yield
    finally:
        lock.release()
