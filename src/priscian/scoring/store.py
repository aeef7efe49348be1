"""The score store: one SQLite file that keeps what every model said of every text.

Rows are (model key, text hash, channel). Many processes may read and write at once; what was
committed is never lost; a file that is damaged is set aside, never read.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import struct
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from priscian.errors import PriscianWarning, StoreError
from priscian.models import ModelKey, cache_folder
from priscian.records import Text, TokenScores

SCHEMA = """
CREATE TABLE IF NOT EXISTS models (
    id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, label TEXT NOT NULL,
    fields TEXT NOT NULL, created REAL NOT NULL);
CREATE TABLE IF NOT EXISTS scores (
    model INTEGER NOT NULL, text BLOB NOT NULL, channel TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (model, text, channel)) WITHOUT ROWID;
"""
CHUNK = 500
LARGE = 2**28
"""Beyond this many bytes a store is checked by its header alone when it is opened."""


@dataclass(frozen=True, slots=True)
class StoredModel:
    """What the store holds of one model."""

    key: str
    label: str
    texts: int
    bytes: int
    created: float


class ScoreStore:
    """Scores on disk, or in memory when no path is given."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        if path is not None:
            _make_folder(path)
            _set_aside_if_damaged(path)
        with self._errors():
            self._db = sqlite3.connect(path or ":memory:", timeout=60, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(SCHEMA)
        self._ids: dict[str, int] = {}

    @classmethod
    def default(cls) -> ScoreStore:
        """The store in the cache folder."""
        return cls(cache_folder() / "scores.sqlite")

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
        self._db.close()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            reason = str(error)
            where = self.path or "the store in memory"
            if "full" in reason:
                remedy = "free some space, then run again: what was stored is kept"
            elif "locked" in reason:
                remedy = "another process holds it; try again"
            elif "readonly" in reason or "unable to open" in reason:
                remedy = "set PRISCIAN_CACHE to a folder that can be written"
            else:
                remedy = "move the file away to start afresh"
            raise StoreError(f"score store {where}: {reason}; {remedy}") from error

    def _model_id(self, key: ModelKey, label: str) -> int:
        digest = key.digest
        if digest not in self._ids:
            fields = json.dumps(dict(key.fields), sort_keys=True)
            with self._errors(), self._db:
                self._db.execute(
                    "INSERT OR IGNORE INTO models (key, label, fields, created) "
                    "VALUES (?, ?, ?, ?)",
                    (digest, label, fields, time.time()),
                )
                row = self._db.execute("SELECT id FROM models WHERE key = ?", (digest,)).fetchone()
            self._ids[digest] = int(row[0])
        return self._ids[digest]

    def write(
        self,
        key: ModelKey,
        label: str,
        rows: Iterable[tuple[Text, TokenScores]],
        channel: str = "logp",
    ) -> None:
        """Keep some scores, all or none of them; what is there already stays as it is."""
        model = self._model_id(key, label)
        packed = [(model, text.hash, channel, pack(scores)) for text, scores in rows]
        with self._errors(), self._db:
            self._db.executemany("INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?)", packed)

    def read(
        self, key: ModelKey, texts: Sequence[Text], channel: str = "logp"
    ) -> dict[Text, TokenScores]:
        """The scores that are there."""
        found: dict[Text, TokenScores] = {}
        with self._errors():
            row = self._db.execute("SELECT id FROM models WHERE key = ?", (key.digest,)).fetchone()
            if row is None:
                return found
            for chunk, marks in _chunks(texts):
                by_hash = {text.hash: text for text in chunk}
                answer = self._db.execute(
                    "SELECT text, data FROM scores "
                    f"WHERE model = ? AND channel = ? AND text IN ({marks})",
                    (row[0], channel, *by_hash),
                )
                for digest, data in answer:
                    found[by_hash[digest]] = unpack(data, self.path)
        return found

    def packed(
        self, digest: str, hashes: Sequence[bytes], channel: str = "logp"
    ) -> Iterator[tuple[bytes, bytes]]:
        """Text hashes and rows as `pack` made them, for those who read very many at once."""
        with self._errors():
            row = self._db.execute("SELECT id FROM models WHERE key = ?", (digest,)).fetchone()
            for at in range(0, len(hashes) if row else 0, CHUNK):
                chunk = hashes[at : at + CHUNK]
                marks = ",".join("?" * len(chunk))
                yield from self._db.execute(
                    "SELECT text, data FROM scores "
                    f"WHERE model = ? AND channel = ? AND text IN ({marks})",
                    (row[0], channel, *chunk),
                )

    def missing(self, key: ModelKey, texts: Sequence[Text], channel: str = "logp") -> list[bool]:
        """For each text, whether it still has to be scored."""
        with self._errors():
            row = self._db.execute("SELECT id FROM models WHERE key = ?", (key.digest,)).fetchone()
            if row is None:
                return [True] * len(texts)
            there: set[bytes] = set()
            for chunk, marks in _chunks(texts):
                answer = self._db.execute(
                    "SELECT text FROM scores "
                    f"WHERE model = ? AND channel = ? AND text IN ({marks})",
                    (row[0], channel, *(text.hash for text in chunk)),
                )
                there.update(digest for (digest,) in answer)
        return [text.hash not in there for text in texts]

    def models(self) -> list[StoredModel]:
        """Every model in the store, newest first."""
        with self._errors():
            rows = self._db.execute(
                "SELECT key, label, COUNT(text), COALESCE(SUM(LENGTH(data) + 32), 0), created "
                "FROM models LEFT JOIN scores ON model = id GROUP BY id ORDER BY created DESC"
            ).fetchall()
        return [StoredModel(*row) for row in rows]

    def prune(self, keys: Iterable[str]) -> int:
        """Forget models by key; the number of texts that were removed."""
        removed = 0
        with self._errors():
            with self._db:
                for key in keys:
                    row = self._db.execute("SELECT id FROM models WHERE key = ?", (key,)).fetchone()
                    if row is not None:
                        cursor = self._db.execute("DELETE FROM scores WHERE model = ?", row)
                        removed += cursor.rowcount
                        self._db.execute("DELETE FROM models WHERE id = ?", row)
                        self._ids.pop(key, None)
            self._db.execute("VACUUM")
        return removed


def pack(scores: TokenScores) -> bytes:
    """Offsets and log-probabilities as bytes, with a checksum."""
    n = len(scores)
    body = struct.pack(f"<I{n}i{n}i{n}d", n, *scores.starts, *scores.ends, *scores.logps)
    return struct.pack("<I", zlib.crc32(body)) + body


def unpack(data: bytes, where: object = "") -> TokenScores:
    """The reverse of `pack`; a row that does not match its checksum is an error."""
    (check,) = struct.unpack_from("<I", data)
    body = data[4:]
    if zlib.crc32(body) != check:
        raise StoreError(
            f"score store {where}: a row is damaged; move the file away to start afresh"
        )
    (n,) = struct.unpack_from("<I", body)
    values = struct.unpack_from(f"<{n}i{n}i{n}d", body, 4)
    return TokenScores(values[:n], values[n : 2 * n], values[2 * n :])


def _chunks(texts: Sequence[Text]) -> Iterator[tuple[Sequence[Text], str]]:
    for at in range(0, len(texts), CHUNK):
        chunk = texts[at : at + CHUNK]
        yield chunk, ",".join("?" * len(chunk))


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make the cache folder {path.parent}: {error.strerror}; "
            f"set PRISCIAN_CACHE to a folder that can be written"
        ) from None


def _set_aside_if_damaged(path: Path) -> None:
    """Rename a store that is cut short or malformed, and say so."""
    if not path.exists() or path.stat().st_size == 0:
        return
    reason = _damage(path)
    if not reason:
        return
    aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    path.rename(aside)
    for tail in ("-wal", "-shm"):
        log = path.with_name(path.name + tail)
        if log.exists():
            log.rename(aside.with_name(aside.name + tail))
    warnings.warn(
        f"score store {path} is damaged ({reason}); set aside as {aside.name}, starting a new one",
        PriscianWarning,
        stacklevel=4,
    )


def _damage(path: Path) -> str:
    size = path.stat().st_size
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0"):
        return "not an SQLite file"
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    pages = int.from_bytes(header[28:32], "big")
    log = path.with_name(path.name + "-wal")
    if size < page * pages and not (log.exists() and log.stat().st_size):
        return f"cut short: {size} of {page * pages} bytes"
    if size > LARGE:
        return ""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=60)) as db:
            answer = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        return "" if "locked" in str(error) else str(error)
    return "" if answer == "ok" else answer
