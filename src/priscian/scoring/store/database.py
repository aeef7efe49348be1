"""The store's file and its tables.

A file may be new, of another version, damaged, or on a disk that SQLite cannot use. In its tables,
a row of `scores` has only integers and values. Texts and token offsets are kept once for all
models, so a sweep over checkpoints stores them once. Ids of models and texts are never reused,
and functions that take them look them up inside the transaction that their caller has started:
nothing is remembered from one transaction to the next.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sqlite3
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from priscian.errors import PriscianWarning, StoreError
from priscian.files.cache import cache_folder, refuse_network_disk
from priscian.records import TokenScores
from priscian.scoring.store.rows import CHANNELS, owner, pack_offsets, pack_values, seal

VERSION = 2
SCHEMA = (
    """CREATE TABLE models (
        id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE NOT NULL, label TEXT NOT NULL,
        fields TEXT NOT NULL, created REAL NOT NULL,
        texts INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0)""",
    "CREATE TABLE texts (id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB UNIQUE NOT NULL)",
    """CREATE TABLE offsets (
        text INTEGER NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (text, number)) WITHOUT ROWID""",
    """CREATE TABLE scores (
        model INTEGER NOT NULL, text INTEGER NOT NULL, channel INTEGER NOT NULL,
        offsets INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (model, text, channel)) WITHOUT ROWID""",
)
CHUNK = 500
T = TypeVar("T")
ROW_BYTES = 20
"""Approximate overhead of SQLite per row, in bytes."""
LARGE = 2**26
"""A store larger than this is checked only by its header when it is opened, in bytes."""
PATIENCE = 60.0
"""Seconds to wait for another process that writes."""
LOG = "-wal"
"""What the name of a store's log ends in."""
HEADER = 100
"""The first bytes of every SQLite file."""
NOT_SQLITE = "not an SQLite file"
REMEDY = (
    "set PRISCIAN_CACHE to a folder on a local disk, such as $TMPDIR, or score with `shard=1/1` "
    "and priscian merge, which keep scores on this machine's disk while they compute"
)
DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def open_database(path: Path | None) -> sqlite3.Connection:
    """A connection to a store of this version; the file is created, or a damaged one renamed."""
    if path is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"cannot make the cache folder {path.parent}: {error.strerror}; "
                f"{_somewhere_else(path)}"
            ) from None
        refuse_network_disk(path, "score store", "scores", REMEDY)
        _set_aside_if_damaged(path)
    with store_errors(path):
        db = sqlite3.connect(
            path or ":memory:", timeout=PATIENCE, check_same_thread=False, isolation_level=None
        )
        try:
            is_new = _version(db, path) < VERSION
            if is_new:
                db.execute("PRAGMA auto_vacuum=INCREMENTAL")  # must come before the first table
            _use_log(db)
            if is_new:
                with transaction(db):  # other processes wait
                    if _version(db, path) < VERSION:  # another process may have been first
                        for statement in SCHEMA:
                            db.execute(statement)
                        db.execute(f"PRAGMA user_version={VERSION}")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("PRAGMA temp_store=MEMORY")
            db.execute("PRAGMA cache_size=-65536")  # 64 MB
            db.execute("PRAGMA wal_autocheckpoint=4000")  # pages: new texts dirty the same ones
        except BaseException:
            db.close()
            raise
    return db


def may_write(path: Path) -> bool:
    """Whether a store can be opened in its place, which writes a log beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def needs_copy(path: Path) -> bool:
    """Whether a store that cannot be written can only be read in a copy.

    So it is if its log has something to be written back, or if it has no tables yet.
    """
    if stored_bytes(path) > path.stat().st_size:
        return True
    with store_errors(path), contextlib.closing(_connect_unchanged(path)) as db:
        return _version(db, path) != VERSION


def open_unchanged(path: Path) -> sqlite3.Connection:
    """A connection to a store of this version that nobody writes to: no file is made or changed."""
    with store_errors(path):
        return _connect_unchanged(path)


def _connect_unchanged(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?immutable=1",
        uri=True,
        check_same_thread=False,
        isolation_level=None,
    )


def stored_bytes(path: Path) -> int:
    """Bytes that a store takes on disk, its log included."""
    files = [path.with_name(path.name + tail) for tail in ("", LOG)]
    return sum(file.stat().st_size for file in files if file.is_file())


@contextlib.contextmanager
def store_errors(path: Path | None) -> Iterator[None]:
    """SQLite's errors as one line with a remedy."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_FULL"):
            remedy = "free some space, then run again: what was stored is kept"
        elif name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            remedy = "another process holds it; try again"
        elif name.startswith("SQLITE_IOERR"):
            remedy = "check the disk and its free space, then run again: what was stored is kept"
        elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
            remedy = _somewhere_else(path)
        else:
            remedy = "move the file away to start again"
        where = path or "the store in memory"
        raise StoreError(f"score store {where}: {error}; {remedy}") from error
    except UnicodeDecodeError as error:  # damaged text in the file or in SQLite's message
        where = path or "the store in memory"
        raise StoreError(
            f"score store {where}: damaged ({error}); move the file away to start again"
        ) from error


