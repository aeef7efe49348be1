"""`priscian score --shard` and `priscian merge`, from the shell to the run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]


def test_shards_are_merged_into_the_run_of_one_process(priscian: Command, pairs: Path) -> None:
    words = ("score", "builtin:lstm", "--on", f"pairs:{pairs}", "--out")
    for number in (2, 1):
        done = priscian(*words, "run", "--shard", f"{number}/2")
        assert (done.code, done.complaints) == (0, [])
        assert f"Shard {number}/2 of run: {4 if number == 1 else 0} texts scored." in done.out
        assert "When all 2 are there: priscian merge run" in done.out
    done = priscian("merge", "run", "--json")
    assert (done.code, done.complaints) == (0, [])
    assert priscian(*words, "one", "--quiet").code == 0
    one = json.loads(Path("one/builtin-lstm/pairs/summary.json").read_text())
    assert json.loads(done.out) == [one]
    assert "Run folder: run" in priscian("merge", "run").out


def test_what_is_wrong_is_one_line_with_the_remedy(priscian: Command, pairs: Path) -> None:
    words = ("score", "builtin:lstm", "--on", f"pairs:{pairs}")
    for given, code, said in (
        ((*words, "--shard", "1/2"), 2, "--shard needs --out RUN"),
        ((*words, "--shard", "3/2", "--out", "run"), 2, "there is no shard 3/2"),
        ((*words, "--executor", "dask"), 2, "--executor takes auto, ray or ray:ADDRESS"),
        ((*words, "--threads", "none"), 2, "--threads takes a whole number from 1, or auto"),
        (("merge", "run"), 1, "run is not a folder"),
    ):
        done = priscian(*given)
        assert done.code == code
        assert len(done.complaints) == 1
        assert said in done.complaints[0]
        assert not Path("run").exists()
