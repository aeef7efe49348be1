"""Stores that are only read: nothing beside them is made or changed."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from tests.cli.conftest import Command
from tests.cli.conftest import priscian as priscian
from tests.scoring.store.examples import KEY, SCORES, TEXTS

from priscian.errors import StoreError
from priscian.scoring import ScoreStore
from priscian.scoring.store import database
from priscian.scoring.store import scores as store_scores
from priscian.scoring.store.scores import open_to_read, read_default

Seen = dict[str, tuple[int, int]]


def fill(path: Path) -> None:
    with ScoreStore(path) as store:
        store.write(KEY, "a", [(text, SCORES) for text in TEXTS])


def seen(folder: Path) -> Seen:
    return {p.name: (p.stat().st_size, p.stat().st_mtime_ns) for p in folder.iterdir()}


@pytest.fixture
def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk that is mounted read-only; permissions do not stop root."""
    monkeypatch.setattr(store_scores, "may_write", lambda path: False)

    def refuse(path: Path | None) -> sqlite3.Connection:
        if path is not None and path.parent.name == "there":
            raise StoreError("unable to open database file")
        return made(path)

    made = database.open_database
    monkeypatch.setattr("priscian.scoring.store.scores.open_database", refuse)


def test_one_that_may_not_be_written_is_read_where_it_is(tmp_path: Path, unwritable: None) -> None:
    (tmp_path / "there").mkdir()
    fill(tmp_path / "s.sqlite")
    path = shutil.move(tmp_path / "s.sqlite", tmp_path / "there" / "s.sqlite")
    before = seen(tmp_path / "there")
    with open_to_read(path) as store:
        assert store.path == path
        assert list(store.read(KEY, TEXTS)) == list(TEXTS)
    assert seen(tmp_path / "there") == before


def test_what_is_only_in_its_log_is_read_in_a_copy(tmp_path: Path, unwritable: None) -> None:
    there = tmp_path / "there"
    there.mkdir()
    fill(tmp_path / "s.sqlite")
    with ScoreStore(tmp_path / "s.sqlite") as store:
        store.write(KEY, "a", [(type(TEXTS[0])("Late."), SCORES)])
        for name in ("s.sqlite", "s.sqlite-wal"):
            shutil.copy(tmp_path / name, there / name)
    assert (there / "s.sqlite-wal").stat().st_size
    before = seen(there)
    with open_to_read(there / "s.sqlite") as store:
        assert store.missing(KEY, [type(TEXTS[0])("Late."), TEXTS[0]]) == [False, False]
    assert seen(there) == before


def test_one_of_an_older_version_is_brought_up_in_a_copy(
    tmp_path: Path, unwritable: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"
    there.mkdir()
    fill(tmp_path / "s.sqlite")
    shutil.move(tmp_path / "s.sqlite", there / "s.sqlite")
    before = seen(there)
    monkeypatch.setattr(store_scores, "needs_copy", lambda path: True)
    with open_to_read(there / "s.sqlite") as store:
        assert len(store.read(KEY, TEXTS)) == len(TEXTS)
    assert seen(there) == before
    monkeypatch.undo()
    monkeypatch.setattr(database, "VERSION", database.VERSION + 1)
    assert database.needs_copy(there / "s.sqlite")


def test_without_a_store_nothing_is_made(cache: Path) -> None:
    with read_default() as store:
        assert store.models() == []
    assert list(cache.iterdir()) == []


def test_the_cache_is_listed_and_measured_where_it_may_not_be_written(
    priscian: Command, cache: Path, unwritable: None
) -> None:
    made = database.open_database
    db = made(cache / "scores.sqlite")
    db.close()
    before = seen(cache)
    listed, size = priscian("cache", "list"), priscian("cache", "size")
    assert (listed.code, size.code) == (0, 0)
    assert "0 models" in listed.out
    assert size.out.split("\t")[1].strip() == str(cache / "scores.sqlite")
    assert seen(cache) == before


def test_the_remedy_names_the_folder_that_is_to_be_written(cache: Path, tmp_path: Path) -> None:
    for path, remedy in (
        (cache / "scores.sqlite", "set PRISCIAN_CACHE to a folder that can be written"),
        (tmp_path / "shards" / "1-of-2.sqlite", f"make {tmp_path / 'shards'} writable"),
    ):
        path.parent.mkdir(exist_ok=True)
        path.mkdir()
        with pytest.raises(StoreError, match=remedy):
            ScoreStore(path)
