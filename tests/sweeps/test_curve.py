"""A sweep from beginning to end: what it writes, and what it does not do twice."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priscian import analyse, perplexity
from priscian.analysis.curves.table import read_curve
from priscian.cli import run
from priscian.errors import PriscianError, PriscianWarning, RunError
from priscian.files.folder import lock_file
from priscian.runs.choose import choose_model, choose_models, gather_runs
from priscian.sweeps import pool
from priscian.sweeps.curve import curve, find_machine, plan_curve
from priscian.sweeps.folder import SweepFolder
from priscian.sweeps.pool import Event
from priscian.sweeps.sweep import read_sweep
from tests.sweeps.conftest import COUNTS, write_corpus

Edit = Callable[[str, str], Path]
STAGES = {"train", "score", "perplexity"}
NAMES = ["5-gram-1k-seed1", "5-gram-2k-seed1", "5-gram-4k-seed1"]


class Seen:
    """Events of a sweep."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def jobs(self, state: str) -> list[str]:
        return [e.job.name for e in self.events if e.state == state]


def go(sweep: Path, **options: Any) -> tuple[Any, Seen]:
    seen = Seen()
    return curve(sweep, sweep.parent / "out", processes=0, watch=seen, **options), seen


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished sweep, which tests only read."""
    folder = tmp_path_factory.mktemp("finished")
    write_corpus(folder)
    (folder / "sweep.toml").write_text(COUNTS.replace("PAIRS", str(folder / "pairs.csv")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRISCIAN_CACHE", str(folder / "cache"))
        patch.setattr("priscian.sweeps.curve.write_figures", lambda *_: [])
        curve(folder / "sweep.toml", folder / "out", processes=0)
    return folder / "out"


def test_models_are_trained_scored_and_measured_once(counts: Path) -> None:
    found, seen = go(counts)
    assert found.finished
    assert seen.jobs("done") == NAMES
    assert [m.size for m in found.table.models] == ["1k", "2k", "4k"]
    assert all(m.test_sentences == 20 and m.test_words == 120 for m in found.table.models)
    assert found.table.models[0].perplexity > found.table.models[2].perplexity > 1
    again, nothing = go(counts)
    assert nothing.events == []
    assert again.table == found.table


def test_what_is_finished_can_be_seen_while_the_sweep_goes_on(counts: Path) -> None:
    out, found = counts.parent / "out", []

    def look(event: Event) -> None:
        if event.state != "begun":
            return
        if event.job.name == NAMES[0]:
            with pytest.raises(RunError, match=r"no job of the sweep in .* continue it with"):
                gather_runs(out)
        else:
            found.append([m for run in gather_runs(out) for m in run.models])

    curve(counts, out, processes=0, watch=look)
    assert found == [NAMES[:1], NAMES[:2]]


def test_a_damaged_run_is_scored_again(counts: Path) -> None:
    go(counts, only=NAMES[0])
    (run_file,) = (counts.parent / "out" / "runs").glob("*/run.json")
    run_file.write_text("{")
    with pytest.warns(
        PriscianWarning, match=r"scored again: 5-gram-1k-seed1 \(a run cannot be read\)"
    ):
        found, _ = go(counts, only=NAMES[0])
    assert [m.model for m in found.table.models] == NAMES[:1]


def test_a_folder_may_have_any_name(counts: Path) -> None:
    found = curve(counts, counts.parent / "what?x=1@2%", processes=0, only=NAMES[0])
    assert [m.model for m in found.table.models] == NAMES[:1]


def test_threads_are_those_that_were_asked_for(
    counts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("priscian.sweeps.curve.cores", lambda: 8)
    sweep = read_sweep(counts)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert find_machine(sweep, 2).threads == 4
    for asked, threads in (("1", 1), ("6", 4), ("0", 4), ("many", 4)):
        monkeypatch.setenv("OMP_NUM_THREADS", asked)
        assert find_machine(sweep, 2).threads == threads


def test_a_sweep_without_scores_says_so(edited: Edit) -> None:
    path = edited("on = [", "on = []\n#")
    found, _ = go(path, only=NAMES[0])
    assert found.table.models[0].perplexity
    with pytest.raises(RunError, match=r"no model of the sweep in .* was scored; curve\.csv has"):
        gather_runs(path.parent / "out")


def test_perplexity_is_that_of_words_and_ends(finished: Path) -> None:
    """The value that `priscian perplexity` has for n-gram models, on the same sentences."""
    model = read_curve(finished).models[1]
    sentences = (finished / "corpus" / "test.txt").read_text().splitlines()[:20]
    measured = perplexity(model.string, sentences)
    nats = -measured.logprob / (120 + 20)
    assert model.perplexity == pytest.approx(math.exp(nats), rel=1e-9)


def test_figures_are_drawn(counts: Path, pictures: None) -> None:
    found, _ = go(counts)
    drawn = sorted(p.name for p in (found.path / "figures").iterdir())
    assert drawn == [
        "figures.tex", "training-size.csv", "training-size.png", "training-size.svg"
    ]  # fmt: skip
    assert json.loads((found.path / "analysis.json").read_text())["left_out"] == []


def test_the_table_is_tidy_and_read_by_other_analyses(finished: Path) -> None:
    with (finished / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    overall = [row for row in rows if row["level"] == "overall"]
    assert [row["model"] for row in overall] == NAMES
    assert {row["name"] for row in rows if row["level"] == "set"} == {"order", "article"}
    by_table = analyse.training_size(finished, sizes=finished / "curve.csv")
    by_folder = analyse.training_size(finished)
    assert by_table.as_dict() == by_folder.as_dict()
    assert list(by_folder.as_dict()) == ["5-gram"]
    assert [p.tokens for p in by_folder.curves[0].points] == [1000, 2000, 4000]


def test_the_table_fits_its_schema(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "curve"]) == 0
    schema = json.loads(capsys.readouterr().out)
    table = json.loads((finished / "curve.json").read_text())
    assert set(table) == set(schema["$defs"]["CurveTable"]["properties"])
    assert set(table["models"][0]) == set(schema["$defs"]["CurveModel"]["properties"])
    assert set(table["scores"][0]) == set(schema["$defs"]["CurveScore"]["properties"])


def test_the_folder_stands_for_all_its_runs(finished: Path, tmp_path: Path) -> None:
    assert [model for r in gather_runs(finished) for model in r.models] == NAMES
    assert [c.model for c in choose_models(finished)] == NAMES
    assert choose_model(f"{finished}:{NAMES[1]}").model == NAMES[1]
    with pytest.raises(PriscianError, match="did you mean 5-gram-1k-seed1"):
        choose_model(f"{finished}:5-gram-1k-seed")
    (tmp_path / "runs.json").write_text('["../elsewhere"]')
    with pytest.raises(PriscianError, match="outside the folder"):
        gather_runs(tmp_path)
    (tmp_path / "runs.json").write_text("[]")
    with pytest.raises(PriscianError, match="continue it with priscian curve"):
        gather_runs(tmp_path)


def test_only_some_jobs_now_and_the_others_later(counts: Path) -> None:
    found, seen = go(counts, only="*-1k-*")
    assert seen.jobs("done") == NAMES[:1]
    assert list(found.table.missing) == NAMES[1:]
    _, seen = go(counts)
    assert seen.jobs("done") == NAMES[1:]
    with pytest.raises(PriscianError, match="no job '5-gran-1k-seed1'; did you mean 5-gram-1k"):
        go(counts, only="5-gran-1k-seed1")


def test_a_changed_setting_redoes_only_what_depends_on_it(counts: Path, edited: Edit) -> None:
    go(counts)
    before = {p: p.stat().st_mtime_ns for p in counts.parent.glob("out/models/*/model.pngm")}
    edited("test_sentences = 20", "test_sentences = 10")
    found, seen = go(counts)
    assert {e.stage for e in seen.events if e.stage} == {"perplexity"}
    edited("test_sentences = 10", "test_sentences = 10\nlimit = 1")
    found, seen = go(counts)
    assert {e.stage for e in seen.events if e.stage} == {"score"}
    assert before == {p: p.stat().st_mtime_ns for p in before}
    assert {s.n for s in found.table.scores if s.level == "set"} == {1}


def test_all_models_are_measured_on_the_sentences_that_the_slowest_can_afford(
    counts: Path, edited: Edit
) -> None:
    whole = go(counts)[0].table.models
    edited("[models.5-gram]", "[models.5-gram]\n[models.4-gram]\ntest_sentences = 5")
    found, seen = go(counts)
    assert {e.stage for e in seen.events if e.job.group == "5-gram" and e.stage} == {"perplexity"}
    assert {m.test_sentences for m in found.table.models} == {5}
    assert {m.test_words for m in found.table.models} == {30}
    counted = [m for m in found.table.models if m.curve == "5-gram"]
    assert [m.whole_perplexity for m in counted] == [m.perplexity for m in whole]
    assert [m.perplexity for m in counted] != [m.perplexity for m in whole]
    assert go(counts)[1].events == []
    edited("[models.4-gram]\ntest_sentences = 5", "[models.4-gram]\ntest_sentences = 0")
    found, seen = go(counts)
    assert seen.events == []
    assert {m.perplexity for m in found.table.models if m.curve == "4-gram"} == {None}
    assert [m.perplexity for m in found.table.models if m.curve == "5-gram"] == [
        m.perplexity for m in whole
    ]


def test_a_changed_corpus_is_refused_with_a_remedy(counts: Path, edited: Edit) -> None:
    go(counts, only="*-1k-*")
    text = counts.parent / "text.txt"
    same = text.read_bytes()
    text.write_text(text.read_text().replace("cat", "cow"))
    with pytest.raises(PriscianError, match=r"text\.txt changed since.*restore the corpus, or"):
        go(counts)
    (counts.parent / "more.txt").write_bytes(same)
    edited('["text.txt"]', '["text.txt", "more.txt"]')
    text.write_bytes(same)
    with pytest.raises(PriscianError, match=r"began with other files of its corpus: text\.txt"):
        go(counts)


def test_a_folder_with_other_things_in_it_is_refused(counts: Path) -> None:
    (counts.parent / "out").mkdir()
    (counts.parent / "out" / "thesis.tex").write_text("")
    with pytest.raises(PriscianError, match="not empty and holds no sweep"):
        go(counts)


def test_a_folder_with_only_what_a_kill_left_is_taken(tmp_path: Path) -> None:
    (tmp_path / ".manifest.json.1234abcd").write_text("{")
    SweepFolder(tmp_path).check(())
    (tmp_path / "manifest.txt").write_text("")
    with pytest.raises(PriscianError, match="not empty and holds no sweep"):
        SweepFolder(tmp_path).check(())


def test_data_that_do_not_exist_are_refused_before_anything_is_trained(
    counts: Path, edited: Edit
) -> None:
    edited("pairs.csv", "pears.csv")
    with pytest.raises(PriscianError, match=r"pears\.csv"):
        go(counts)
    assert not (counts.parent / "out" / "models").exists()


def test_a_corpus_shorter_than_the_largest_size_is_refused_before_anything_is_trained(
    edited: Edit,
) -> None:
    path = edited('"2k"', '"2M"')
    with pytest.raises(PriscianError, match="fewer than the 2,000,000 asked for; add text or take"):
        go(path)
    with pytest.raises(PriscianError, match="fewer than the 2,000,000 asked for"):
        plan_curve(path, path.parent / "out")
    assert not (path.parent / "out").exists()


def test_a_dry_run_writes_nothing_and_trees_may_change(counts: Path) -> None:
    go(counts, only=NAMES[0])
    before = {p: p.read_bytes() for p in (counts.parent / "out").glob("*.json")}
    for name in ("one.txt", "two.txt"):
        trees = counts.parent / name
        trees.write_text(f"(ROOT (S (NP (NN {name[:3]})) (VP (VBZ runs))))\n")
        plan_curve(counts, counts.parent / "out", trees=[trees])
    assert {p: p.read_bytes() for p in before} == before


def test_a_job_that_fails_is_named_and_the_others_are_done(
    counts: Path, edited: Edit, capsys: pytest.CaptureFixture[str]
) -> None:
    go(counts, only=NAMES[0])
    path = edited('"2k"', '"2M"')
    out = path.parent / "out"
    code = run(["curve", str(path), "--out", str(out), "--processes", "0"])
    said = capsys.readouterr()
    assert code == 1
    last = said.err.splitlines()[-1]
    assert "5-gram-2M-seed1: the corpus has" in last
    assert "take a smaller size" in last
    assert "1 job failed" in last
    table = json.loads((out / "curve.json").read_text())
    assert [m["model"] for m in table["models"]] == [NAMES[0], NAMES[2]]
    assert list(table["failed"]) == table["missing"] == ["5-gram-2M-seed1"]


def test_the_reason_of_a_failure_is_kept_until_the_job_is_done(counts: Path, edited: Edit) -> None:
    go(counts, only=NAMES[0])
    path = edited('"2k"', '"2M"')
    go(path)
    found, _ = go(path, only=NAMES[0])
    assert found.failed == {}  # this command had no failure
    (reason,) = found.table.failed.values()
    assert "take a smaller size" in reason
    edited('"2M"', '"2k"')
    assert go(path)[0].table.failed == {}


def test_models_are_scored_again_when_the_items_have_changed(counts: Path) -> None:
    go(counts, only=NAMES[0])
    before = {p: p.stat().st_mtime_ns for p in counts.parent.glob("out/models/*/model.pngm")}
    pairs = counts.parent / "pairs.csv"
    pairs.write_text(pairs.read_text() + "The cat sees the dog.,The cat the sees dog.,order\n")
    with pytest.warns(
        PriscianWarning, match=r"again: 5-gram-1k-seed1 \(.*pairs\.csv changed since\)"
    ):
        found, seen = go(counts, only=NAMES[1])
    assert [m.model for m in found.table.models] == [NAMES[1]]
    found, seen = go(counts)
    assert {e.stage for e in seen.events if e.job.name == NAMES[0]} - {""} == {"score"}
    orders = [s.n for s in found.table.scores if s.level == "set" and s.name == "order"]
    assert orders == [3, 3, 3]
    assert before == {p: p.stat().st_mtime_ns for p in before}


def test_items_that_change_while_models_are_scored_are_not_mixed_in_one_table(counts: Path) -> None:
    pairs = counts.parent / "pairs.csv"

    def change(event: Event) -> None:
        if (event.job.name, event.state) == (NAMES[1], "done"):
            more = "The cat sees the dog.,The cat the sees dog.,order\n"
            pairs.write_text(pairs.read_text() + more)

    found = curve(counts, counts.parent / "out", processes=0, watch=change)
    assert [m.model for m in found.table.models] == [NAMES[2]]
    assert list(found.failed) == NAMES[:2]
    assert "run the same command again, which scores it again" in found.failed[NAMES[0]]
    with pytest.warns(PriscianWarning, match="again: 5-gram-1k-seed1, 5-gram-2k-seed1"):
        assert go(counts)[0].finished


def test_a_corpus_that_changes_while_models_are_trained_is_noticed(counts: Path) -> None:
    text = counts.parent / "text.txt"
    before = text.read_bytes()

    def change(event: Event) -> None:
        if (event.job.name, event.state) == (NAMES[0], "done"):
            text.write_bytes(before + b"The cat sees the dog.\n")

    found = curve(counts, counts.parent / "out", processes=0, watch=change)
    assert [m.model for m in found.table.models] == NAMES[:1]
    assert list(found.failed) == NAMES[1:]
    assert (
        "text.txt changed since the command began; run the same command again"
        in found.failed[NAMES[1]]
    )
    text.write_bytes(before)
    assert go(counts)[0].finished


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied", "x"), MemoryError()])
def test_a_job_without_rights_or_memory_stops_no_other(
    error: Exception, counts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    do = pool.do_job

    def fail(place: Any, job: Any, *rest: Any) -> None:
        if job.name == NAMES[0]:
            raise error
        do(place, job, *rest)

    monkeypatch.setattr(pool, "do_job", fail)
    found, _ = go(counts)
    assert [m.model for m in found.table.models] == NAMES[1:]
    assert list(found.failed) == NAMES[:1]


def test_a_finished_sweep_is_shown_without_its_data(counts: Path) -> None:
    go(counts)
    (counts.parent / "pairs.csv").unlink()
    with pytest.warns(PriscianWarning, match="cannot check whether scoring data have changed"):
        assert go(counts)[0].finished


def test_other_options_of_the_model_string_are_scored_and_measured(edited: Edit) -> None:
    before = go(edited("[models.5-gram]", "[models.5-gram]\n"), only=NAMES[0])[0]
    path = edited("[models.5-gram]", '[models.5-gram]\noptions = "order=1"')
    after, seen = go(path, only=NAMES[0])
    assert {e.stage for e in seen.events if e.stage} == {"score", "perplexity"}
    measured = perplexity(
        after.table.models[0].string,
        (path.parent / "out" / "corpus" / "test.txt").read_text().splitlines()[:20],
    )
    assert after.table.models[0].perplexity == pytest.approx(
        math.exp(-measured.logprob / (120 + 20)), rel=1e-9
    )
    assert after.table.models[0].perplexity != before.table.models[0].perplexity
    assert go(path, only=NAMES[0])[1].events == []


def test_jobs_run_in_processes_of_their_own(counts: Path) -> None:
    seen = Seen()
    found = curve(counts, counts.parent / "out", processes=2, watch=seen, only=NAMES[:2])
    assert sorted(seen.jobs("done")) == NAMES[:2]
    assert {e.stage for e in seen.events if e.state == "progress"} == STAGES
    assert len(found.table.models) == 2


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import os; os.kill(os.getpid(), 9)", "ended by SIGKILL, possibly out of memory"),
        ("raise SystemExit(3)", "its process failed; see"),
        (
            "print('{not json'); print('{}'); print('{\"a\": 1}'); raise SystemExit(3)",
            "failed; see",
        ),
    ],
)
def test_a_process_that_dies_stops_no_other(
    counts: Path, monkeypatch: pytest.MonkeyPatch, program: str, said: str
) -> None:
    def launch(self: Any, job: Any, slot: int) -> Any:
        return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)

    monkeypatch.setattr(pool.Pool, "_launch", launch)
    found = curve(counts, counts.parent / "out", processes=2)
    assert sorted(found.failed) == NAMES
    assert all(said in reason for reason in found.failed.values())


@pytest.mark.parametrize("processes", [0, 1])
def test_a_job_of_another_process_is_awaited_and_not_done_twice(
    counts: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    monkeypatch.setattr(pool, "POLL", 0.02)
    go(counts, only=NAMES[0])
    (desk,) = (counts.parent / "out" / "jobs").iterdir()
    (desk / "record.json").rename(desk / "aside")
    lock = lock_file(desk / "lock", "")
    looks = iter([False])  # the lock is taken between a look at it and the beginning
    real = pool.is_busy
    monkeypatch.setattr(pool, "is_busy", lambda *given: next(looks, None) or real(*given))
    states = []

    def watch(event: Event) -> None:
        if event.state != "progress":
            states.append(event.state)
        if event.state == "elsewhere":  # the other process finishes the job
            (desk / "aside").rename(desk / "record.json")
            lock.release()

    curve(counts, counts.parent / "out", processes=processes, watch=watch, only=NAMES[0])
    assert states[-2:] == ["elsewhere", "done"]
    assert "failed" not in states


def test_the_plan_lists_the_work_that_is_left(
    counts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = counts.parent / "out"
    jobs = plan_curve(counts, out)
    assert [e.tokens for e in jobs] == [1050, 2100, 4200]
    assert {e.texts for e in jobs} == {6 + 20}
    assert not out.exists()
    go(counts, only=NAMES[0])
    assert run(["curve", str(counts), "--out", str(out), "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "finished" in shown
    assert "2 of 3 jobs to do" in shown
    assert run(["curve", str(counts), "--out", str(out), "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["missing"] == []


def test_a_score_that_was_begun_under_another_path_is_made_again(counts: Path) -> None:
    go(counts, only=NAMES[0])
    out = counts.parent / "out"
    (desk,) = (out / "jobs").iterdir()
    (desk / "record.json").unlink()
    moved = out.rename(counts.parent / "moved")
    found = curve(counts, moved, processes=0, only=NAMES[0])
    assert [m.model for m in found.table.models] == NAMES[:1]


@pytest.mark.slow
def test_a_sweep_that_was_killed_goes_on_and_repeats_nothing(counts: Path) -> None:
    out = counts.parent / "out"
    command = [sys.executable, "-m", "priscian", "curve", str(counts), "--out", str(out)]
    command += ["--processes", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as begun:
        assert begun.stderr is not None
        for line in begun.stderr:
            if "done in" in line:
                begun.kill()
                break
    (first,) = (out / "models").glob("5-gram-1k-*/model.pngm")
    made = first.stat().st_mtime_ns
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "5-gram-1k-seed1: begun" not in done.stderr
    assert "3 of 3 jobs finished" in done.stdout
    assert first.stat().st_mtime_ns == made
