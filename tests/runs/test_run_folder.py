"""Run folders: made whole, never overwritten, written by one process at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import structs

from priscian.errors import OutputError, PriscianWarning, RunError
from priscian.models import ModelSpec
from priscian.runs import DataFacts, Request
from priscian.runs.facts import SetFacts
from priscian.runs.job import name_models
from priscian.runs.load import read_info
from priscian.runs.record import Record

DATA = DataFacts(spec="pairs:x", kind="pairs", folder="x", sets={"x": SetFacts(n=1, hash="0")})
REQUEST = Request(models=("hf:x",), data={"x": DATA})
MODEL = {"string": "hf:x", "folder": "x"}


def begin(path: Path, request: Request = REQUEST) -> Record:
    """A run that has ended without a message."""
    record = Record.begin(request, path)
    record.lock.release()
    return record


def scored(path: Path) -> None:
    """A run that had a plan when it ended."""
    begin(path).update_model("x", **MODEL, plan={"way": "tree"})


def test_a_new_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    begin(tmp_path / "a/b/run")
    run = json.loads((tmp_path / "a/b/run/run.json").read_text())
    assert (run["format"], run["status"], run["request"]["models"]) == (2, "running", ["hf:x"])
    assert [p.name for p in (tmp_path / "a/b/run").iterdir()] == ["run.json"]


def test_an_empty_folder_may_be_used(tmp_path: Path) -> None:
    begin(tmp_path)
    assert read_info(tmp_path).request == REQUEST


def test_a_run_is_never_overwritten(tmp_path: Path) -> None:
    scored(tmp_path / "run")
    with pytest.raises(RunError, match=r"exists and is not empty; continue it with `resume=True`"):
        begin(tmp_path / "run")


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(RunError, match=r"not empty; give another `out=`$"):
        begin(tmp_path)
    with pytest.raises(RunError, match=r"is a file; give `out=` a folder"):
        begin(tmp_path / "thesis.tex")
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def suite_request(**known: tuple[str, ...]) -> Request:
    """A request for one suite, of a version that records its formulas or of one that does not."""
    facts = SetFacts(n=1, hash="0", **known)
    data = DataFacts(spec="sg:x", kind="suites", folder="x", sets={"x": facts})
    return Request(models=("hf:x",), data={"x": data})


def test_a_run_without_recorded_formulas_is_resumed_by_one_with_them() -> None:
    old, new = suite_request(), suite_request(regions=("verb",), formulas=("(1;%a%)<(1;%b%)",))
    other = suite_request(regions=("verb",), formulas=("(1;%a%)>(1;%b%)",))
    assert old.differences(new) == new.differences(old) == []
    assert new.differences(other) == ["data"]


def test_a_broken_formula_in_run_json_is_refused() -> None:
    with pytest.raises(ValueError, match="is never closed"):
        SetFacts(n=1, hash="0", formulas=("((1;%a%)<(1;%b%)",))


def test_resuming_takes_the_same_request_only(tmp_path: Path) -> None:
    begin(tmp_path / "run").update(status="finished", error="")
    resumed = Record.begin(REQUEST, tmp_path / "run", resume=True)
    assert (resumed.path, resumed.info.request) == (tmp_path / "run", REQUEST)
    resumed.lock.release()
    other = structs.replace(REQUEST, limit=5, seed=1)
    with pytest.raises(RunError, match=r"other settings \(limit, seed\); repeat them exactly"):
        Record.begin(other, tmp_path / "run", resume=True)
    with pytest.raises(RunError, match=r"no run\.json; to begin a run leave out `resume=True`"):
        Record.begin(REQUEST, tmp_path, resume=True)


class TestDeadRuns:
    def test_a_run_that_was_killed_before_its_first_score_is_begun_again(
        self, tmp_path: Path
    ) -> None:
        begin(tmp_path / "run").update_model("x", **MODEL)
        with pytest.warns(PriscianWarning, match="ended before anything was scored; starting"):
            begin(tmp_path / "run", structs.replace(REQUEST, seed=3))
        assert read_info(tmp_path / "run").request.seed == 3

    def test_what_a_kill_left_of_run_json_does_not_count(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        run.mkdir()
        (run / ".run.json.1234abcd").write_text("{")
        with pytest.raises(RunError, match=r"no run\.json; to begin a run leave out `resume=True`"):
            Record.begin(REQUEST, run, resume=True)
        begin(run)
        assert [p.name for p in run.iterdir()] == ["run.json"]
        (run / ".run.json.00ff00ff").write_text("{")  # a kill while run.json was renewed
        with pytest.warns(PriscianWarning, match="ended before anything was scored; starting"):
            begin(run)

    def test_hidden_files_of_others_are_left_alone(self, tmp_path: Path) -> None:
        for name in (".run.json.1234abcd", ".notes", ".key.0badcafe"):
            (tmp_path / name).write_text("x")
        with pytest.raises(RunError, match="exists and is not empty; give another `out=`"):
            begin(tmp_path)
        assert len(list(tmp_path.iterdir())) == 3

    def test_a_run_that_failed_at_once_leaves_nothing(self, tmp_path: Path) -> None:
        record = Record.begin(REQUEST, tmp_path / "run")
        record.update_model("x", **MODEL)
        with pytest.raises(RunError, match="no such model"), record.under_way():
            raise RunError("no such model")
        assert not (tmp_path / "run").exists()

    def test_a_run_that_failed_later_says_why_when_it_is_resumed(self, tmp_path: Path) -> None:
        record = Record.begin(REQUEST, tmp_path / "run")
        record.update_model("x", **MODEL, plan={"way": "tree"})
        record.worth_keeping = True
        with pytest.raises(RunError, match="is full"), record.under_way():
            raise RunError("the disk\nis full")
        assert read_info(tmp_path / "run").status == "failed"
        told = r"was not finished: the disk is full\. 0 of 1 results exist; what was scored"
        with pytest.warns(PriscianWarning, match=told):
            Record.begin(REQUEST, tmp_path / "run", resume=True).lock.release()

    def test_a_run_that_was_killed_says_so_when_it_is_resumed(self, tmp_path: Path) -> None:
        scored(tmp_path / "run")
        with pytest.warns(PriscianWarning, match="ended without a message: it was killed, or the"):
            Record.begin(REQUEST, tmp_path / "run", resume=True).lock.release()


class TestTwoProcesses:
    def test_the_second_is_refused_while_the_first_lives(self, tmp_path: Path) -> None:
        first = Record.begin(REQUEST, tmp_path / "run")
        for resume in (False, True):
            with pytest.raises(RunError, match=r"another priscian score is writing to .*run; wait"):
                Record.begin(REQUEST, tmp_path / "run", resume=resume)
        first.lock.release()
        assert read_info(tmp_path / "run").request == REQUEST

    def test_of_many_that_begin_at_once_one_succeeds(self, tmp_path: Path) -> None:
        program = (
            "import sys, time\n"
            "from pathlib import Path\n"
            "from priscian.errors import RunError\n"
            "from priscian.runs import Request\n"
            "from priscian.runs.record import Record\n"
            "print('ready', flush=True); sys.stdin.readline()\n"
            "try: Record.begin(Request(models=('m',), data={}), Path(sys.argv[1]))\n"
            "except RunError as error: print('refused:', error)\n"
            "else: print('made', flush=True); sys.stdin.readline()\n"
        )
        several = [
            subprocess.Popen(
                [sys.executable, "-c", program, str(tmp_path / "run")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(3)
        ]
        said = []
        for line in ("go\n", ""):
            for process in several:
                assert process.stdin is not None
                assert process.stdout is not None
                if line:
                    assert process.stdout.readline() == "ready\n"
            for process in several:
                assert process.stdin is not None
                assert process.stdout is not None
                if line:
                    process.stdin.write(line)
                    process.stdin.flush()
                else:
                    said.append(process.stdout.readline())
        for process in several:
            process.communicate("end\n")
        assert sorted(line.split(":")[0].strip() for line in said) == ["made", "refused", "refused"]

    def test_without_locks_run_json_is_still_created_by_one_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("priscian.files.folder.locks", None)
        monkeypatch.setattr("priscian.runs.record.RunFolder.check", lambda *_, **__: None)
        Record.begin(REQUEST, tmp_path / "run")
        with pytest.raises(RunError, match=r"priscian score has just started in .*run; give"):
            Record.begin(REQUEST, tmp_path / "run")
        assert [p.name for p in (tmp_path / "run").iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"format": 1, "requ',
        "[]",
        "3",
        "{}",
        '{"format": 2}',
        "\udcff\udcfe",
        "[" * 100_000,
    ],
)
def test_a_damaged_run_json_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(RunError, match=r"run\.json .*; start again with another `out=`"):
        read_info(tmp_path)


def test_a_run_of_another_version_is_refused(tmp_path: Path) -> None:
    for number in (1, 3):
        (tmp_path / "run.json").write_text(f'{{"format": {number}}}')
        with pytest.raises(RunError, match="was made by another version of Priscian; update"):
            read_info(tmp_path)


def test_a_run_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    begin(tmp_path)
    run = json.loads((tmp_path / "run.json").read_text()) | {"format": 3}
    (tmp_path / "run.json").write_text(json.dumps(run))
    with pytest.raises(RunError, match=r"another version of Priscian; update"):
        read_info(tmp_path)


@pytest.mark.parametrize("folder", ["", ".", "..", "a/b", "../x", "/etc", "a\\b", "a\0b"])
def test_a_folder_that_leads_elsewhere_is_refused(tmp_path: Path, folder: str) -> None:
    begin(tmp_path)
    for where in ("models", "data"):
        run = json.loads((tmp_path / "run.json").read_text())
        if where == "models":
            run["models"]["x"] = {"string": "x", "folder": folder}
        else:
            run["request"]["data"]["x"]["folder"] = folder
        (tmp_path / "changed").mkdir(exist_ok=True)
        (tmp_path / "changed/run.json").write_text(json.dumps(run))
        with pytest.raises(RunError, match="is not the name of a folder"):
            read_info(tmp_path / "changed")


@pytest.mark.parametrize("name", ["run.json", "shards", "slurm", "export", "Shards"])
def test_no_model_takes_a_place_that_the_run_needs(name: str) -> None:
    (source,) = name_models([ModelSpec.parse(f"builtin:lstm?name={name}")])
    assert source.name == name
    assert source.folder.startswith(f"{name}-")


def test_updates_keep_what_they_do_not_name(tmp_path: Path) -> None:
    record = begin(tmp_path / "run")
    record.update_model("a", string="a", folder="a", plan={"way": "tree"})
    record.update_model("b", string="b", folder="b")
    record.update_model("a", status="finished")
    record.update(status="finished", error="")
    run = read_info(tmp_path / "run")
    assert {n: (m.status, m.plan) for n, m in run.models.items()} == {
        "a": ("finished", {"way": "tree"}),
        "b": ("running", None),
    }
    assert (run.status, run.request) == ("finished", REQUEST)


def test_a_place_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"cannot write .*file/run/run\.json: .*change `out=`"):
        begin(tmp_path / "file" / "run")


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = begin(tmp_path / "run")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(OutputError, match=r"No space left on device; free some space"):
            record.update(status="finished")
    assert read_info(tmp_path / "run").status == "running"
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["run.json"]
