"""The store in Postgres, for several processes that serve one study: the same SQL."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from priscian.errors import StoreError, StoreFullError, install
from priscian.judge.sqlite import schema
from priscian.judge.store import SCHEMA, UPGRADES

LOCK = 0x50524953  # one number for the lock of assignments


class Postgres:
    """One connection to a study's database."""

    name = "Postgres"
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
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise StoreError(f"cannot connect to Postgres ({reason}); check the address") from None
        try:
            with self.transaction():
                self._prepare()
        except StoreError:
            self.connection.close()
            raise

    def _prepare(self) -> None:
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
            new = schema("INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
            changes = [s for old in range(found, SCHEMA) for s in UPGRADES[old]] if found else new
            for statement in changes:
                self.run(statement)
            self.run(
                "INSERT INTO settings (key, value) VALUES ('schema', ?) "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (str(SCHEMA),),
            )

    def run(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a statement; `?` stands for a value, as in SQLite."""
        with self._told():
            cursor = self.connection.execute(sql.replace("?", "%s").encode(), values)
            return cursor.fetchall() if cursor.description else []

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, on disk at the end of the block."""
        with self._told(), self.connection.transaction():
            yield

    @contextlib.contextmanager
    def savepoint(self) -> Iterator[None]:
        """All or nothing within a transaction."""
        with self._told(), self.connection.transaction():
            yield

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
    def _told(self) -> Iterator[None]:
        """Errors of the database as ours; a full disk has its own."""
        try:
            yield
        except self._error as error:
            state = getattr(error, "sqlstate", None) or ""
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            if state == "53100":
                raise StoreFullError(f"Postgres: {reason}; free some space") from error
            raise StoreError(f"Postgres: {reason}") from error
