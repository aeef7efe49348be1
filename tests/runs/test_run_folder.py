"""Run folders: made whole, never overwritten, read only by those who understand them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import RunError
from priscian.runs import RunFolder, safe_name

REQUEST = {"models": ["hf:x"], "data": {}, "limit": None}


def test_a_new_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "a/b/run", REQUEST)
    run = json.loads((tmp_path / "a/b/run/run.json").read_text())
    assert (run["format"], run["status"], run["request"]) == (1, "running", REQUEST)
    assert [p.name for p in (tmp_path / "a/b/run").iterdir()] == ["run.json"]


def test_an_empty_folder_may_be_used(tmp_path: Path) -> None:
    assert RunFolder.create(tmp_path, REQUEST).read()["request"] == REQUEST


def test_a_run_is_never_overwritten(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", REQUEST)
    with pytest.raises(RunError, match=r"exists and is not empty; go on with it by --resume"):
        RunFolder.create(tmp_path / "run", REQUEST)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(RunError, match=r"not empty; give another --out$"):
        RunFolder.create(tmp_path, REQUEST)
    with pytest.raises(RunError, match=r"is a file; give --out a folder"):
        RunFolder.create(tmp_path / "thesis.tex", REQUEST)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_resuming_takes_the_same_request_only(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", REQUEST)
    assert RunFolder.resume(tmp_path / "run", dict(REQUEST)).path == tmp_path / "run"
    with pytest.raises(RunError, match=r"other settings \(limit, more\); repeat them exactly"):
        RunFolder.resume(tmp_path / "run", REQUEST | {"limit": 5, "more": 1})
    with pytest.raises(RunError, match=r"not a run folder: it has no run\.json"):
        RunFolder.resume(tmp_path, REQUEST)


@pytest.mark.parametrize(
    "content", ["", '{"format": 1, "requ', "[]", "3", "{}", '{"format": 1}', "\udcff\udcfe"]
)
def test_a_damaged_run_json_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(RunError, match=r"run\.json .*; begin again with another --out"):
        RunFolder.open(tmp_path)


def test_a_run_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", REQUEST)
    folder.update(format=2)
    with pytest.raises(RunError, match=r"another version of Priscian; update"):
        RunFolder.open(tmp_path / "run")


def test_updates_keep_what_they_do_not_name(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", REQUEST)
    folder.update_model("a", status="running", plan={"way": "tree"})
    folder.update_model("b", status="running")
    folder.update_model("a", status="finished")
    folder.update(status="finished")
    run = folder.read()
    assert run["models"] == {
        "a": {"status": "finished", "plan": {"way": "tree"}},
        "b": {"status": "running"},
    }
    assert (run["status"], run["request"]) == ("finished", REQUEST)


def test_a_place_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match=r"cannot write .*file/run/run\.json: .*change --out"):
        RunFolder.create(tmp_path / "file" / "run", REQUEST)


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder.create(tmp_path / "run", REQUEST)

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(RunError, match=r"No space left on device; free space"):
            folder.update(status="finished")
    assert folder.read()["status"] == "running"
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["run.json"]


def test_only_finished_results_are_listed(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", REQUEST)
    for name, file in (("a", "summary.json"), ("b", "items.parquet")):
        (tmp_path / "run" / name / "data").mkdir(parents=True)
        (tmp_path / "run" / name / "data" / file).write_text("{}")
    assert folder.results() == [("a", "data", tmp_path / "run/a/data")]


@given(st.text(max_size=40))
def test_any_label_makes_one_plain_folder_name(label: str) -> None:
    name = safe_name(label)
    assert name
    assert Path(name).name == name
    assert name not in {".", ".."}
    assert safe_name(name) == name


def test_usual_labels_stay_recognisable() -> None:
    assert safe_name("pythia@step1,dtype=bfloat16") == "pythia@step1,dtype=bfloat16"
    assert safe_name("mlm:bert/base cased") == "mlm-bert-base-cased"
