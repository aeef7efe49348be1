"""Whatever several processes do to one store at once, no row stands under a wrong key."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars
import pytest

ROOT = Path(__file__).parents[3]
MODELS = ("builtin:lstm", "builtin:ngram", "builtin:ngram?order=2")


def run_schedules(first: int, count: int, timeout: float) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.scoring.store.schedules", str(first), str(count)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told, rows = done.stdout.split(" schedules, ")
    assert int(told) == count
    assert int(rows.split()[0]) > 10 * count  # they were about something


def test_twenty_random_schedules_of_score_resume_prune_and_kill() -> None:
    run_schedules(first=0, count=20, timeout=240)


@pytest.mark.slow
def test_two_hundred_random_schedules_of_score_resume_prune_and_kill() -> None:
    run_schedules(first=1000, count=200, timeout=1800)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from priscian.cli import main; main()", *arguments]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_commands_that_score_are_killed_resumed_and_pruned_and_end_as_undisturbed(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    data = tmp_path / "pairs.jsonl"
    words = ("nurse", "goose", "kite", "village", "lawyer", "painting", "child", "cafe")
    with data.open("w") as file:
        for number in range(2500):
            stem = f"The {rng.choice(words)} {number} saw some {rng.choice(words)}"
            file.write(json.dumps({"good": f"{stem} here.", "bad": f"{stem} the."}) + "\n")

    def score(model: str, out: Path, cache: Path, *more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command("score", model, "--on", f"pairs:{data}", "--out", str(out), "--quiet", *more),
            env=os.environ | {"PRISCIAN_CACHE": str(cache)},
            stderr=subprocess.PIPE,
            text=True,
        )

    def items(out: Path) -> polars.DataFrame:
        return polars.read_parquet(next(out.glob("*/*/items.parquet")))

    calm = [tmp_path / f"calm {n}" for n in range(len(MODELS))]
    for model, out in zip(MODELS, calm, strict=True):
        undisturbed = score(model, out, tmp_path / "calm cache")
        assert undisturbed.communicate(timeout=300)[1] == ""
    rough = [tmp_path / f"rough {n}" for n in range(len(MODELS))]
    cache = tmp_path / "rough cache"
    running = {n: score(m, rough[n], cache) for n, m in enumerate(MODELS)}
    kills = prunes = 0
    began = time.monotonic()
    while running:
        time.sleep(rng.random())
        assert time.monotonic() - began < 600
        if prunes < 6 and rng.random() < 0.5:
            prune = command("cache", "prune", "--all")
            env = os.environ | {"PRISCIAN_CACHE": str(cache)}
            done = subprocess.run(prune, env=env, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, "")
            prunes += 1
        for number, process in list(running.items()):
            if process.poll() is not None:
                told = process.communicate()[1].splitlines()
                assert [x for x in told if not x.startswith("priscian: note:")] == []
                assert process.returncode == 0
                del running[number]
            elif kills < 6 and rng.random() < 0.3:
                os.kill(process.pid, signal.SIGKILL)
                process.communicate()
                kills += 1
                resumed = (rough[number] / "run.json").exists()
                more = ("--resume",) if resumed else ()
                running[number] = score(MODELS[number], rough[number], cache, *more)
    assert kills
    assert prunes
    for a, b in zip(calm, rough, strict=True):
        assert items(a).equals(items(b))
