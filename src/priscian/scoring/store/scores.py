"""The score store: one SQLite file that keeps every model's scores for every text.

A row belongs to a model's key, a text's hash and a channel. Many processes may read, write and
prune at once: a model's id is looked up by its key inside every transaction, so that no row is
ever stored under another model's key, whatever another process removes meanwhile. What was
committed is never lost; a damaged row or file is never read.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from priscian.errors import OutputError, StoreError
from priscian.files.cache import network_disk, refuse_network_disk
from priscian.files.write import replacing
from priscian.models import ModelKey, cache_folder
from priscian.records import Text, TokenScores
from priscian.scoring.store.database import (
    LOG,
    add_scores,
    chunks,
    find_model,
    find_texts,
    may_write,
    needs_copy,
    open_database,
    open_unchanged,
    remove_models,
    store_errors,
    stored_bytes,
    transaction,
)
from priscian.scoring.store.rows import (
    CHANNELS,
    DamagedRow,
    Row,
    TokenColumns,
    decode,
    owner,
    unpack,
)

SCAN = 4
"""All rows of a model are read at once if they are at most this many times the requested ones."""
VACUUM_PAGES = 2000
"""Pages that are freed at once; in between, other processes can write."""


@dataclass(frozen=True, slots=True)
class StoredModel:
    """What the store has for one model."""

    key: str
    label: str
    texts: int
    bytes: int
    created: float


@dataclass(frozen=True, slots=True)
class Pruned:
    """What pruning removed."""

    models: int
    texts: int


def default_store() -> Path:
    """The file of the store in the cache folder."""
    return cache_folder() / "scores.sqlite"


class ScoreStore:
    """Scores on disk, or in memory when no path is given.

    >>> from priscian.models import ModelKey
    >>> key = ModelKey({"provider": "toy", "version": "1"})
    >>> with ScoreStore() as store:
    ...     store.write(key, "toy", [(Text("Go."), TokenScores((0, 2), (2, 3), (-1.5, -0.25)))])
    ...     store.read(key, [Text("Go."), Text("Stop.")])[Text("Go.")].logps
    (-1.5, -0.25)
    """

    def __init__(self, path: Path | None = None, *, unchanged: bool = False) -> None:
        """With `unchanged` the file is only read, and no other process may write to it."""
        self.path = path
        self._lock = threading.RLock()  # two threads of a process share one connection
        self._db = open_unchanged(path) if path and unchanged else open_database(path)

    @classmethod
    def default(cls) -> ScoreStore:
        """The store in the cache folder."""
        return cls(default_store())

    def __enter__(self) -> ScoreStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; committed rows are safe even without this."""
        with self._lock, store_errors(self.path):
            self._db.close()

    def write(
        self,
        key: ModelKey,
        label: str,
        rows: Iterable[tuple[Text, TokenScores]],
        channel: str = "logp",
    ) -> None:
        """Store some scores, all or none of them; existing scores are not changed."""
        digest = key.digest
        hashed = [(text.hash, scores) for text, scores in rows]
        with self._transaction("IMMEDIATE"):
            found = find_model(self._db, digest)
            if found is None:
                fields = json.dumps(dict(key.fields), sort_keys=True)
                added = self._db.execute(
                    "INSERT INTO models (key, label, fields, created) VALUES (?, ?, ?, ?)",
                    (digest, label, fields, time.time()),
                )
                found = (int(added.lastrowid or 0), 0)
            add_scores(self._db, found[0], digest, channel, hashed)

    def read(
        self, key: ModelKey, texts: Sequence[Text], channel: str = "logp"
    ) -> dict[Text, TokenScores]:
        """The scores that are in the store."""
        by_hash = {text.hash: text for text in texts}
        start = owner(key.digest, CHANNELS.index(channel))
        with self._transaction("DEFERRED", key.digest):
            rows = self._rows(key.digest, list(by_hash), channel)
            return {by_hash[row[0]]: unpack(start, row) for row in rows}

    def columns(self, digest: str, hashes: Sequence[bytes], channel: str = "logp") -> TokenColumns:
        """Tokens of very many texts at once, in the order of their hashes."""
        with self._transaction("DEFERRED", digest):
            rows = list(self._rows(digest, hashes, channel))
            return decode(owner(digest, CHANNELS.index(channel)), hashes, rows)

    def missing(self, key: ModelKey, texts: Sequence[Text], channel: str = "logp") -> list[bool]:
        """For each text, whether it still has to be scored."""
        hashes = [text.hash for text in texts]
        with self._transaction("DEFERRED"):
            there = {text for text, *_ in self._rows(key.digest, hashes, channel)}
        return [text not in there for text in hashes]

    def models(self) -> list[StoredModel]:
        """Every model in the store, newest first."""
        with self._lock, store_errors(self.path):
            rows = self._db.execute(
                "SELECT key, label, texts, bytes, created FROM models ORDER BY created DESC"
            ).fetchall()
        return [StoredModel(*row) for row in rows]

    def texts_of(self, digest: str) -> int:
        """How many texts of a model are in the store."""
        return sum(model.texts for model in self.models() if model.key == digest)

    def size(self) -> int:
        """Bytes that the store takes on disk, its log included."""
        return 0 if self.path is None else stored_bytes(self.path)

    def prune(self, keys: Iterable[str]) -> Pruned:
        """Delete models by key, and texts for which no other model has scores.

        A process that is scoring one of them computes again what it needs, and ends as if nothing
        had happened.
        """
        with self._transaction("IMMEDIATE"):
            places = [find_model(self._db, key) for key in dict.fromkeys(keys)]
            found = [place for place in places if place is not None]
            remove_models(self._db, [model for model, _ in found])
        with self._lock, contextlib.suppress(sqlite3.OperationalError):
            self._give_back()  # no matter if it is in use: later scores use the space
        return Pruned(len(found), sum(texts for _, texts in found))

    def _give_back(self) -> None:
        """Return free pages to the disk, some at a time."""
        while self._db.execute("PRAGMA freelist_count").fetchone()[0]:
            before = self._db.execute("PRAGMA page_count").fetchone()[0]
            self._db.execute(f"PRAGMA incremental_vacuum({VACUUM_PAGES})").fetchall()
            if self._db.execute("PRAGMA page_count").fetchone()[0] >= before:
                break  # made without this, so it cannot shrink in steps
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @contextlib.contextmanager
    def _transaction(self, kind: str, digest: str = "") -> Iterator[None]:
        """A transaction of this store; `digest` says whose rows are read, if any are."""
        with self._lock, store_errors(self.path), transaction(self._db, kind):
            try:
                yield
            except DamagedRow:
                raise StoreError(
                    f"score store {self.path or 'in memory'}: a row is damaged; delete this "
                    f"model's scores with `priscian cache prune {digest[:12]}` and score it again"
                ) from None

    def _rows(self, digest: str, hashes: Sequence[bytes], channel: str) -> Iterator[Row]:
        """The rows of some texts, in the order of the file."""
        found = find_model(self._db, digest)
        if found is None:
            return
        model, texts = found
        number = CHANNELS.index(channel)
        columns = "offsets.data, scores.data FROM scores"
        offsets = "LEFT JOIN offsets ON offsets.text = scores.text AND number = scores.offsets"
        where = "WHERE model = ? AND channel = ?"
        if texts <= SCAN * len(hashes):
            wanted = set(hashes)
            for row in self._db.execute(
                f"SELECT hash, {columns} CROSS JOIN texts ON id = scores.text {offsets} {where}",
                (model, number),
            ):
                if row[0] in wanted:
                    yield row
            return
        by_id = sorted((i, text) for text, i in find_texts(self._db, list(set(hashes))).items())
        for chunk, marks in chunks(by_id):
            names = dict(chunk)
            first, last = chunk[0][0], chunk[-1][0]
            if last - first < SCAN * len(chunk):  # texts stored together are read together
                among, values = "BETWEEN ? AND ?", [first, last]
            else:
                among, values = f"IN ({marks})", list(names)
            for text, *row in self._db.execute(
                f"SELECT scores.text, {columns} {offsets} {where} AND scores.text {among}",
                (model, number, *values),
            ):
                if text in names:
                    yield names[text], *row


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
