"""Nothing is lost: kills, two runs at once, interrupts and errors in the middle."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars

PAIRS = 500


def write_pairs(path: Path) -> Path:
    words = ("nurse", "goose", "kite", "village", "lawyer", "painting", "child", "cafe")
    rng = random.Random(3)
    with path.open("w") as file:
        for i in range(PAIRS):
            a, b = rng.sample(words, 2)
            stem = f"{rng.choice(['The old', 'Some', 'Every'])} {a} {i} was looking at the {b} "
            file.write(json.dumps({"good": stem + "here.", "bad": stem + "remember."}) + "\n")
    return path


def command(model: Path, data: Path, out: Path, *more: str) -> list[str]:
    return [
        sys.executable,
        "-c",
        "from priscian.cli import main; main()",
        "score",
        f"hf:{model}",
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


def test_a_run_killed_five_times_ends_bit_for_bit_like_an_undisturbed_one(
    causal: Callable[..., Path], tmp_path: Path
) -> None:
    data = write_pairs(tmp_path / "pairs.jsonl")
    model = causal("gpt2")
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    subprocess.run(
        command(model, data, tmp_path / "one"), env=environment(calm), check=True, timeout=120
    )
    rng = random.Random(11)
    goals = sorted(rng.randrange(20, 2 * PAIRS - 100) for _ in range(5))
    for turn, goal in enumerate(goals):
        more = ("--resume",) if turn else ()
        process = subprocess.Popen(
            command(model, data, tmp_path / "two", *more),
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
        timeout=120,
    )
    assert items(tmp_path / "two").equals(items(tmp_path / "one"))
    run = json.loads((tmp_path / "two/run.json").read_text())
    assert run["status"] == "finished"
    (facts,) = run["models"].values()
    assert facts["computed"] == 2 * PAIRS - kept  # not one stored text was computed again


def test_two_runs_on_one_store_at_once_are_both_right(
    causal: Callable[..., Path], tmp_path: Path
) -> None:
    data = write_pairs(tmp_path / "pairs.jsonl")
    model = causal("gpt2")
    both = [
        subprocess.Popen(command(model, data, tmp_path / name), env=environment(tmp_path / "cache"))
        for name in ("a", "b")
    ]
    assert [p.wait(120) for p in both] == [0, 0]
    a, b = items(tmp_path / "a"), items(tmp_path / "b")
    assert a.equals(b)
    assert stored(tmp_path / "cache") == 2 * PAIRS


def test_an_interrupt_ends_with_one_line_and_keeps_what_was_scored(
    causal: Callable[..., Path], tmp_path: Path
) -> None:
    data = write_pairs(tmp_path / "pairs.jsonl")
    cache = tmp_path / "cache"
    process = subprocess.Popen(
        command(causal("gpt2"), data, tmp_path / "run"),
        env=environment(cache),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while process.poll() is None and stored(cache) < 20:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.count("\n") == 1
    assert "--resume" in told
    assert 20 <= stored(cache) < 2 * PAIRS


def test_a_finished_run_answers_from_the_store_without_torch(
    causal: Callable[..., Path], tmp_path: Path
) -> None:
    data = write_pairs(tmp_path / "pairs.jsonl")
    model = causal("gpt2")
    env = environment(tmp_path / "cache")
    subprocess.run(command(model, data, tmp_path / "one"), env=env, check=True, timeout=120)
    script = (
        "import sys; from priscian.cli import run\n"
        "code = run(sys.argv[1:]); loaded = 'torch' in sys.modules\n"
        "sys.exit(code or 7 * loaded)"
    )
    again = command(model, data, tmp_path / "two")
    again[2] = script
    assert subprocess.run(again, env=env, timeout=120, check=False).returncode == 0
    assert items(tmp_path / "two").equals(items(tmp_path / "one"))