@contextlib.contextmanager
def transaction(db: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """All or nothing; IMMEDIATE waits for other writers first, DEFERRED reads one state."""
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk has already ended it
            with contextlib.suppress(sqlite3.Error):
                db.execute("ROLLBACK")
        raise


def _use_log(db: sqlite3.Connection) -> None:
    """Turn on the write-ahead log; SQLite does not wait for others here, so we do."""
    for _ in range(200):
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if not str(getattr(error, "sqlite_errorname", "")).startswith("SQLITE_BUSY"):
                raise
            time.sleep(0.05)
    db.execute("PRAGMA journal_mode=WAL")


def _version(db: sqlite3.Connection, path: Path | None) -> int:
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if version > VERSION:
        raise StoreError(
            f"score store {path} was written by a newer Priscian (format {version}, this one "
            f"reads up to {VERSION}); update Priscian, or set PRISCIAN_CACHE to another folder"
        )
    return version


def _somewhere_else(path: Path | None) -> str:
    """What to do if a store cannot be written; that of a shard is where its run is."""
    if path is None or path.parent == cache_folder():
        return "set PRISCIAN_CACHE to a folder that can be written"
    return f"make {path.parent} writable, or give a run folder that is"


def _set_aside_if_damaged(path: Path) -> None:
    """Rename a truncated or malformed store, with a warning."""
    try:
        before = path.stat()
        reason = _damage(path) if before.st_size else ""
        if not reason or path.stat().st_ino != before.st_ino:
            return  # intact, or another process has already renamed it
        stem = f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}"
        names = itertools.chain([stem], (f"{stem}-{n}" for n in itertools.count(2)))
        aside = next(p for name in names if not (p := path.with_name(name)).exists())
        path.rename(aside)
        for tail in ("-wal", "-shm"):
            log = path.with_name(path.name + tail)
            if log.exists():
                log.rename(aside.with_name(aside.name + tail))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(
            f"score store {path}: {error.strerror}; check its permissions, or "
            f"{_somewhere_else(path)}"
        ) from None
    warnings.warn(
        f"score store {path} is damaged ({reason}); renamed to {aside.name}, starting a new one",
        PriscianWarning,
        stacklevel=5,
    )


def _damage(path: Path) -> str:
    """What is wrong with a file; empty if it is intact or cannot be checked now.

    The file is read only through SQLite: closing a handle of our own would drop every lock that
    this process has on it, and another process could then remove the log while we read.
    """
    if path.stat().st_size < HEADER:
        return NOT_SQLITE
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=PATIENCE)) as db:
            # While we read, no other process can shorten the file or remove its log.
            db.execute("BEGIN")
            db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            page = int(db.execute("PRAGMA page_size").fetchone()[0])
            pages = int(db.execute("PRAGMA page_count").fetchone()[0])
            if reason := _compare(path, page * pages):
                return reason
            if path.stat().st_size > LARGE:
                return ""
            answer = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code not in DAMAGE:
            return ""  # locked, no permission …: opening it will report that
        return NOT_SQLITE if code == sqlite3.SQLITE_NOTADB else _missing_end(path) or str(error)
    except UnicodeDecodeError:  # SQLite's message quotes the damage
        return "its list of tables is damaged"
    return "" if answer == "ok" else answer


