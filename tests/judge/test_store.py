"""The store: the same behaviour on SQLite and Postgres."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from priscian.errors import DataError, StoreError, StoreFullError
from priscian.judge.databases import Sqlite
from priscian.judge.desk import Desk
from priscian.judge.frozen import Frozen
from priscian.judge.opening import freeze_study, open_store, ready
from priscian.judge.sitting import enter
from priscian.judge.store import Arrival, SentAnswer, ShownTrial, Sitting, Store
from tests.judge.studies import make

Stores = Callable[[], Store]


@pytest.fixture
def frozen(tmp_path: Path, database: str) -> Frozen:
    return freeze_study(
        make(tmp_path, "choice", "[targets]\nsittings_per_person = 2\nstale_after = 10\n"), database
    )


def begin(store: Store, frozen: Frozen, identity: str = "") -> Sitting:
    with store.backend.transaction():
        found = enter(store, frozen, Arrival("prolific", identity))
    assert isinstance(found, Sitting)
    return found


def test_an_answer_is_kept_once_and_the_first_wins(stores: Stores, frozen: Frozen) -> None:
    store = stores()
    sitting = begin(store, frozen)
    with store.backend.transaction():
        kept = [
            store.answer(sitting.id, 1, SentAnswer(1, said, 0.5))
            for said in ("left", "left", "right")
        ]
    assert kept == [True, False, False]
    assert [(a.position, a.response) for a in stores().answers()] == [(1, "left")]
    assert store.backend.run("SELECT response FROM revisions") == [("right",)]


def test_the_code_comes_only_after_every_answer(stores: Stores, frozen: Frozen) -> None:
    store = stores()
    sitting = begin(store, frozen)
    trials = store.trials(sitting.id)
    with store.backend.transaction():
        for trial in trials[:-1]:
            store.answer(sitting.id, 1, SentAnswer(trial.position, "left"))
        assert store.finish(sitting.id, "CODE") == ""
        store.answer(sitting.id, 1, SentAnswer(trials[-1].position, "left"))
        assert store.finish(sitting.id, "CODE") == "CODE"
        assert store.finish(sitting.id, "OTHER") == "CODE"
    assert stores().sitting(sitting.token).state == "complete"  # type: ignore[union-attr]


def test_what_is_not_committed_is_not_there(stores: Stores, frozen: Frozen) -> None:
    store = stores()
    sitting = begin(store, frozen)

    def half() -> None:
        with store.backend.transaction():
            store.answer(sitting.id, 1, SentAnswer(1, "left"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert list(stores().answers()) == []


def test_a_platform_id_is_one_person_and_resumes(stores: Stores, frozen: Frozen) -> None:
    store = stores()
    one, again, other = (begin(store, frozen, name) for name in ("ann", "ann", "bob"))
    assert one.token == again.token
    assert one.person != other.person
    assert len(one.token) >= 22  # 128 bits


def test_lists_fill_evenly_and_stale_places_return(stores: Stores, frozen: Frozen) -> None:
    store = stores()
    found = [begin(store, frozen, f"id{n}").list for n in range(7)]
    assert sorted(Counter(found).values()) == [3, 4]
    fewer = min(Counter(found), key=Counter(found).__getitem__)
    store.now = lambda: 1e10  # type: ignore[method-assign]  # everybody has left
    assert {c.stale for c in store.counts(1, 600)} == {3, 4}
    assert sorted(begin(store, frozen, f"new{n}").list for n in range(2)) == sorted({1, 2})
    assert fewer in (1, 2)


def test_nobody_meets_an_item_twice(tmp_path: Path, stores: Stores, database: str) -> None:
    frozen = freeze_study(
        make(tmp_path, "choice", "[lists]\nper_sitting = 4\n[targets]\nsittings_per_person = 9\n"),
        database,
    )
    store = stores()
    met: list[str] = []
    for _ in range(3):
        sitting = begin(store, frozen, "ann")
        met += [t.item for t in store.trials(sitting.id)]
        with store.backend.transaction():
            store.note(sitting.id, {}, "complete")
    assert len(set(met)) == len(met) == 12
    with store.backend.transaction():
        assert enter(store, frozen, Arrival("prolific", "ann")) == "done"


def test_the_order_is_stored_and_never_drawn_again(stores: Stores, frozen: Frozen) -> None:
    store = stores()
    sitting = begin(store, frozen, "ann")
    before = store.trials(sitting.id)
    begin(store, frozen, "ann")
    assert stores().trials(sitting.id) == before
    assert isinstance(before[0], ShownTrial)


def test_after_too_long_a_pause_the_sitting_begins_again(stores: Stores, frozen: Frozen) -> None:
    store = stores()
    sitting = begin(store, frozen, "ann")
    with store.backend.transaction():
        store.answer(sitting.id, 1, SentAnswer(1, "left"))
    later = store.now() + 60 * 1441
    store.now = lambda: later  # type: ignore[method-assign]
    assert begin(store, frozen, "ann").token == sitting.token
    assert list(store.answers()) == []
    assert store.backend.run("SELECT response FROM revisions") == [("left",)]


def test_forgetting_deletes_everything_of_one_person(stores: Stores, frozen: Frozen) -> None:
    store = stores()
    one, two = begin(store, frozen, "ann"), begin(store, frozen, "bob")
    with store.backend.transaction():
        store.answer(one.id, 1, SentAnswer(1, "left"))
        store.answer(two.id, 1, SentAnswer(1, "right"))
    with store.backend.transaction():
        assert store.forget("ann") == 1
        assert store.forget("nobody") == 0
    store.backend.scrub()
    assert [a.person for a in stores().answers()] == [two.person]
    with store.backend.transaction():
        assert store.forget(two.deletion) == 1
    assert store.sittings() == []


def test_an_edit_after_the_first_participant_is_a_new_version(
    tmp_path: Path, stores: Stores, frozen: Frozen, database: str
) -> None:
    assert ready(tmp_path, database) == frozen
    text = (tmp_path / "study.toml").read_text()
    (tmp_path / "study.toml").write_text(text + "\n[scale]\npoints = 5\n")
    assert ready(tmp_path, database).version == 1  # nobody has begun
    store = stores()
    begin(store, ready(tmp_path, database))
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(DataError, match="edited after version 1 was frozen"):
        ready(tmp_path, database)
    assert freeze_study(tmp_path, database).version == 2
    assert [v for v, _ in store.versions()] == [1, 2]


def test_the_desk_acknowledges_what_is_on_disk(stores: Stores, frozen: Frozen) -> None:
    desk = Desk(stores)
    sitting = desk.submit(lambda s: enter(s, frozen, Arrival())).result(20)
    assert isinstance(sitting, Sitting)
    kept: list[int] = []

    def send(start: int) -> None:
        for n in range(start, start + 6):
            job = SentAnswer(n, "left")
            desk.submit(lambda s, job=job: s.answer(sitting.id, 1, job)).result(20)
            kept.append(n)

    threads = [threading.Thread(target=send, args=(n,)) for n in (1, 7, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {a.position for a in stores().answers()} == set(kept) == set(range(1, 13))
    wrong = desk.submit(lambda s: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        wrong.result(20)
    desk.close()


class TestSqlite:
    def test_a_full_disk_is_its_own_error_and_nothing_is_lost(self, tmp_path: Path) -> None:
        frozen = freeze_study(make(tmp_path))
        store = open_store(tmp_path)
        sitting = begin(store, frozen)
        backend = store.backend
        assert isinstance(backend, Sqlite)
        (pages,) = backend.connection.execute("PRAGMA page_count").fetchone()
        backend.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreFullError, match="free some space"), backend.transaction():
            store.event(None, "x" * 100_000)
        backend.connection.execute("PRAGMA max_page_count = 100000")
        with backend.transaction():
            assert store.answer(sitting.id, 1, SentAnswer(1, "left"))
        store.close()

    def test_the_settings_of_the_database_are_safe(self, tmp_path: Path) -> None:
        backend = Sqlite(tmp_path / "x.sqlite")
        said = [backend.run(f"PRAGMA {p}")[0][0] for p in ("journal_mode", "synchronous")]
        assert said == ["wal", 2]
        backend.close()

    def test_a_database_of_a_newer_version_is_refused(self, tmp_path: Path) -> None:
        with sqlite3.connect(tmp_path / "x.sqlite") as connection:
            connection.execute("PRAGMA user_version = 99")
        connection.close()
        with pytest.raises(StoreError, match="newer version"):
            Sqlite(tmp_path / "x.sqlite")

    def test_a_file_that_is_no_database_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "x.sqlite").write_text("not a database, but long enough to be looked at" * 99)
        with pytest.raises(StoreError, match="cannot be opened"):
            Sqlite(tmp_path / "x.sqlite")

    def test_a_network_disk_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("priscian.files.cache.network_disk", lambda path: "nfs4")
        with pytest.raises(StoreError, match=r"network disk \(nfs4\).*postgresql"):
            Sqlite(tmp_path / "x.sqlite")

    def test_no_byte_of_an_identity_is_left(self, tmp_path: Path) -> None:
        frozen = freeze_study(make(tmp_path))
        store = open_store(tmp_path)
        begin(store, frozen, "5f3b2a1c9d8e7f6a5b4c3d2e")
        with store.backend.transaction():
            store.forget("5f3b2a1c9d8e7f6a5b4c3d2e")
        store.backend.scrub()
        for file in tmp_path.iterdir():
            assert b"5f3b2a1c9d8e7f6a5b4c3d2e" not in file.read_bytes(), file
        store.close()

    def test_a_backup_is_whole(self, tmp_path: Path) -> None:
        frozen = freeze_study(make(tmp_path))
        store = open_store(tmp_path)
        begin(store, frozen)
        store.backend.backup(tmp_path / "copy.sqlite")
        copy = open_store(tmp_path, str(tmp_path / "copy.sqlite"))
        assert len(copy.sittings()) == 1
        copy.close()
        store.close()


def test_a_connection_to_postgres_that_is_cut_is_made_again(
    tmp_path: Path, empty_postgres: str
) -> None:
    import psycopg

    frozen = freeze_study(make(tmp_path), empty_postgres)
    desk = Desk(lambda: open_store(tmp_path, empty_postgres))
    sitting = desk.submit(lambda s: enter(s, frozen, Arrival())).result(20)
    assert isinstance(sitting, Sitting)
    assert desk.submit(lambda s: s.answer(sitting.id, 1, SentAnswer(1, "left"))).result(20)
    with psycopg.connect(empty_postgres, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
    lost = desk.submit(lambda s: s.answer(sitting.id, 1, SentAnswer(2, "left")))
    with pytest.raises(StoreError):
        lost.result(20)
    assert desk.submit(lambda s: s.answer(sitting.id, 1, SentAnswer(2, "left"))).result(20)
    assert desk.submit(lambda s: [a.position for a in s.answers()]).result(20) == [1, 2]
    desk.close()


def test_a_postgres_database_of_a_newer_version_is_refused(
    tmp_path: Path, empty_postgres: str
) -> None:
    store = open_store(tmp_path, empty_postgres)
    store.put("schema", "99")
    store.close()
    with pytest.raises(StoreError, match=r"newer version of Priscian \(schema 99"):
        open_store(tmp_path, empty_postgres)
