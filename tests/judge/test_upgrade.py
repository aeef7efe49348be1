"""Databases of older versions are upgraded in place, with nothing lost and a copy kept."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import StoreError
from priscian.judge.databases import SCHEMA, UPGRADES, Sqlite
from priscian.judge.export import export_store
from priscian.judge.opening import freeze_study, open_store, ready
from priscian.judge.store import SentAnswer, Sitting
from tests.judge.client import begin, serve, walk
from tests.judge.process import Process, free_port
from tests.judge.studies import make

OLD = (Path(__file__).parent / "data" / "schema1.sql").read_text("utf-8")
"""The tables as version 1 made them."""
Run = Callable[..., list[tuple[Any, ...]]]


def tables(serial: str) -> list[str]:
    return [s for s in OLD.replace("{serial}", serial).split(";") if s.strip()]


def fill(run: Run, body: str, sha: str) -> None:
    """A study in which somebody has answered once and somebody has finished."""
    run("INSERT INTO studies (version, hash, body, created) VALUES (1, ?, ?, 1.0)", (sha, body))
    for number in (1, 2):
        run("INSERT INTO lists (version, number, part) VALUES (1, ?, 1)", (number,))
    for n, state in enumerate(("live", "complete"), start=1):
        run(
            "INSERT INTO sittings (token, person, version, list, state, started, seen, code, "
            "deletion, kind, facts) VALUES (?, ?, 1, ?, ?, 1e9, 4e9, 'C', ?, 'person', ?)",
            (f"token{n}" + "x" * 16, f"person{n}", n, state, f"DELETE{n}", '{"read": 1e9}'),
        )
        for position in range(1, 13):
            run(
                "INSERT INTO trials (sitting, position, item, kind, condition, side) "
                "VALUES (?, ?, ?, 'item', '', 'left')",
                (n, position, f"p{position - 1}"),
            )
            if state == "complete" or position == 1:
                run(
                    "INSERT INTO answers (sitting, position, response, time, hidden, timing, "
                    "received, version) VALUES (?, ?, 'left', 1.5, 0, 'script', 2e9, 1)",
                    (n, position),
                )
    run("INSERT INTO identities VALUES ('prolific', 'ANN', 'person1')", ())


def older(folder: Path) -> Path:
    """A study whose database an older version has made; the file."""
    make(folder)
    frozen = freeze_study(folder)
    store = open_store(folder)
    body = store.body(1)
    store.close()
    file = folder / "judge.sqlite"
    for path in folder.glob("judge.sqlite*"):
        path.unlink()
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    for statement in tables("INTEGER PRIMARY KEY"):
        connection.execute(statement)
    fill(lambda sql, values: list(connection.execute(sql, values)), body, frozen.hash)
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    return file


def everything(file: Path, table: str) -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        return list(connection.execute(f"SELECT * FROM {table}"))


def test_every_older_schema_has_its_upgrade() -> None:
    assert sorted(UPGRADES) == list(range(1, SCHEMA))


def test_a_database_is_upgraded_and_a_copy_of_it_kept(tmp_path: Path) -> None:
    file = older(tmp_path)
    names = ("studies", "lists", "sittings", "trials", "answers", "identities")
    before = {name: everything(file, name) for name in names}
    served = serve(tmp_path)
    store = served.store()
    assert [c.complete + c.live for c in store.counts(1, 1e12)] == [1, 1]
    assert served.client.get("/s/token2" + "x" * 16).text.count('id="code"') == 1
    finished = walk(served.client, "/s/token1" + "x" * 16, lambda shown: "right")
    assert 'id="code"' in finished.text
    begin(served.client)
    assert sum(1 for _ in store.answers()) == 24
    store.close()
    served.close()
    (version,) = everything(file, "pragma_user_version")
    assert version == (SCHEMA,)
    kept = tmp_path / "judge.sqlite.schema1"
    assert {name: everything(kept, name) for name in names} == before
    assert everything(kept, "pragma_user_version") == [(1,)]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_new_database_has_the_tables_of_an_upgraded_one(tmp_path: Path) -> None:
    Sqlite(older(tmp_path / "old")).close()
    Sqlite(tmp_path / "new.sqlite").close()
    found = []
    for file in (tmp_path / "old" / "judge.sqlite", tmp_path / "new.sqlite"):
        with contextlib.closing(sqlite3.connect(file)) as connection:
            names = [n for (n,) in connection.execute("SELECT name FROM sqlite_master ORDER BY 1")]
            found.append({n: list(connection.execute(f"PRAGMA table_info({n})")) for n in names})
    assert found[0] == found[1]


def test_two_processes_upgrade_once(tmp_path: Path) -> None:
    file = older(tmp_path)
    wrong: list[BaseException] = []

    def open_it() -> None:
        try:
            Sqlite(file).close()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert everything(file.with_name("judge.sqlite.schema1"), "pragma_user_version") == [(1,)]


def test_an_upgrade_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = older(tmp_path)
    broken = {1: (*UPGRADES[1], "ALTER TABLE nothing ADD COLUMN x")}
    monkeypatch.setattr("priscian.judge.databases.UPGRADES", broken)
    with pytest.raises(StoreError):
        Sqlite(file)
    monkeypatch.undo()
    assert everything(file, "pragma_user_version") == [(1,)]
    store = open_store(tmp_path)
    assert len(store.sittings()) == 2
    store.close()


def test_forgetting_somebody_deletes_the_copy_too(tmp_path: Path) -> None:
    older(tmp_path)
    store = open_store(tmp_path)
    assert (tmp_path / "judge.sqlite.schema1").is_file()
    with store.backend.transaction():
        assert store.forget("ANN") == 1
    store.backend.scrub()
    store.close()
    for path in tmp_path.iterdir():
        assert b"ANN" not in path.read_bytes(), path


def test_a_postgres_database_is_upgraded(tmp_path: Path, empty_postgres: str) -> None:
    import psycopg

    older(tmp_path)
    store = open_store(tmp_path)
    body, sha = store.body(1), store.versions()[0][1]
    store.close()
    with psycopg.connect(empty_postgres, autocommit=True) as connection:

        def run(sql: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
            connection.execute(sql.replace("?", "%s"), values)
            return []

        for statement in tables("INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY"):
            run(statement, ())
        run("INSERT INTO settings (key, value) VALUES ('schema', '1')", ())
        fill(run, body, sha)
    for _ in range(2):  # the second time there is nothing to do
        store = open_store(tmp_path, empty_postgres)
        assert store.setting("schema") == str(SCHEMA)
        assert [(s.state, s.person) for s in store.sittings()] == [
            ("live", "person1"),
            ("complete", "person2"),
        ]
        assert len(list(store.answers())) == 13
        assert [c.complete + c.live for c in store.counts(1, 1e12)] == [1, 1]
        store.close()
    assert ready(tmp_path, empty_postgres).hash == sha


class TestPermissions:
    @pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
    def test_a_database_that_others_can_read_is_warned_of(self, tmp_path: Path) -> None:
        process = Process(make(tmp_path), free_port())
        log = tmp_path / "log.txt"
        for mode, warned in ((0o600, False), (0o644, True)):
            open_store(tmp_path).close()
            (tmp_path / "judge.sqlite").chmod(mode)
            process.start()
            process.stop()
            assert ("warning: others on this machine can read" in log.read_text()) is warned

    @pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
    def test_only_the_owner_reads_what_people_say_of_themselves(self, tmp_path: Path) -> None:
        served = serve(make(tmp_path / "study", top='demographics = ["age"]'))
        walk(served.client, begin(served.client), lambda shown: "left")
        store = served.store()
        for _ in range(2):  # a file that is there is replaced
            done = export_store(store, served.site.frozen, tmp_path / "out")
        store.close()
        served.close()
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) & 0o077 for file in done.files}
        assert modes["demographics.csv"] == 0

    @pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
    def test_only_the_owner_reads_the_database_its_log_and_copies(self, tmp_path: Path) -> None:
        old = os.umask(0o022)
        try:
            frozen = freeze_study(make(tmp_path))
            store = open_store(tmp_path)
            from priscian.judge.sitting import enter
            from priscian.judge.store import Arrival

            with store.backend.transaction():
                sitting = enter(store, frozen, Arrival())
                assert isinstance(sitting, Sitting)
                store.answer(sitting.id, 1, SentAnswer(1, "left"))
            store.backend.backup(tmp_path / "copy.sqlite")
            found = {
                p.name: oct(stat.S_IMODE(p.stat().st_mode)) for p in tmp_path.glob("*.sqlite*")
            }
            store.close()
        finally:
            os.umask(old)
        assert found == dict.fromkeys(
            ("judge.sqlite", "judge.sqlite-wal", "judge.sqlite-shm", "copy.sqlite"), "0o600"
        )
