"""Two processes in one folder: one writes, the other waits its turn or is refused in one line."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from tests.run_folders import write_run
from tests.small_results import pairs_result

from priscian import compare, export_tasks, generate
from priscian.bridges.exports import export
from priscian.errors import PriscianError, RunError
from priscian.files.folder import lock_file, lock_folder
from priscian.runs import load_run

pytest.importorskip("fcntl")


def write(folder: Path) -> None:
    with lock_folder(folder, "priscian export"):
        pass


def test_a_folder_has_one_writer(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    refusal = r"another priscian export is writing to .*out; wait until"
    with lock_folder(out, "priscian export"), pytest.raises(RunError, match=refusal):
        write(out)
    write(out)


def test_a_place_that_cannot_be_a_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(PriscianError, match=r"cannot write to the folder .*file: File exists;"):
        write(tmp_path / "file")


def test_a_lock_without_a_refusal_waits_for_another_process(tmp_path: Path) -> None:
    told = tmp_path / "told"
    child = os.fork()
    if child == 0:
        with lock_file(tmp_path / "lock", None):
            told.write_text("in")
            time.sleep(0.3)
            told.write_text("out")
        os._exit(0)
    while not told.exists():
        time.sleep(0.01)
    with lock_file(tmp_path / "lock", None):
        assert told.read_text() == "out"
    os.waitpid(child, 0)


def test_what_writes_several_files_is_refused_while_another_process_writes(tmp_path: Path) -> None:
    judged = {"a": [1.0, 0.0], "b": [1.0, 1.0]}
    results = [pairs_result(m, judged) for m in ("m", "n")]
    run = load_run(write_run(tmp_path / "run", *results))
    out = tmp_path / "out"
    out.mkdir()
    with lock_folder(out):
        for what in (
            lambda: export(run, "csv", out),
            lambda: export(run, "lm-eval", out),
            lambda: export_tasks("generated:7,2,wh_island", out),
            lambda: generate(seed=1, n=1, only=["wh_island"], out=out),
            lambda: compare(run).write_figures(out),
        ):
            with pytest.raises(RunError, match=r"another .* is writing to .*out; wait until"):
                what()
        assert list(out.iterdir()) == []
    assert export(run, "csv", out)


def test_an_interrupted_generate_leaves_nothing(tmp_path: Path) -> None:
    def stop(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        generate(seed=1, n=1, only=["wh_island"], out=out, watch=stop)
    assert not out.exists()
    assert generate(seed=1, n=1, only=["wh_island"], out=out).files[0].is_file()
