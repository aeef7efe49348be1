"""The store in one SQLite file: write-ahead log, full synchronisation, secure deletion."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from priscian.errors import StoreError, StoreFullError
from priscian.files import make_private, replacing
from priscian.files.cache import refuse_network_disk
from priscian.judge.store import SCHEMA, UPGRADES

WAIT = 30.0
"""Seconds to wait for another process that writes, such as a backup."""
TRIES = 100
DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""A message of SQLite that quotes a damaged name is not always UTF-8, and Python decodes it."""
FULL = ("disk is full", "disk I/O error")


def schema(serial: str) -> list[str]:
    """The statements that make the tables."""
    text = (resources.files("priscian.judge") / "schema.sql").read_text("utf-8")
    return [s for s in text.replace("{serial}", serial).split(";") if s.strip()]


class Sqlite:
    """One connection to a study's SQLite file."""

    name = "SQLite"

    def __init__(self, file: Path) -> None:
        remedy = "give --database a file on a local disk or postgresql://…"
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
        (found,) = self.connection.execute("PRAGMA user_version").fetchone()
        if found > SCHEMA:
            raise StoreError(
                f"{self.file}: written by a newer version of Priscian (schema {found}, this one "
                f"reads up to {SCHEMA}); update Priscian"
            )
        if found < SCHEMA:
            with self.transaction():
                self._upgrade()

    def _upgrade(self) -> None:
        """Make the tables, or change those of an older version, of which a copy is kept."""
        (found,) = self.connection.execute("PRAGMA user_version").fetchone()  # nobody else writes
        if 0 < found < SCHEMA:
            with contextlib.closing(sqlite3.connect(self.file)) as reader:
                _copy(reader, self.upgraded_from(found))
        statements = (
            [s for old in range(found, SCHEMA) for s in UPGRADES[old]]
            if found
            else (schema("INTEGER PRIMARY KEY"))
        )
        for statement in statements:
            self.connection.execute(statement)
        self.connection.execute(f"PRAGMA user_version = {SCHEMA}")

    def upgraded_from(self, version: int) -> Path:
        """The copy of the file that is kept when an older version of it is upgraded."""
        return self.file.with_name(f"{self.file.name}.schema{version}")

    def run(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        with _told(self.file):
            return self.connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, on disk at the end of the block."""
        with _told(self.file):
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
        with _told(self.file):
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


@contextlib.contextmanager
def _told(file: Path) -> Iterator[None]:
    """Errors of the database as ours; a full disk has its own."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if any(words in str(error) for words in FULL):
            raise StoreFullError(f"{file}: {error}; free some space") from error
        busy = any(words in str(error) for words in ("locked", "busy"))
        remedy = "is another program using it?" if busy else "restore it from a backup"
        raise StoreError(f"{file}: {str(error)[:200]}; {remedy}") from error
