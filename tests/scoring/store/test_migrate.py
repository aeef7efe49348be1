"""A store of version 1 is brought to the present one in place: all of it, or none of it."""

from __future__ import annotations

import math
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.scoring.store.old_store import write_old_store

from priscian.errors import PriscianWarning, StoreError
from priscian.models import ModelKey
from priscian.records import Text, TokenScores
from priscian.scoring import ScoreStore
from priscian.scoring.store import migrate

FIRST, SECOND = ModelKey({"provider": "a"}), ModelKey({"provider": "b"})
TEXTS = [Text(f"old text {i}", "context" if i % 7 == 0 else "") for i in range(300)]
OPEN = "import sys; from pathlib import Path; from priscian.scoring import ScoreStore\n"


def scores(number: int, text: Text) -> TokenScores:
    """Some values are float32, some are not, some are NaN; some tokens are long."""
    end = len(text.text) + 200 * (number % 5 == 0)
    return TokenScores((0, 3), (3, end), (math.nan if number % 11 == 0 else -1.5, -number / 7))


def plain(found: dict[Text, TokenScores]) -> dict[Text, str]:
    return {text: repr(s) for text, s in found.items()}  # so that NaN equals NaN


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "s.sqlite"
    rows = [(FIRST, "logp", t, scores(i, t)) for i, t in enumerate(TEXTS)]
    rows += [(FIRST, "boundary", t, scores(i + 1, t)) for i, t in enumerate(TEXTS[:9])]
    rows += [(SECOND, "logp", t, scores(2 * i, t)) for i, t in enumerate(TEXTS[::3])]
    write_old_store(path, rows)
    return path


def check(path: Path) -> None:
    with ScoreStore(path) as store:
        first = {t: scores(i, t) for i, t in enumerate(TEXTS)}
        boundary = {t: scores(i + 1, t) for i, t in enumerate(TEXTS[:9])}
        second = {t: scores(2 * i, t) for i, t in enumerate(TEXTS[::3])}
        assert plain(store.read(FIRST, TEXTS)) == plain(first)
        assert plain(store.read(FIRST, TEXTS, "boundary")) == plain(boundary)
        assert plain(store.read(SECOND, TEXTS)) == plain(second)
        assert {(m.key, m.texts) for m in store.models()} == {
            (FIRST.digest, 300),
            (SECOND.digest, 100),
        }
        assert {m.created for m in store.models()} == {1.7e9}
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA user_version").fetchone() == (2,)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    db.close()
    assert tables == {"models", "texts", "offsets", "scores", "sqlite_sequence"}


@pytest.mark.parametrize("version", [0, 1])
def test_every_row_of_an_old_store_is_read_as_before(old: Path, version: int) -> None:
    db = sqlite3.connect(old)
    db.execute(f"PRAGMA user_version={version}")
    db.close()
    check(old)
    db = sqlite3.connect(old)
    assert db.execute("PRAGMA freelist_count").fetchone() == (0,)  # old tables gave back their room
    assert db.execute("PRAGMA auto_vacuum").fetchone() == (2,)
    db.close()
    check(old)


def test_rows_of_models_that_are_no_more_are_left_out(old: Path) -> None:
    db = sqlite3.connect(old)
    db.execute("INSERT INTO scores SELECT 77, text, channel, data FROM scores WHERE model = 1")
    db.commit()
    db.close()
    check(old)


def test_a_damaged_row_is_left_out_with_a_note_and_scored_again(old: Path) -> None:
    db = sqlite3.connect(old)
    for text, damage in ((TEXTS[1], "zeroblob(20)"), (TEXTS[2], "substr(data, 1, 30)")):
        db.execute(f"UPDATE scores SET data = {damage} WHERE model = 1 AND text = ?", (text.hash,))
    db.commit()
    db.close()
    with pytest.warns(PriscianWarning, match="4 damaged rows left out"):  # two channels each
        store = ScoreStore(old)
    assert [t for t, m in zip(TEXTS, store.missing(FIRST, TEXTS), strict=True) if m] == TEXTS[1:3]
    store.close()


def test_several_processes_that_open_an_old_store_at_once_all_find_everything(old: Path) -> None:
    code = OPEN + (
        "with ScoreStore(Path(sys.argv[1])) as s: print(sorted(m.texts for m in s.models()))"
    )
    opened = [
        subprocess.Popen([sys.executable, "-c", code, str(old)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [p.communicate(timeout=60)[0] for p in opened] == ["[100, 300]\n"] * 3
    check(old)


def test_a_migration_that_is_killed_leaves_the_old_store_as_it_was(old: Path) -> None:
    code = OPEN + (
        "import time\n"
        "from priscian.scoring.store import migrate\n"
        "add = migrate.add_scores\n"
        "def slow(*a): add(*a); print('half', flush=True); time.sleep(60)\n"
        "migrate.add_scores = slow\n"
        "ScoreStore(Path(sys.argv[1]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(old)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    db = sqlite3.connect(old)
    assert db.execute("PRAGMA user_version").fetchone() == (0,)
    assert db.execute("SELECT COUNT(*) FROM scores").fetchone() == (409,)
    db.close()
    check(old)


def test_a_migration_for_which_there_is_no_room_changes_nothing(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*values: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorname = "SQLITE_FULL"
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(migrate, "add_scores", full)
        with pytest.raises(StoreError, match="disk is full; free some space"):
            ScoreStore(old)
    check(old)


def test_a_program_of_version_1_cannot_write_into_a_migrated_store(old: Path) -> None:
    """It opens the file, finds nothing it knows, and its insert fails: nothing is mixed up."""
    before = sqlite3.connect(old)
    check(old)
    with pytest.raises(sqlite3.OperationalError, match="5 columns but 4 values"):
        before.execute("INSERT OR IGNORE INTO scores VALUES (1, x'00', 'logp', x'00')")
    before.close()


def test_a_store_of_a_newer_version_is_one_line_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    ScoreStore(path).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=3")
    db.close()
    content = path.read_bytes()
    with pytest.raises(StoreError, match=r"newer Priscian \(format 3.*update Priscian"):
        ScoreStore(path)
    assert path.read_bytes() == content
