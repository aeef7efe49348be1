"""Folders: locked, filled or replaced as a whole, and those of jobs that may be resumed."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from priscian.errors import BusyError, OutputError, PriscianError, RunError
from priscian.files.write import reported

try:
    import fcntl as locks
except ImportError:  # Windows: only the exclusive creation of run.json protects the folder
    locks = None  # type: ignore[assignment]


_LEFTOVER = re.compile(r"\..+\.[0-9a-f]{8}", re.DOTALL)
UNFINISHED = "unfinished"
"""What a folder is called while its files are made, after a dot."""

Request = TypeVar("Request")


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


@contextlib.contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """A new folder beside `path` that takes its place if the block succeeds.

    The old one is removed only then. What a killed process left behind is cleared away, and an old
    folder that it had already moved aside is put back.
    """
    temporary, old = path.with_name(f".{path.name}"), path.with_name(f".{path.name}.old")
    try:
        with reported(path):
            if old.exists() and not path.exists():
                old.rename(path)
            for left in (temporary, old):
                shutil.rmtree(left, ignore_errors=True)
            temporary.mkdir(parents=True)
            yield temporary
            if path.exists():
                path.rename(old)
            try:
                temporary.rename(path)
            except OSError:
                old.rename(path)
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def is_leftover(name: str) -> bool:
    """Whether a name is that of what a killed process was writing: a file, or a folder of files.

    >>> is_leftover(".run.json.1234abcd"), is_leftover("run.json"), is_leftover(".gitignore")
    (True, False, False)
    """
    return name == f".{UNFINISHED}" or _LEFTOVER.fullmatch(name) is not None


def is_free(folder: Path, beside: Collection[str] = ()) -> bool:
    """Whether a folder is new, or empty but for what a killed process left unfinished.

    `beside` has names of what may be in it.
    """
    if not folder.is_dir():
        return not os.path.lexists(folder)
    return all(is_leftover(path.name) or path.name in beside for path in folder.iterdir())


@contextlib.contextmanager
def filling(folder: Path, last: str) -> Iterator[Path]:
    """A temporary folder whose files move into `folder` if the block succeeds, `last` at the end.

    It is inside `folder`, which may be the current one or a mounted disk and cannot be replaced.
    """
    is_new = not folder.exists()
    with lock_folder(folder, "process"):
        try:
            _refuse_unless_free(folder)
            with replacing_folder(folder / UNFINISHED) as made:
                yield made
                _refuse_unless_free(folder)  # some jobs lock a file of their own: their files stay
                for path in sorted(made.iterdir(), key=lambda path: path.name == last):
                    path.rename(folder / path.name)
            (folder / UNFINISHED).rmdir()
        except BaseException:
            if is_new:
                with contextlib.suppress(OSError):
                    folder.rmdir()
            raise


def _refuse_unless_free(folder: Path) -> None:
    if not is_free(folder):  # another process has been here since
        raise OutputError(f"{folder} is not empty any more; name another `out=`")


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be made or written to, before there is anything to write."""
    there = next(p for p in (folder, *folder.absolute().parents) if os.path.lexists(p))
    if not there.is_dir():
        reason = f"{there} is a file" if there.is_file() else f"{there} is not a folder"
    elif not os.access(there, os.W_OK | os.X_OK):
        reason = f"no permission to write in {there}"
    else:
        return
    raise OutputError(f"cannot write to the folder {folder}: {reason}; choose another place")


class JobFolder(ABC, Generic[Request]):
    """A run, a shard, a training, a sweep …: a job that may be stopped and resumed, in its folder.

    One process at a time works in it. A file in it, the record, says what was asked for: an
    interrupted job is resumed by the same request, and another request is refused with what
    differs. A subclass names the kind of job and says how requests are compared.

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
