"""Run folders of format 1, made by Priscian 0.1 before the change, load in today's form."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars
import pytest

from priscian.bridges.exports import export
from priscian.errors import RunError
from priscian.runs import load_run, score
from priscian.runs.kinds import find_kind

V1 = Path(__file__).parent / "data" / "v1"
KINDS = {"pairs": "pairs", "suites": "suites", "graded": "graded", "cola": "labels"}
MODELS = ("builtin:ngram", "builtin:lstm")


def leaves(found: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Every plain value by the keys that lead to it."""
    if isinstance(found, dict):
        return {
            k: v for name, part in found.items() for k, v in leaves(part, (*path, name)).items()
        }
    return {path: list(found) if isinstance(found, tuple) else found}


def test_every_kind_of_result_is_there() -> None:
    run = load_run(V1)
    assert run.finished
    assert {(r.model, r.data): r.kind for r in run} == {
        (model, data): kind for model in MODELS for data, kind in KINDS.items()
    }


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("data", KINDS)
def test_every_number_of_the_old_summary_is_in_the_new_one(model: str, data: str) -> None:
    place = V1 / model.replace(":", "-") / data
    old = leaves(json.loads((place / "summary.json").read_text("utf-8")))
    new = leaves(load_run(V1)[model, data].summary.to_dict())
    assert {path: new[path] for path in old if old[path] != {}} == old


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("data", KINDS)
def test_tables_have_the_columns_of_today(model: str, data: str) -> None:
    result = load_run(V1)[model, data]
    frame = result.frame()
    wanted = find_kind(result.kind)
    assert {*wanted.columns["items"], *wanted.levels, "model", "data"} <= set(frame.columns)
    assert set(frame["model"]) == {model}
    assert set(frame["data"]) == {data}
    old = polars.read_parquet(V1 / model.replace(":", "-") / data / "items.parquet")
    same = [c for c in old.columns if c != "circuit"]
    assert frame.select(same).equals(old.select(same))


def test_tables_of_all_models_stack() -> None:
    run = load_run(V1)
    for data in KINDS:
        first, second = (run[model, data].frame() for model in MODELS)
        assert first.schema == second.schema
        assert polars.concat([first, second]).height == first.height + second.height
    pairs = run["builtin:lstm", "pairs"].frame()
    classes = pairs.select("set", "field", "phenomenon").unique().sort("set").rows()
    assert classes == [
        ("odd_one", "syntax", "binding"),
        ("odd_plain", "syntax", "islands"),
        ("odd_two", "morphology", "agreement"),
    ]
    assert pairs["oov_good"].null_count() == pairs.height
    assert run["builtin:ngram", "pairs"].frame()["oov_good"].null_count() == 0


def test_columns_are_those_of_a_run_made_today(tmp_path: Path) -> None:
    rows = [
        {"sentence_good": "Owls hoot.", "sentence_bad": "Owls hoots.", "field": "syntax",
         "linguistics_term": "islands", "UID": "odd_plain", "pairID": "0"}
    ]  # fmt: skip
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    today = score("builtin:ngram", f"blimp:{tmp_path / 'pairs.jsonl'}").results[0].frame()
    assert today.schema == load_run(V1)["builtin:ngram", "pairs"].frame().schema


def test_old_runs_are_exported(tmp_path: Path) -> None:
    assert len(export(load_run(V1), "csv", tmp_path / "csv")) == 8
    # a file of results, three paradigms and one graded set, for each of two models
    assert len(export(load_run(V1), "lm-eval", tmp_path / "lm-eval")) == 10


def test_an_old_run_is_not_resumed_but_begun_again(tmp_path: Path) -> None:
    shutil.copytree(V1, tmp_path / "run")
    with pytest.raises(
        RunError, match="started by an older version of Priscian; give another --out"
    ):
        score("builtin:ngram", "graded:textbook", out=tmp_path / "run", resume=True)


def test_an_unfinished_old_run_without_results_has_kinds_by_its_formats(tmp_path: Path) -> None:
    info = json.loads((V1 / "run.json").read_text())
    info["models"], info["status"] = {}, "running"
    (tmp_path / "run.json").write_text(json.dumps(info))
    run = load_run(tmp_path)
    assert {name: data.kind for name, data in run.info.request.data.items()} == KINDS
    assert run.missing == ("2 of 2 models",)
