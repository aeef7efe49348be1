"""Damaged files, full disks, many processes at once: one line, and nothing is lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.scoring.store.examples import KEY, SCORES, TEXTS

from priscian.errors import PriscianWarning, StoreError
from priscian.models import ModelKey
from priscian.records import Text, TokenScores
from priscian.scoring import ScoreStore
from priscian.scoring.store import database

ROOT = Path(__file__).parents[3]


def fill(path: Path) -> None:
    with ScoreStore(path) as store:
        store.write(KEY, "a", [(text, SCORES) for text in TEXTS])


class TestDamage:
    @pytest.mark.parametrize("keep", [0.1, 0.5, 0.98])
    def test_a_store_cut_short_is_set_aside_with_a_message(
        self, tmp_path: Path, keep: float
    ) -> None:
        path = tmp_path / "s.sqlite"
        fill(path)
        whole = path.read_bytes()
        path.write_bytes(whole[: int(len(whole) * keep)])
        with pytest.warns(PriscianWarning, match=r"damaged.*cut short.*renamed"):
            store = ScoreStore(path)
        assert store.missing(KEY, [Text("text 1")]) == [True]
        store.write(KEY, "a", [(Text("text 1"), SCORES)])
        store.close()
        assert [p.name for p in tmp_path.glob("*damaged*")]

    def test_a_file_that_is_not_a_store_is_set_aside(self, tmp_path: Path) -> None:
        path = tmp_path / "s.sqlite"
        path.write_text("not a database " * 100)
        with pytest.warns(PriscianWarning, match="not an SQLite file"):
            ScoreStore(path).close()

    def test_what_is_set_aside_never_replaces_what_was_set_aside_before(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "s.sqlite"
        for number in range(3):  # all within a second
            path.write_text(f"damaged {number} " * 20)
            with pytest.warns(PriscianWarning, match="renamed to"):
                ScoreStore(path).close()
        kept = {p.read_text()[:9] for p in tmp_path.glob("*damaged*")}
        assert kept == {"damaged 0", "damaged 1", "damaged 2"}

    def test_a_store_with_scrambled_pages_is_set_aside(self, tmp_path: Path) -> None:
        path = tmp_path / "s.sqlite"
        fill(path)
        data = bytearray(path.read_bytes())
        for at in range(4096 * 2, len(data), 4096):
            data[at : at + 64] = b"\xff" * 64
        path.write_bytes(data)
        with pytest.warns(PriscianWarning, match="damaged"):
            ScoreStore(path).close()

    def test_a_page_that_goes_bad_while_the_store_is_open_is_one_line(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "s.sqlite"
        fill(path)
        data = bytearray(path.read_bytes())
        for at in range(4096 * 4, len(data), 4096):
            data[at : at + 64] = b"\xff" * 64
        path.write_bytes(data)
        monkeypatch.setattr(database, "LARGE", 0)  # as in a store too large to be read whole
        with ScoreStore(path) as store, pytest.raises(StoreError, match="malformed; move the file"):
            store.read(KEY, TEXTS)

    @pytest.mark.parametrize(
        "damage",
        [
            "UPDATE scores SET data = zeroblob(length(data))",
            "UPDATE scores SET data = substr(data, 1, 3)",
            "UPDATE scores SET data = x''",
            "UPDATE offsets SET data = x'01'",
            "UPDATE offsets SET data = x''",
            "UPDATE offsets SET data = zeroblob(length(data))",
            "DELETE FROM offsets",
        ],
    )
    def test_damaged_rows_are_one_line_and_are_scored_again_after_pruning(
        self, tmp_path: Path, damage: str
    ) -> None:
        path = tmp_path / "s.sqlite"
        fill(path)
        with sqlite3.connect(path) as db:
            db.execute(damage)
        db.close()
        with ScoreStore(path) as store:
            for read in (
                lambda: store.read(KEY, TEXTS[:3]),
                lambda: store.columns(KEY.digest, [TEXTS[5].hash]),
            ):
                with pytest.raises(StoreError, match=f"`priscian cache prune {KEY.digest[:12]}`"):
                    read()
            store.prune([KEY.digest])
            store.write(KEY, "a", [(TEXTS[0], SCORES)])
            assert store.read(KEY, TEXTS) == {TEXTS[0]: SCORES}

    def test_a_store_whose_log_is_being_written_back_is_not_taken_for_a_short_one(
        self, tmp_path: Path
    ) -> None:
        """In the middle of that the header counts pages that are only in the log yet."""
        path = tmp_path / "s.sqlite"
        with ScoreStore(path) as store:
            store.write(KEY, "a", [(text, SCORES) for text in TEXTS])
            log = path.with_name("s.sqlite-wal").read_bytes()
            (pages,) = store._db.execute("PRAGMA page_count").fetchone()
            copy = tmp_path / "copy.sqlite"
            data = bytearray(path.read_bytes())
            data[28:32] = pages.to_bytes(4, "big")
            copy.write_bytes(data)
            copy.with_name("copy.sqlite-wal").write_bytes(log)
        assert len(data) < 4096 * pages
        with ScoreStore(copy) as again:
            assert again.missing(KEY, TEXTS) == [False] * len(TEXTS)


class TestDisk:
    def test_a_folder_that_cannot_be_made_is_one_clear_error(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").write_text("x")
        monkeypatch.setenv("PRISCIAN_CACHE", str(tmp_path / "file"))
        with pytest.raises(StoreError, match="PRISCIAN_CACHE"):
            ScoreStore(tmp_path / "file" / "s.sqlite")

    def test_a_folder_in_place_of_the_file_is_one_clear_error(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "s.sqlite").mkdir()
        monkeypatch.setenv("PRISCIAN_CACHE", str(tmp_path))
        with pytest.raises(StoreError, match="PRISCIAN_CACHE"):
            ScoreStore(tmp_path / "s.sqlite")

    def test_a_full_disk_is_one_clear_error(self, tmp_path: Path) -> None:
        store = ScoreStore(tmp_path / "s.sqlite")
        store.write(KEY, "a", [(Text("kept"), SCORES)])
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count={pages + 1}")
        with pytest.raises(StoreError, match=r"full; free some space.*kept"):
            store.write(KEY, "a", [(text, SCORES) for text in TEXTS])
        store._db.execute("PRAGMA max_page_count=1000000")
        store.write(KEY, "a", [(text, SCORES) for text in TEXTS])  # there is room again
        store.close()
        with ScoreStore(tmp_path / "s.sqlite") as again:
            assert len(again.read(KEY, [Text("kept"), *TEXTS])) == 3001

    def test_what_was_stored_before_the_disk_filled_is_there_afterwards(
        self, tmp_path: Path
    ) -> None:
        """A limit on the size of files makes the operating system refuse to write."""
        code = (
            "import resource, signal, sys\n"
            "from pathlib import Path\n"
            "from priscian.scoring import ScoreStore\n"
            "from tests.scoring.store.examples import KEY, SCORES, TEXTS\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "store = ScoreStore(Path(sys.argv[1]))\n"
            "store.write(KEY, 'a', [(t, SCORES) for t in TEXTS[:100]])\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n"
            "try:\n"
            "    for at in range(100, 3000, 100):\n"
            "        store.write(KEY, 'a', [(t, SCORES) for t in TEXTS[at : at + 100]])\n"
            "        print(at, flush=True)\n"
            "except Exception as error:\n"
            "    print(type(error).__name__, error)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "s.sqlite")],
            capture_output=True, text=True, timeout=60, check=True,
            cwd=ROOT,
        )  # fmt: skip
        *written, told = done.stdout.splitlines()
        assert told.startswith("StoreError score store")
        assert told.endswith("then run again: what was stored is kept")
        with ScoreStore(tmp_path / "s.sqlite") as store:
            there = len(store.read(KEY, TEXTS))
            assert there >= int(written[-1]) + 100
            store.write(KEY, "a", [(text, SCORES) for text in TEXTS])
            assert len(store.read(KEY, TEXTS)) == 3000


class TestProcesses:
    def test_a_closed_store_is_one_file(self, tmp_path: Path) -> None:
        path = tmp_path / "s.sqlite"
        with ScoreStore(path) as a, ScoreStore(path) as b:
            a.write(KEY, "a", [(Text("x"), SCORES)])
            assert b.read(KEY, [Text("x")])
        assert [p.name for p in tmp_path.iterdir()] == ["s.sqlite"]

    def test_a_reader_that_stops_halfway_leaves_nothing_open(self, tmp_path: Path) -> None:
        path = tmp_path / "s.sqlite"
        fill(path)
        with ScoreStore(path) as store:
            next(store._rows(KEY.digest, [t.hash for t in TEXTS], "logp"))
        assert [p.name for p in tmp_path.iterdir()] == ["s.sqlite"]

    def test_many_processes_make_one_new_store(self, tmp_path: Path) -> None:
        code = (
            "import sys\n"
            "from pathlib import Path\n"
            "from priscian.scoring import ScoreStore\n"
            "from tests.scoring.store.examples import KEY, SCORES, TEXTS\n"
            "sys.stdin.readline()\n"  # all begin together
            "n = int(sys.argv[2])\n"
            "with ScoreStore(Path(sys.argv[1])) as store:\n"
            "    store.write(KEY, 'a', [(t, SCORES) for t in TEXTS[n::3]])\n"
        )
        path = tmp_path / "s.sqlite"
        started = [
            subprocess.Popen(
                [sys.executable, "-c", code, str(path), str(n)],
                stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                cwd=ROOT,
            )
            for n in range(3)
        ]  # fmt: skip
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [p.communicate(timeout=60)[1] for p in started] == [""] * 3
        with ScoreStore(path) as store:
            assert len(store.read(KEY, TEXTS)) == 3000
            assert [m.texts for m in store.models()] == [3000]

    def test_threads_of_one_process_may_share_a_store(self, tmp_path: Path) -> None:
        from concurrent.futures import ThreadPoolExecutor

        with ScoreStore(tmp_path / "s.sqlite") as store, ThreadPoolExecutor(4) as threads:

            def work(n: int) -> int:
                store.write(KEY, "a", [(t, SCORES) for t in TEXTS[n : n + 100]])
                return len(store.read(KEY, TEXTS[n : n + 100]))

            assert list(threads.map(work, range(0, 3000, 100))) == [100] * 30


def test_the_file_is_read_through_sqlite_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # closing a plain handle drops all locks of this process, and so lets others damage the store
    path = tmp_path / "scores.sqlite"
    ScoreStore(path).close()

    plain = Path.open

    def watched(self: Path, *rest: Any, **more: Any) -> Any:
        assert self != path, "opened beside SQLite"
        return plain(self, *rest, **more)

    monkeypatch.setattr(Path, "open", watched)
    with ScoreStore(path) as first, ScoreStore(path) as second:
        assert first.models() == second.models() == []


class TestSweeps:
    def test_ten_checkpoints_need_at_most_13_bytes_per_token(self, tmp_path: Path) -> None:
        path, texts = (
            tmp_path / "s.sqlite",
            [Text(f"A sentence of the sweep, {n}.") for n in range(400)],
        )
        starts, ends = tuple(range(0, 30, 3)), tuple(range(3, 33, 3))
        with ScoreStore(path) as store:
            for step in range(10):
                values = tuple(-(step + 1) / 2**k for k in range(10))  # exact in float32
                rows = [(text, TokenScores(starts, ends, values)) for text in texts]
                store.write(ModelKey({"step": str(step)}), "m", rows)
        assert path.stat().st_size / (10 * 400 * 10) <= 13

    def test_a_store_of_10_gigabytes_is_not_read_when_it_is_opened(self, tmp_path: Path) -> None:
        path = tmp_path / "s.sqlite"
        fill(path)
        pages = 10**10 // 4096
        with path.open("r+b") as file:
            file.truncate(4096 * pages)  # holes, which a check of all pages would report
            file.seek(28)
            file.write(pages.to_bytes(4, "big"))
        with ScoreStore(path) as store:
            assert store.read(KEY, TEXTS) == dict.fromkeys(TEXTS, SCORES)
        assert path.stat().st_size == 4096 * pages
