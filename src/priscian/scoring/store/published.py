"""A store on this machine's own disk that is copied to a network disk as it grows."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from priscian.errors import OutputError
from priscian.files.cache import network_disk, refuse_network_disk
from priscian.files.write import replacing
from priscian.models import ModelKey
from priscian.records import Text, TokenScores
from priscian.scoring.store.opening import LOG, may_write, needs_copy, store_errors
from priscian.scoring.store.scores import ScoreStore, default_store

EVERY = 60.0
"""Seconds between two copies; a process that is killed loses at most what came after the last."""
SHARE = 20
"""Spend at most this fraction (one in …) of the time copying."""


class PublishedStore(ScoreStore):
    """A local store; `publish` puts a complete copy of it in place of `target`, by renaming."""

    def __init__(self, path: Path, target: Path) -> None:
        self.target = target
        if target.is_file():
            shutil.copyfile(target, path)
        super().__init__(path)
        self._next = time.monotonic() + EVERY

    def write(
        self,
        key: ModelKey,
        label: str,
        rows: Iterable[tuple[Text, TokenScores]],
        channel: str = "logp",
    ) -> None:
        """Store some scores; now and then the copy is renewed."""
        super().write(key, label, rows, channel)
        if time.monotonic() >= self._next:
            began = time.monotonic()
            self.publish()
            now = time.monotonic()
            self._next = now + max(EVERY, SHARE * (now - began))

    def publish(self) -> None:
        """Renew the copy: readers see the old one or the new one, never half of one."""
        assert self.path is not None
        copy = self.path.with_name(f"{self.path.name}.copy")
        copy.unlink(missing_ok=True)
        with (
            self._lock,
            store_errors(self.path),
            contextlib.closing(sqlite3.connect(copy)) as other,
        ):
            self._db.backup(other)
            other.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        with replacing(self.target) as temporary:
            shutil.copyfile(copy, temporary)
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
        copy.unlink(missing_ok=True)

    def close(self) -> None:
        """Renew the copy a last time, then close."""
        try:
            self.publish()
        finally:
            super().close()


@contextlib.contextmanager
def open_where_possible(path: Path) -> Iterator[ScoreStore]:
    """The store in a file; one on a network disk is kept on this machine's disk and copied out."""
    if not network_disk(path):
        with ScoreStore(path) as store:
            yield store
        return
    with local_folder() as folder, PublishedStore(folder / path.name, path) as published:
        yield published


@contextlib.contextmanager
def open_to_read(path: Path, *, finished: bool = False) -> Iterator[ScoreStore]:
    """A store to read from; into one that is `finished` nobody writes any more.

    Such a store, and one that may not be written, is read as it is. One on a network disk, or whose
    log must be written back, is copied to this machine's disk first.
    """
    remote = network_disk(path)
    if not remote and not finished and may_write(path):
        with ScoreStore(path) as store:
            yield store
    elif not remote and not needs_copy(path):
        with ScoreStore(path, unchanged=True) as store:
            yield store
    else:
        with local_folder() as folder:
            for name in (path.name, path.name + LOG):
                if path.with_name(name).is_file():
                    shutil.copyfile(path.with_name(name), folder / name)
                    (folder / name).chmod(0o600)
            with ScoreStore(folder / path.name) as store:
                yield store


@contextlib.contextmanager
def read_default() -> Iterator[ScoreStore]:
    """The store in the cache folder, to read from; an empty one if there is none."""
    path = default_store()
    with open_to_read(path) if path.is_file() else ScoreStore() as store:
        yield store


@contextlib.contextmanager
def local_folder() -> Iterator[Path]:
    """A temporary folder on this machine's own disk."""
    refuse_network_disk(
        Path(tempfile.gettempdir()),
        "the folder for temporary files",
        "scores",
        "set TMPDIR to a folder on a local disk",
    )
    try:
        with tempfile.TemporaryDirectory(prefix="priscian-") as name:
            yield Path(name)
    except OSError as error:
        raise OutputError(
            f"cannot use {tempfile.gettempdir()} for temporary files: {error.strerror or error}; "
            "set TMPDIR to a folder on a local disk with enough space"
        ) from error
