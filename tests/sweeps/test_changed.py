"""Files that change under a sweep, and folders that others use: nothing is mixed or deleted."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from priscian.cli.app import run
from priscian.errors import DataError
from priscian.files.folder import lock_folder
from priscian.sweeps import pool, work
from priscian.sweeps.curve import curve
from priscian.sweeps.folder import SweepFolder, begin, check_start, read_test
from priscian.sweeps.jobs import expand
from priscian.sweeps.sweep import read_sweep
from priscian.sweeps.worker import WorkerTask
from priscian.training import prepare
from tests.swapped_files import swap_everywhere

FIRST = "5-gram-1k-seed1"
TOLD = "text.txt changed since the command began; run the same command again"


def go(sweep: Path, **options: Any) -> Any:
    return curve(sweep, sweep.parent / "out", processes=0, **options)


def edit(counts: Path) -> None:
    text = counts.parent / "text.txt"
    text.write_text(text.read_text().replace("dog", "cow"))


def swapping(counts: Path, read: Callable[..., Any]) -> Callable[..., Any]:
    """The corpus changes between the beginning of the job and its reading."""

    def reading(*given: Any, **named: Any) -> Any:
        edit(counts)
        return read(*given, **named)

    return reading


def test_counts_are_not_made_of_another_corpus_than_names_the_job(
    counts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "read_corpus", swapping(counts, work.read_corpus))
    found = go(counts, only=FIRST)
    assert TOLD in found.failed[FIRST]
    assert not list((counts.parent / "out" / "models").rglob("*.*"))


def test_a_network_is_not_trained_on_another_corpus_than_names_the_job(
    counts: Path, edited: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    edited("[models.5-gram]", "[models.lstm]\nepochs = 1")
    monkeypatch.setattr(prepare, "read_corpus", swapping(counts, prepare.read_corpus))
    found = go(counts, only="lstm-1k-seed1")
    assert TOLD in found.failed["lstm-1k-seed1"]
    assert not list((counts.parent / "out" / "models").rglob("*.*"))


def test_the_test_part_and_its_hash_are_of_one_version_of_the_corpus(counts: Path) -> None:
    text, out = counts.parent / "text.txt", counts.parent / "out"
    sweep, place = read_sweep(counts), SweepFolder(out)

    def make() -> tuple[Any, ...]:
        shutil.rmtree(out, ignore_errors=True)
        hashes = begin(place, sweep)
        return place.read(), read_test(place), hashes

    outcomes, opened = swap_everywhere(text, text.read_bytes().replace(b"dog", b"cow"), make)
    assert "refused" in outcomes
    assert opened == 1, "the corpus is read once"


def test_a_worker_whose_recipe_is_another_one_by_now_trains_nothing(counts: Path) -> None:
    sweep, out = read_sweep(counts), counts.parent / "out"
    _, hashes = check_start(SweepFolder(out), sweep)
    job = expand(sweep, hashes)[0]
    task = WorkerTask(
        out=str(out), sweep=sweep, job=job.name, trained="0" * 64, hashes=hashes, threads=1
    )
    done = subprocess.run(
        [sys.executable, "-m", "priscian.sweeps.worker"],
        input=msgspec.json.encode(task), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert b"its recipe changed since the command began; run the same command" in done.stdout
    assert not out.exists()


def unscored(counts: Path) -> Path:
    """The run folder of a job that says that it was not scored."""
    go(counts, only=FIRST)
    (record,) = (counts.parent / "out" / "jobs").glob("*/record.json")
    record.unlink()
    (run,) = (counts.parent / "out" / "runs").iterdir()
    return run


def test_a_run_that_another_process_writes_is_not_deleted(counts: Path) -> None:
    run = unscored(counts)
    (run / "mine").write_text("of the other process")
    lock = lock_folder(run)
    try:
        found = go(counts, only=FIRST)
    finally:
        lock.release()
    assert "another priscian score is writing to" in found.failed[FIRST]
    assert (run / "mine").read_text() == "of the other process"
    assert go(counts, only=FIRST).failed == {}


def test_a_run_that_someone_begins_to_use_before_it_is_removed_is_not_deleted(
    counts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = unscored(counts)
    (run / "run.json").write_text("{")  # such a run is made again
    locks = []
    score = work._score_into

    def scored(*given: Any, **named: Any) -> None:
        try:
            score(*given, **named)
        finally:
            locks.append(lock_folder(run))

    monkeypatch.setattr(work, "_score_into", scored)
    found = go(counts, only=FIRST)
    locks[0].release()
    assert "another priscian score is writing to" in found.failed[FIRST]
    assert (run / "run.json").is_file()


def test_a_removal_that_was_killed_is_not_in_the_way(
    counts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = unscored(counts)
    (run / "run.json").write_text("{")

    def killed(path: Path, **options: Any) -> None:
        if path.exists():
            (path / "run.json").unlink()
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(work.shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            go(counts, only=FIRST)
    assert go(counts, only=FIRST).failed == {}
    (record,) = (counts.parent / "out" / "jobs").glob("*/record.json")
    record.unlink()
    (run / "run.json").write_text("{")
    assert go(counts, only=FIRST).failed == {}  # with what was left before


def test_a_process_that_ends_before_it_has_read_its_task_is_a_failed_job(
    counts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = subprocess.Popen

    def ended(command: list[str], **options: Any) -> Any:
        process = begin([command[0], "-c", "raise SystemExit(3)"], **options)
        process.wait()
        return process

    monkeypatch.setattr(pool.subprocess, "Popen", ended)
    found = curve(counts, counts.parent / "out", processes=1, only=FIRST)
    assert "its process failed; see" in found.failed[FIRST]


def test_what_a_kill_left_of_the_manifest_is_not_in_the_way(counts: Path) -> None:
    out = counts.parent / "out"
    out.mkdir()
    (out / ".manifest.json.0a1b2c3d").write_text("{")
    assert go(counts, only=FIRST).failed == {}


@pytest.mark.parametrize("data", [b"\xff\n", b"", None])
def test_a_damaged_test_part_is_one_line(data: bytes | None, counts: Path) -> None:
    go(counts, only=FIRST)
    place = SweepFolder(counts.parent / "out")
    place.test.unlink()
    if data is not None:
        place.test.write_bytes(data)
    with pytest.raises(DataError, match=r"test\.txt( has changed since the sweep|'; check)"):
        read_test(place)


def test_a_job_does_not_go_on_with_another_recipe_than_its_own(
    edited: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    sweep = edited("[models.5-gram]", "[models.lstm]\nepochs = 1\nset.network.hidden = 4")
    (name,) = [job.name for job in jobs_of(sweep)][:1]

    def stop(*given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("priscian.training.loop.Loop.run", stop)
        with pytest.raises(KeyboardInterrupt):
            go(sweep, only=name)
    (recipe,) = (sweep.parent / "out" / "models").glob("lstm-1k-*/recipe.toml")
    before = recipe.read_text()
    recipe.write_text(before.replace("hidden = 4", "hidden = 5"))
    found = go(sweep, only=name)
    assert "recipe.toml is not the recipe of lstm-1k-seed1 any more; restore" in found.failed[name]
    recipe.write_text(before.replace("threads = 1", "threads = 2"))  # of another machine
    assert go(sweep, only=name).failed == {}


def jobs_of(sweep: Path) -> list[Any]:
    plan = read_sweep(sweep)
    return expand(plan, check_start(SweepFolder(sweep.parent / "out"), plan)[1])


@pytest.mark.parametrize("value", ['"many"', "null", "9" * 5000, "-1", "[]"])
def test_a_damaged_card_is_one_line_with_a_remedy(
    value: str, counts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    go(counts, only=FIRST)
    (card,) = (counts.parent / "out" / "models").glob("*/card.json")
    whole = card.read_text()
    for key in ("words", "tokens_seen", "vocabulary", "seconds"):
        card.write_text(re.sub(rf'("{key}": )[^,\n]*', rf"\g<1>{value}", whole))
        assert card.read_text() != whole
        out = str(counts.parent / "out")
        assert run(["curve", str(counts), "--out", out, "--only", FIRST, "--processes", "0"]) == 1
        said = " ".join(capsys.readouterr().err.split())
        assert "card.json" in said
        assert "or delete it, and it is made again" in said
        assert "report" not in said
