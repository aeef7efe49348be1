"""The folder of a job that may be stopped and resumed: a run, a shard, a training, a sweep …

One process at a time works in it. A file in it, the record, says what was asked for: an interrupted
job is resumed by the same request, and another request is refused with what differs.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from priscian.errors import BusyError, OutputError, PriscianError, RunError
from priscian.files.lock import FolderLock, lock_folder
from priscian.files.write import is_free

Request = TypeVar("Request")


class JobFolder(ABC, Generic[Request]):
    """One job and its folder; a subclass names the kind of job and says how requests are compared.

    >>> class Count(JobFolder[int]):
    ...     what, record = "count", "count.txt"
    ...     def read(self):
    ...         return int((self.path / self.record).read_text())
    ...     def differences(self, before, now):
    ...         return [f"number {before}, now {now}"] if before != now else []
    >>> folder = Count(Path("numbers"))
    >>> with folder.opened(7) as earlier:       # doctest: +SKIP
    ...     if earlier is None:
    ...         folder.begin("7")
    """

    what: ClassVar[str]
    """A noun for the job: `training`."""
    record: ClassVar[str]
    """The file that says what was asked for; the job has begun when it is there."""
    writer: ClassVar[str] = ""
    """What messages call a second process; empty for `what`."""
    lock: ClassVar[str] = "lock"
    """The file that is locked; empty to lock the folder itself, which NFS cannot."""
    beside: ClassVar[frozenset[str]] = frozenset()
    """Names of what may be in the folder before the job has begun."""
    refusal: ClassVar[type[PriscianError]] = RunError
    """The error for a folder that cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def read(self) -> Request:
        """What the job in the folder was asked for."""

    @abstractmethod
    def differences(self, before: Request, now: Request) -> Sequence[str]:
        """What differs between two requests, in words; nothing if they are the same."""

    def has_begun(self) -> bool:
        """Whether a job has begun here and left anything worth keeping."""
        return (self.path / self.record).is_file()

    def describe(self) -> str:
        """What the folder holds, for the message that says how to continue."""
        return f"holds a {self.what}"

    def refuse_other(self, different: Sequence[str]) -> None:
        """Refuse another request than the one that the job began with."""
        raise self.refusal(
            f"{self.path} holds a {self.what} with other settings ({', '.join(different)}); repeat "
            "them exactly, or give another `out=`"
        )

    def check(self, request: Request, *, resume: bool = False) -> Request | None:
        """What an earlier start was asked for; None if there was none.

        A folder with other contents, with another job, or with a job that is not to be resumed is
        refused.
        """
        if self.path.is_file():
            raise self.refusal(f"{self.path} is a file; give `out=` a folder")
        if not self.has_begun():
            if not is_free(self.path, self.beside.union(Path(self.lock).parts[:1])):
                raise self.refusal(
                    f"{self.path} is not empty and holds no {self.what}; give another `out=`"
                )
            return None
        before = self.read()
        different = self.differences(before, request)
        if different:
            self.refuse_other(different)
        if not resume:
            raise self.refusal(
                f"{self.path} {self.describe()}; continue it with `resume=True`, or give another "
                "`out=`"
            )
        return before

    @contextlib.contextmanager
    def opened(self, request: Request, *, resume: bool = False) -> Iterator[Request | None]:
        """Check the folder and keep other processes out of it in the block.

        If the job fails before it has begun, the folder that was made for it is removed.
        """
        self.check(request, resume=resume)
        is_new = not self.path.exists()
        with self.locked():
            try:
                yield self.check(request, resume=resume)  # another may have come and gone since
            except BaseException:
                if is_new and not self.has_begun():
                    self.discard()
                raise

    def locked(self, *, wait: bool = False) -> FolderLock:
        """Keep other processes out, in a block or until the lock is released.

        They are refused; with `wait`, this process waits for them.
        """
        return lock_folder(self.path, self.writer or self.what, name=self.lock, wait=wait)

    def is_busy(self) -> bool:
        """Whether another process works here."""
        if not (self.path / self.lock).exists():
            return False
        try:
            self.locked().release()
        except BusyError:
            return True
        return False

    def begin(self, text: str) -> None:
        """Write the record; of two processes only one succeeds, also on a disk without locks."""
        file = self.path / self.record
        temporary = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
        data = text.encode("utf-8", "surrogatepass")
        try:
            temporary.write_bytes(data)
            try:
                os.link(temporary, file)
            except (OSError, NotImplementedError) as error:
                if isinstance(error, FileExistsError):
                    raise
                with file.open("xb") as made:  # a disk without hard links
                    made.write(data)
        except FileExistsError:
            raise RunError(
                f"another {self.writer or self.what} has just started in {self.path}; give another "
                "`out=`"
            ) from None
        except OSError as error:
            raise OutputError(
                f"cannot write {file}: {error.strerror}; free some space or give another `out=`"
            ) from None
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove the record and the lock, and the folder if nothing else is in it."""
        with contextlib.suppress(OSError):
            for name in filter(None, (self.record, self.lock)):
                (self.path / name).unlink(missing_ok=True)
                with contextlib.suppress(OSError):
                    (self.path / name).parent.rmdir()
            self.path.rmdir()

    def remove(self) -> None:
        """Remove the folder and all that is in it, which the finished job does not need."""
        shutil.rmtree(self.path)
