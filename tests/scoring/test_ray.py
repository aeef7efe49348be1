"""A real Ray on this machine: any number of actors, and any death, gives the same bits."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.runs.test_shards import rows_of

from priscian.errors import WorkerError
from priscian.records import Text
from priscian.scoring import Options, ScoreStore, score_texts

ray = pytest.importorskip("ray", reason="needs Ray: pip install '.[ray]'")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

NICENESS = "RAY_worker_niceness"
MARK = "PRISCIAN_TEST_MARK"
TEXTS = [Text(f"The old goose {i} was looking at the {'kite ' * (i % 7)}here.") for i in range(400)]
HANG = 60.0


def actors(mark: str) -> list[int]:
    """Processes of actors that were started under this mark, and no others."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            title = (folder / "cmdline").read_bytes()
            if (
                title.startswith(b"ray::Actor")
                and mark.encode() in (folder / "environ").read_bytes()
            ):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.fixture(scope="module")
def mark() -> Iterator[str]:
    """A Ray of our own with room for four actors; its processes carry a mark."""
    made = uuid.uuid4().hex
    os.environ[MARK] = made
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ[NICENESS] = "0"  # or other programs leave the actors no time
    ray.init(address="local", num_cpus=4, include_dashboard=False, log_to_driver=False,
             object_store_memory=128 * 2**20)  # fmt: skip
    yield made
    ray.shutdown()
    del os.environ[MARK]


def scored(model: str, path: Path, workers: int | None, progress: Any = None) -> Any:
    how = Options(batch_tokens=64, workers=workers, executor="ray")
    if workers is None:
        how = Options(batch_tokens=64, workers=1, threads=1)
    with ScoreStore(path) as store:
        return score_texts(model, TEXTS, store, options=how,
                           progress=progress or (lambda done, total: None))  # fmt: skip


def test_1_2_and_4_actors_store_the_rows_of_one_process(
    mark: str, causal: Callable[..., Path], tmp_path: Path
) -> None:
    model = f"hf:{causal('gpt2')}"
    scored(model, tmp_path / "one.sqlite", None)
    for count in (1, 2, 4):
        found = scored(model, tmp_path / f"{count}.sqlite", count)
        assert found.computed == len(TEXTS)
        assert rows_of(tmp_path / f"{count}.sqlite") == rows_of(tmp_path / "one.sqlite")


def test_actors_killed_at_ten_random_moments_change_no_bit(
    mark: str, causal: Callable[..., Path], tmp_path: Path
) -> None:
    model = f"hf:{causal('gpt2')}"
    scored(model, tmp_path / "one.sqlite", None)
    rng = random.Random(3)
    moments = sorted(rng.sample(range(10, 380), 10))
    killed: list[int] = []
    gaps = [time.monotonic()]

    def progress(done: int, total: int) -> None:
        gaps.append(time.monotonic())
        while moments and done >= moments[0]:
            moments.pop(0)
            delay = rng.random() * 0.05
            threading.Timer(delay, kill, ()).start()

    def kill() -> None:
        there = actors(mark)
        if there:
            victim = rng.choice(there)
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    scored(model, tmp_path / "two.sqlite", 2, progress)
    assert rows_of(tmp_path / "two.sqlite") == rows_of(tmp_path / "one.sqlite")
    assert len(killed) >= 5  # the last moments may come when the actors have ended
    longest = max(b - a for a, b in pairwise(gaps))
    print(f"{len(killed)} kills, longest pause {longest:.1f} s")


def test_a_cluster_with_another_version_is_refused(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("priscian.scoring.cluster.__version__", "9.9")
    with pytest.raises(WorkerError, match=r"the cluster has Priscian .*, this process has 9.9; in"):
        scored("builtin:lstm", tmp_path / "one.sqlite", 1)


def test_a_driver_that_is_killed_ten_times_ends_with_the_same_bits(
    causal: Callable[..., Path], tmp_path: Path
) -> None:
    data = tmp_path / "pairs.jsonl"
    with data.open("w") as file:
        for good, bad in zip(TEXTS[::2], TEXTS[1::2], strict=True):
            file.write(json.dumps({"good": good.text, "bad": bad.text}) + "\n")
    made = uuid.uuid4().hex

    def command(run: str, *more: str) -> list[str]:
        return [sys.executable, "-m", "priscian", "score", f"hf:{causal('gpt2')}", "--on",
                f"pairs:{data}", "--out", str(tmp_path / run), "--batch-tokens", "64", "--quiet",
                *more]  # fmt: skip

    def env(cache: str) -> dict[str, str]:
        return os.environ | {"PRISCIAN_CACHE": str(tmp_path / cache), MARK: made}

    one = command("one", "--workers", "1", "--threads", "1")
    subprocess.run(one, env=env("a"), check=True, timeout=300)
    two = command("two", "--executor", "ray", "--workers", "2")
    store = tmp_path / "b/scores.sqlite"
    for number in range(10):
        before = stored(store) if store.exists() else 0
        asked = [*two, "--resume"] if (tmp_path / "two").exists() else two
        process = subprocess.Popen(asked, env=env("b"), start_new_session=True)
        while process.poll() is None and not (store.exists() and stored(store) > before):
            time.sleep(0.01)
        assert process.poll() is None, f"it had ended before kill {number + 1}"
        process.kill()
        process.wait()
        began = time.monotonic()
        while actors(made):
            assert time.monotonic() - began < HANG
            time.sleep(0.2)
        assert before < stored(store) < len(TEXTS)
    subprocess.run([*two, "--resume"], env=env("b"), check=True, timeout=600)
    assert rows_of(store) == rows_of(tmp_path / "a/scores.sqlite")


def stored(path: Path) -> int:
    import sqlite3

    try:
        return len(rows_of(path))
    except sqlite3.OperationalError:
        return 0


def test_no_cluster_at_an_address_is_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "priscian", "score", "builtin:lstm", "--on",
         "generated:7,2,wh_island", "--executor", "ray:127.0.0.1:9", "--out", str(tmp_path / "r")],
        capture_output=True, text=True, timeout=HANG * 3, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("priscian: no Ray cluster at 127.0.0.1:9 (")
    assert not (tmp_path / "r").exists()