def _missing_end(path: Path) -> str:
    """Whether a file that SQLite reports as damaged is shorter than its header says."""
    header = path.read_bytes()[:HEADER]
    page = int.from_bytes(header[16:18], "big")
    return _compare(path, (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big"))


def _compare(path: Path, whole: int) -> str:
    size = path.stat().st_size
    log = path.with_name(path.name + "-wal")
    if size < whole and not (log.exists() and log.stat().st_size):
        return f"cut short: {size} of {whole} bytes"
    return ""


def find_model(db: sqlite3.Connection, key: str) -> tuple[int, int] | None:
    """A model's id and the number of its texts; None if there is no such model."""
    row: tuple[int, int] | None = db.execute(
        "SELECT id, texts FROM models WHERE key = ?", (key,)
    ).fetchone()
    return row


def add_scores(
    db: sqlite3.Connection,
    model: int,
    key: str,
    channel: str,
    rows: Sequence[tuple[bytes, TokenScores]],
) -> None:
    """Add scores of some texts, given by hash; existing scores are not changed."""
    number = CHANNELS.index(channel)
    unique: dict[bytes, TokenScores] = {}
    for text, scores in rows:
        if not len(scores.starts) == len(scores.ends) == len(scores.logps):
            raise StoreError("token scores need as many starts and ends as values")
        unique.setdefault(text, scores)
    known = find_texts(db, list(unique))
    there: set[tuple[int, int]] = set()  # texts and channels for which the model has rows
    for chunk, marks in chunks(list(known.values())):
        there.update(
            db.execute(
                f"SELECT text, channel FROM scores WHERE model = ? AND text IN ({marks})",
                (model, *chunk),
            )
        )
    new = [text for text in unique if text not in known or (known[text], number) not in there]
    last = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'texts'").fetchone()
    unknown = (text for text in new if text not in known)
    added = {text: i for i, text in enumerate(unknown, 1 + (int(last[0]) if last else 0))}
    db.executemany("INSERT INTO texts (hash, id) VALUES (?, ?)", added.items())
    ids = known | added
    offsets = pack_offsets([unique[text] for text in new])
    numbers = _add_offsets(db, [ids[text] for text in new], offsets, set(known.values()))
    values = pack_values([unique[text] for text in new])
    start = owner(key, number)
    packed = [
        (model, ids[text], number, n, seal(start, text, o, v))
        for text, n, o, v in zip(new, numbers, offsets, values, strict=True)
    ]
    db.executemany("INSERT INTO scores VALUES (?, ?, ?, ?, ?)", packed)
    scored = {text for text, _ in there}
    db.execute(
        "UPDATE models SET texts = texts + ?, bytes = bytes + ? WHERE id = ?",
        (
            sum(text not in scored for _, text, *_ in packed),
            sum(ROW_BYTES + len(data) for *_, data in packed),
            model,
        ),
    )


def find_texts(db: sqlite3.Connection, hashes: Sequence[bytes]) -> dict[bytes, int]:
    """Ids of the texts that are in the store."""
    ids: dict[bytes, int] = {}
    for chunk, marks in chunks(sorted(hashes)):  # in the order of the index
        ids.update(db.execute(f"SELECT hash, id FROM texts WHERE hash IN ({marks})", chunk))
    return ids


def _add_offsets(
    db: sqlite3.Connection, texts: Sequence[int], offsets: Sequence[bytes], known: set[int]
) -> list[int]:
    """For each text the number of its offsets; those of known texts are compared byte by byte."""
    old = [text for text in texts if text in known]
    if not old:
        rows = [(text, 0, data) for text, data in zip(texts, offsets, strict=True)]
        db.executemany("INSERT INTO offsets VALUES (?, ?, ?)", rows)
        return [0] * len(texts)
    kept: dict[int, dict[bytes, int]] = {}
    for chunk, marks in chunks(old):
        for text, number, data in db.execute(
            f"SELECT text, number, data FROM offsets WHERE text IN ({marks})", chunk
        ):
            kept.setdefault(text, {})[data] = number
    numbers: list[int] = []
    new: list[tuple[int, int, bytes]] = []
    for text, data in zip(texts, offsets, strict=True):
        here = kept.get(text, {})
        number = here.get(data)
        if number is None:
            number = 1 + max(here.values(), default=-1)
            new.append((text, number, data))
        numbers.append(number)
    db.executemany("INSERT INTO offsets VALUES (?, ?, ?)", new)
    return numbers


def remove_models(db: sqlite3.Connection, ids: Sequence[int]) -> None:
    """Remove models with their scores, and texts for which no other model has scores."""
    if {model for (model,) in db.execute("SELECT id FROM models")} <= set(ids):
        for table in ("scores", "offsets", "texts", "models"):
            db.execute(f"DELETE FROM {table}")  # all at once, which SQLite does without a search
        return
    db.execute("CREATE TEMP TABLE freed (text INTEGER PRIMARY KEY)")
    for model in ids:
        db.execute(
            "INSERT OR IGNORE INTO freed SELECT DISTINCT text FROM scores WHERE model = ?", (model,)
        )
        db.execute("DELETE FROM scores WHERE model = ?", (model,))
        db.execute("DELETE FROM models WHERE id = ?", (model,))
    db.execute(
        "DELETE FROM freed WHERE EXISTS (SELECT 1 FROM models CROSS JOIN scores "
        "WHERE scores.model = models.id AND scores.text = freed.text)"
    )
    db.execute("DELETE FROM offsets WHERE text IN (SELECT text FROM freed)")
    db.execute("DELETE FROM texts WHERE id IN (SELECT text FROM freed)")
    db.execute("DROP TABLE freed")


def chunks(values: Sequence[T]) -> Iterator[tuple[Sequence[T], str]]:
    """Parts that fit in one statement, each with its question marks."""
    for at in range(0, len(values), CHUNK):
        chunk = values[at : at + CHUNK]
        yield chunk, ",".join("?" * len(chunk))
