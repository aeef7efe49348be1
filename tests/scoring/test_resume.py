"""Nothing is lost: kills, two runs at once, interrupts and errors in the middle."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars
import pytest

PAIRS = 200
MAIN = "from priscian.cli import main; main()"
HELD = """
import sys, time
from priscian.scoring import ScoreStore

write, left = ScoreStore.write, [int(sys.argv.pop(1))]

def held(self, key, label, rows, *rest):
    rows = list(rows)
    write(self, key, label, rows, *rest)
    left[0] -= len(rows)
    if left[0] <= 0:
        time.sleep(1000)  # until someone ends us

ScoreStore.write = held
"""
"""A run that stops of itself after so many texts, so that a slow machine cannot miss the moment."""


def write_pairs(path: Path) -> Path:
    words = ("nurse", "goose", "kite", "village", "lawyer", "painting", "child", "cafe")
    rng = random.Random(3)
    with path.open("w") as file:
        for i in range(PAIRS):
            a, b = rng.sample(words, 2)
            stem = f"{rng.choice(['The old', 'Some', 'Every'])} {a} {i} was looking at the {b} "
            file.write(json.dumps({"good": stem + "here.", "bad": stem + "remember."}) + "\n")
    return path


def command(model: str, data: Path, out: Path, *more: str, hold: int | None = None) -> list[str]:
    """A run; with `hold` it waits after writing that many texts."""
    return [
        sys.executable,
        "-c",
        *([MAIN] if hold is None else [HELD + MAIN, str(hold)]),
        "score",
        model,
        "--on",
        f"pairs:{data}",
        "--out",
        str(out),
        "--batch-tokens",
        "32",
        "--workers",
        "2",
        "--quiet",
        *more,
    ]


def environment(cache: Path) -> dict[str, str]:
    return os.environ | {"PRISCIAN_CACHE": str(cache)}


def stored(cache: Path) -> int:
    path = cache / "scores.sqlite"
    if not path.exists():
        return 0
    db = sqlite3.connect(path, timeout=30)
    try:
        return int(db.execute("SELECT COUNT(*) FROM scores").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        db.close()


def items(out: Path) -> polars.DataFrame:
    return polars.read_parquet(next(out.glob("*/*/items.parquet")))


def tiny(causal: Callable[..., Path]) -> str:
    """A model that needs torch, whose import is most of the time of a short run."""
    return f"hf:{causal('gpt2')}"


@pytest.fixture(scope="module")
def calm(causal: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an undisturbed run, its data and its cache, which tests only read."""
    home = tmp_path_factory.mktemp("calm")
    data = write_pairs(home / "pairs.jsonl")
    env = environment(home / "cache")
    subprocess.run(command(tiny(causal), data, home / "run"), env=env, check=True)
    return home


@pytest.mark.parametrize("kills", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_a_run_that_was_killed_ends_bit_for_bit_like_an_undisturbed_one(
    kills: int, calm: Path, causal: Callable[..., Path], tmp_path: Path
) -> None:
    data, model = calm / "pairs.jsonl", tiny(causal)
    rough = tmp_path / "rough"
    rng = random.Random(11)
    goals = sorted(rng.randrange(20, 2 * PAIRS - 100) for _ in range(kills))
    for turn, goal in enumerate(goals):
        more = ("--resume",) if turn else ()
        hold = goal + 60 - stored(rough)
        process = subprocess.Popen(
            command(model, data, tmp_path / "two", *more, hold=hold),
            env=environment(rough),
            start_new_session=True,
        )
        while process.poll() is None and stored(rough) < goal:
            time.sleep(rng.random() * 0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    kept = stored(rough)
    assert 0 < kept < 2 * PAIRS
    subprocess.run(
        command(model, data, tmp_path / "two", "--resume"),
        env=environment(rough),
        check=True,
    )
    assert items(tmp_path / "two").equals(items(calm / "run"))
    run = json.loads((tmp_path / "two/run.json").read_text())
    assert run["status"] == "finished"
    (facts,) = run["models"].values()
    assert facts["computed"] == 2 * PAIRS - kept  # not one stored text was computed again


@pytest.mark.parametrize("torch", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_two_runs_on_one_store_at_once_are_both_right(
    torch: bool, causal: Callable[..., Path], tmp_path: Path
) -> None:
    data = write_pairs(tmp_path / "pairs.jsonl")
    model = tiny(causal) if torch else "builtin:lstm"
    both = [
        subprocess.Popen(command(model, data, tmp_path / name), env=environment(tmp_path / "cache"))
        for name in ("a", "b")
    ]
    assert [p.wait() for p in both] == [0, 0]
    a, b = items(tmp_path / "a"), items(tmp_path / "b")
    assert a.equals(b)
    assert stored(tmp_path / "cache") == 2 * PAIRS


def test_an_interrupt_ends_with_one_line_and_keeps_what_was_scored(
    causal: Callable[..., Path], tmp_path: Path
) -> None:
    data = write_pairs(tmp_path / "pairs.jsonl")
    cache = tmp_path / "cache"
    process = subprocess.Popen(
        command(tiny(causal), data, tmp_path / "run", hold=100),
        env=environment(cache),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while process.poll() is None and stored(cache) < 20:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    assert told.count("\n") == 1
    assert "--resume" in told
    assert 20 <= stored(cache) < 2 * PAIRS


def test_a_finished_run_answers_from_the_store_without_torch(
    calm: Path, causal: Callable[..., Path], tmp_path: Path
) -> None:
    shutil.copytree(calm / "cache", tmp_path / "cache")
    script = (
        "import sys; from priscian.cli import run\n"
        "code = run(sys.argv[1:]); loaded = 'torch' in sys.modules\n"
        "sys.exit(code or 7 * loaded)"
    )
    again = command(tiny(causal), calm / "pairs.jsonl", tmp_path / "run")
    again[2] = script
    env = environment(tmp_path / "cache")
    assert subprocess.run(again, env=env, check=False).returncode == 0
    assert items(tmp_path / "run").equals(items(calm / "run"))
