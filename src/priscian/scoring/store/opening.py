"""Open a store's file: new, of another version, damaged, or on a disk that SQLite cannot use."""

from __future__ import annotations

import contextlib
import itertools
import os
import sqlite3
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from priscian.errors import PriscianWarning, StoreError
from priscian.files.cache import cache_folder, refuse_network_disk
from priscian.scoring.store.tables import VERSION, create_tables

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
    """A connection to a store of this version; the file is created, or renamed."""
    if path is not None:
        _make_folder(path)
        refuse_network_disk(path, "score store", "scores", REMEDY)
        _set_aside_if_damaged(path)
    with store_errors(path):
        db = sqlite3.connect(
            path or ":memory:", timeout=PATIENCE, check_same_thread=False, isolation_level=None
        )
        try:
            _set_up(db, path)
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


def _set_up(db: sqlite3.Connection, path: Path | None) -> None:
    version = _version(db, path)
    if version == VERSION:
        db.execute("PRAGMA journal_mode=WAL")  # does nothing if it is already set
    else:
        _create(db, path)
    db.execute("PRAGMA synchronous=NORMAL")
    db.execute("PRAGMA temp_store=MEMORY")
    db.execute("PRAGMA cache_size=-65536")  # 64 MB
    db.execute("PRAGMA wal_autocheckpoint=4000")  # pages: new texts dirty the same ones again


def _create(db: sqlite3.Connection, path: Path | None) -> None:
    """Create the tables of a new store; other processes wait."""
    db.execute("PRAGMA auto_vacuum=INCREMENTAL")  # must come before the first table
    _use_log(db)
    with transaction(db):
        if _version(db, path) < VERSION:  # check again: another process may have been first
            if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'scores'").fetchone():
                raise StoreError(
                    f"score store {path} was written by Priscian 0.1, which this version does not "
                    "read; move the file away to start again"
                )
            create_tables(db)


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


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make the cache folder {path.parent}: {error.strerror}; {_somewhere_else(path)}"
        ) from None


def _set_aside_if_damaged(path: Path) -> None:
    """Rename a truncated or malformed store, with a warning."""
    try:
        before = path.stat()
        reason = _damage(path) if before.st_size else ""
        if not reason or path.stat().st_ino != before.st_ino:
            return  # intact, or another process has already renamed it
        aside = _free_name(path)
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


def _free_name(path: Path) -> Path:
    """An unused file name in the store's folder."""
    stem = f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}"
    names = itertools.chain([stem], (f"{stem}-{n}" for n in itertools.count(2)))
    return next(p for name in names if not (p := path.with_name(name)).exists())


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
            if reason := _cut_short(db, path):
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


def _cut_short(db: sqlite3.Connection, path: Path) -> str:
    page = int(db.execute("PRAGMA page_size").fetchone()[0])
    pages = int(db.execute("PRAGMA page_count").fetchone()[0])
    return _compare(path, page * pages)


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
