"""The two databases that a study may use: a SQLite file, or Postgres for several processes."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from priscian.errors import StoreError, StoreFullError, install
from priscian.files import make_private, replacing
from priscian.files.cache import refuse_network_disk
from priscian.judge.study import DATA

SCHEMA = 2
UPGRADES: Mapping[int, Sequence[str]] = {
    1: ("ALTER TABLE sittings ADD COLUMN released DOUBLE PRECISION NOT NULL DEFAULT 0",),
}
"""Statements that turn the tables of a schema into those of the next; data stay as they are."""
WAIT = 30.0
"""Seconds to wait for another process that writes, such as a backup."""
TRIES = 100
LOCK = 0x50524953  # one number for the lock of assignments
DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""A message of SQLite that quotes a damaged name is not always UTF-8, and Python decodes it."""
FULL = ("disk is full", "disk I/O error")


class Database(Protocol):
    """One connection, and what differs between databases; both take the same SQL."""

    place: str
    """Where it is, for people to read."""

    def run(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a statement, in which `?` stands for a value."""

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing, on disk at the end of the block."""

    def savepoint(self) -> AbstractContextManager[None]:
        """All or nothing within a transaction."""

    def lock(self) -> None:
        """Assign one sitting at a time, whatever the number of processes; until the commit."""

    def backup(self, target: Path) -> None:
        """Write a consistent copy while others write."""

    def scrub(self) -> None:
        """Leave no deleted byte."""

    def is_open_to_others(self) -> bool:
        """Whether other users of this machine can read it."""

    def close(self) -> None:
        """Close the connection."""


def _changes(found: int, serial: str) -> list[str]:
    """Statements that make the tables, from nothing or from those of an older schema."""
    if found:
        return [statement for old in range(found, SCHEMA) for statement in UPGRADES[old]]
    text = (DATA / "schema.sql").read_text("utf-8").replace("{serial}", serial)
    return [statement for statement in text.split(";") if statement.strip()]


class Sqlite:
    """A SQLite file: write-ahead log, full synchronisation, secure deletion."""

    def __init__(self, file: Path) -> None:
        remedy = "give `database=` a file on a local disk or postgresql://…"
        refuse_network_disk(file, "the database", "answers", remedy)
        self.file = file
        self.place = str(file)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):  # its log and index get the same mode
                make_private(file)
            self.connection = sqlite3.connect(
                file, timeout=WAIT, isolation_level=None, check_same_thread=False
            )
            with contextlib.ExitStack() as failing:
                failing.callback(self.connection.close)
                for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON",
                               "foreign_keys=ON", "temp_store=MEMORY"):  # fmt: skip
                    self.connection.execute(f"PRAGMA {pragma}")
                self._prepare()
                failing.pop_all()  # opened: whoever has it closes it
        except (*DAMAGE, OSError) as error:
            raise StoreError(
                f"{file}: cannot be opened as the database of a study ({error}); restore it from a "
                "backup, or move it away"
            ) from None

    def _prepare(self) -> None:
        """Make the tables, or change those of an older version, of which a copy is kept."""
        found = self._schema()
        if found > SCHEMA:
            raise StoreError(
                f"{self.file}: written by a newer version of Priscian (schema {found}, this one "
                f"reads up to {SCHEMA}); update Priscian"
            )
        if found == SCHEMA:
            return
        with self.transaction():
            found = self._schema()  # again, now that nobody else writes
            if 0 < found < SCHEMA:
                with contextlib.closing(sqlite3.connect(self.file)) as reader:
                    _copy(reader, self.upgraded_from(found))
            for statement in _changes(found, "INTEGER PRIMARY KEY"):
                self.connection.execute(statement)
            self.connection.execute(f"PRAGMA user_version = {SCHEMA}")

    def _schema(self) -> int:
        return int(self.connection.execute("PRAGMA user_version").fetchone()[0])

    def upgraded_from(self, version: int) -> Path:
        """The copy of the file that is kept when an older version of it is upgraded."""
        return self.file.with_name(f"{self.file.name}.schema{version}")

    def run(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        with self._errors():
            return self.connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, on disk at the end of the block."""
        with self._errors():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def savepoint(self) -> Iterator[None]:
        """All or nothing within a transaction."""
        self.connection.execute("SAVEPOINT job")
        try:
            yield
        except BaseException:
            if self.connection.in_transaction:  # a full disk has rolled everything back already
                self.connection.execute("ROLLBACK TO job")
                self.connection.execute("RELEASE job")
            raise
        self.connection.execute("RELEASE job")

    def lock(self) -> None:
        """Nothing to do: a transaction that writes is alone."""

    def backup(self, target: Path) -> None:
        """A consistent copy while others write: with a write-ahead log a reader stops nobody."""
        _copy(self.connection, target)

    def scrub(self) -> None:
        """Leave no deleted byte in the file or its log, nor in copies that an upgrade made."""
        for version in range(1, SCHEMA):
            self.upgraded_from(version).unlink(missing_ok=True)
        with self._errors():
            self._empty_log()
            self.connection.execute("VACUUM")
            self._empty_log()

    def _empty_log(self) -> None:
        """Move the log into the file and cut it to nothing; somebody may be reading meanwhile."""
        for _ in range(TRIES):
            busy, *_ = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                return
            time.sleep(0.1)
        raise StoreError(
            f"{self.file}: the log is in use, so that deleted bytes may be left in it; stop the "
            "server and run the command again"
        )

    def is_open_to_others(self) -> bool:
        """Whether other users of this machine can read the file; files made by old versions are."""
        return os.name == "posix" and bool(self.file.stat().st_mode & 0o077)

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Errors of the database as ours; a full disk has its own."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            said = str(error)
            if any(words in said for words in FULL):
                raise StoreFullError(f"{self.file}: {said}; free some space") from error
            busy = "locked" in said or "busy" in said
            remedy = "is another program using it?" if busy else "restore it from a backup"
            raise StoreError(f"{self.file}: {said[:200]}; {remedy}") from error


def _copy(source: sqlite3.Connection, target: Path) -> None:
    """A checked copy that only its owner can read."""
    with replacing(target) as temporary:
        make_private(temporary)
        with contextlib.closing(sqlite3.connect(temporary)) as copy:
            source.backup(copy)
            ((said,),) = copy.execute("PRAGMA quick_check").fetchall()
            if said != "ok":
                raise StoreError(f"{target}: the copy is damaged ({said}); try again")
            copy.execute("PRAGMA journal_mode=DELETE")


class Postgres:
    """Postgres, with the same SQL."""

    place = "the database"

    def __init__(self, address: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise StoreError(f"Postgres needs psycopg: {install('postgres')}") from None
        self._error = psycopg.Error
        try:
            self.connection = psycopg.connect(address, autocommit=True)
        except psycopg.Error as error:
            reason = _first_line(error)
            raise StoreError(f"cannot connect to Postgres ({reason}); check the address") from None
        try:
            with self.transaction():
                self._prepare()
        except StoreError:
            self.connection.close()
            raise

    def _prepare(self) -> None:
        """Make the tables, or change those of an older version."""
        self.lock()
        self.run("CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        rows = self.run("SELECT value FROM settings WHERE key = 'schema'")
        found = int(rows[0][0]) if rows else 0
        if found > SCHEMA:
            raise StoreError(
                f"the database was written by a newer version of Priscian (schema {found}, this "
                f"one reads up to {SCHEMA}); update Priscian"
            )
        if found < SCHEMA:
            for statement in _changes(found, "INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY"):
                self.run(statement)
            self.run(
                "INSERT INTO settings (key, value) VALUES ('schema', ?) "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (str(SCHEMA),),
            )

    def run(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a statement; `?` stands for a value, as in SQLite."""
        with self._errors():
            cursor = self.connection.execute(sql.replace("?", "%s").encode(), values)
            return cursor.fetchall() if cursor.description else []

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: on disk at the end of the block, unless it is within another."""
        with self._errors(), self.connection.transaction():
            yield

    savepoint = transaction

    def lock(self) -> None:
        """Assign one sitting at a time, whatever the number of processes; until the commit."""
        self.run("SELECT pg_advisory_xact_lock(?)", (LOCK,))

    def backup(self, target: Path) -> None:
        """Postgres has tools of its own for this."""
        raise StoreError("back up Postgres with pg_dump, which is made for it")

    def scrub(self) -> None:
        """Rewrite the tables without what was deleted."""
        self.run("VACUUM FULL")

    def is_open_to_others(self) -> bool:
        """Postgres has users of its own."""
        return False

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Errors of the database as ours; a full disk has its own."""
        try:
            yield
        except self._error as error:
            reason = _first_line(error)
            if getattr(error, "sqlstate", None) == "53100":
                raise StoreFullError(f"Postgres: {reason}; free some space") from error
            raise StoreError(f"Postgres: {reason}") from error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
