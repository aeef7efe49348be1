"""One process at a time writes into a folder."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import BusyError, OutputError

try:
    import fcntl as locks
except ImportError:  # Windows: only the exclusive creation of run.json protects the folder
    locks = None  # type: ignore[assignment]


@dataclass(slots=True)
class FolderLock(contextlib.AbstractContextManager["FolderLock"]):
    """A lock, held until the block ends or until it is released.

    The system releases it when the process ends, however it ends.
    """

    handle: int | None = None

    def release(self) -> None:
        """Let others write."""
        if self.handle is not None:
            with contextlib.suppress(OSError):
                os.close(self.handle)
            self.handle = None

    def __exit__(self, *_: object) -> None:
        self.release()


def lock_folder(
    folder: Path, who: str = "priscian score", *, name: str = "", wait: bool = False
) -> FolderLock:
    """Make a folder, if there is none, and keep other processes from writing to it.

    They are refused, so that none of their files gets between those that are written here; `who`
    says what refuses them. With `wait`, this process waits for the others. What is locked is the
    folder itself, or a file `name` in it that is made for this: NFS locks only files.

    >>> with lock_folder(Path("out"), "priscian export"):                 # doctest: +SKIP
    ...     Path("out", "a.csv").write_text("…")
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(
            f"cannot write to the folder {folder}: {reason}; choose another place"
        ) from None
    refusal = (
        f"another {who} is writing to {folder}; wait until it has ended, or give another `out=`"
    )
    return lock_file(folder / name, None if wait else refusal)


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
