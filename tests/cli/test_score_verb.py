"""`priscian score`, `export` and `cite`, from a model string to files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

Command = Callable[..., Any]


def test_a_run_ends_with_a_table_and_a_folder(priscian: Command, model: str, pairs: Path) -> None:
    done = priscian("score", model, "--on", f"pairs:{pairs}", "--out", "run")
    assert (done.code, done.complaints) == (0, [])
    assert "pairs: full" in done.out
    assert "overall (mean of paradigms)" in done.out
    assert "Run folder: run" in done.out
    assert Path("run/tiny/pairs/summary.json").is_file()


def test_json_is_the_summaries(priscian: Command, model: str, pairs: Path) -> None:
    done = priscian("score", model, "--on", f"pairs:{pairs}", "--out", "run", "--json")
    assert done.code == 0
    (found,) = json.loads(done.out)
    assert found == json.loads(Path("run/tiny/pairs/summary.json").read_text())


def test_quiet_prints_nothing(priscian: Command, model: str, pairs: Path) -> None:
    done = priscian("score", model, "--on", f"pairs:{pairs}", "--out", "run", "--quiet")
    assert (done.code, done.out, done.complaints) == (0, "", [])


def test_without_out_a_folder_of_its_own_is_made(
    priscian: Command, model: str, pairs: Path
) -> None:
    assert priscian("score", model, "--on", f"pairs:{pairs}").code == 0
    assert len(list(Path("runs").glob("*/run.json"))) == 1


def test_several_models_and_data_sets_with_options(
    priscian: Command, model: str, pairs: Path, masked: Callable[..., Path]
) -> None:
    Path("other.tsv").write_text("fine\todd\nGo.\tGo go.\nRain.\tRain rain.\n")
    done = priscian(
        "score", model, f"mlm:{masked()}?name=bert", "--on", "pairs:other.tsv",
        "--good", "fine", "--bad", "odd", "--limit", "1", "--bos", "none", "--dtype", "float32",
        "--device", "cpu", "--batch-tokens", "64", "--workers", "1", "--measure",
        "surprisal_per_token", "--tie", "half", "--seed", "4", "--out", "run", "--quiet",
    )  # fmt: skip
    assert (done.code, done.complaints) == (0, [])
    run = json.loads(Path("run/run.json").read_text())
    assert set(run["models"]) == {"tiny", "bert"}
    assert run["models"]["tiny"]["key"]["bos"] == "none"
    assert run["models"]["tiny"]["plan"]["batch_tokens"] == 64
    wanted = {"limit": 1, "measure": "surprisal_per_token", "tie": "half", "seed": 4}
    assert wanted.items() <= run["request"].items()
    for name in ("tiny", "bert"):
        frame = polars.read_parquet(f"run/{name}/other/items.parquet")
        assert frame["text_good"].to_list() == ["Go."]


def test_checkpoints_are_swept(priscian: Command, causal: Callable[..., Path], pairs: Path) -> None:
    for step in ("step2", "step10", "last"):
        shutil.copytree(causal("gpt2"), Path("trained") / step)
    done = priscian(
        "score", "./trained", "--revisions", "step*", "--on", f"pairs:{pairs}", "--out", "run",
        "--json",
    )  # fmt: skip
    assert [s["model"] for s in json.loads(done.out)] == ["trained@step2", "trained@step10"]


def test_the_harness_way_of_naming_a_model(
    priscian: Command, causal: Callable[..., Path], pairs: Path
) -> None:
    done = priscian(
        "score", "--model", "hf", "--model_args", f"pretrained={causal('gpt2')},dtype=float32",
        "--tasks", f"pairs:{pairs}", "--output_path", "run", "--log_samples", "--quiet",
    )  # fmt: skip
    assert (done.code, done.complaints) == (0, [])
    (facts,) = json.loads(Path("run/run.json").read_text())["models"].values()
    assert facts["string"] == f"hf:{causal('gpt2')}?dtype=float32"


def test_a_run_is_resumed(priscian: Command, model: str, pairs: Path) -> None:
    asked = ("score", model, "--on", f"pairs:{pairs}", "--out", "run", "--quiet")
    assert priscian(*asked).code == 0
    refused = priscian(*asked)
    assert refused.code == 1
    assert "--resume" in refused.err
    assert priscian(*asked, "--resume").code == 0


@pytest.fixture
def finished(priscian: Command, model: str, pairs: Path) -> Path:
    assert priscian("score", model, "--on", f"pairs:{pairs}", "--out", "run", "--quiet").code == 0
    return Path("run")


@pytest.mark.parametrize(
    ("form", "pattern"),
    [("csv", "tiny_pairs.csv"), ("babylm", "tiny/main/**/predictions.json"),
     ("lm-eval", "*/results_*.json")],
)  # fmt: skip
def test_export_prints_the_files_it_made(
    form: str, pattern: str, priscian: Command, finished: Path
) -> None:
    done = priscian("export", finished, "--format", form)
    assert done.code == 0
    (made,) = (finished / "export" / form).glob(pattern)
    assert str(made) in done.out.splitlines()
    assert priscian("export", finished, "-f", form, "--out", "there").code == 0
    assert list(Path("there").glob(pattern))


def test_cite_prints_bibtex(priscian: Command, finished: Path) -> None:
    alone = priscian("cite")
    assert alone.out.startswith("@software{priscian,")
    assert alone.out.count("@") == 1
    of_run = priscian("cite", finished)
    assert of_run.code == 0
    assert "@inproceedings{transformers," in of_run.out


def test_some_sets_of_fresh_data_are_scored_by_name_and_number(priscian: Command) -> None:
    done = priscian(
        "score", "builtin:ngram", "--on", "generated:7", "--only", "wh_island", "--n", "5",
        "--json", "--out", "run",
    )  # fmt: skip
    assert (done.code, done.complaints) == (0, [])
    (found,) = json.loads(done.out)
    assert found["methods"]["full"]["paradigms"]["wh_island"]["n"] == 5
    assert found["methods"]["full"]["overall"]["n"] == 5
    clash = priscian("score", "builtin:ngram", "--on", "generated:7", "--n", "5", "--limit", "6")
    assert clash.complaints == [
        "priscian: --limit 6 and --n 5 are the same option; give one of them"
    ]
    wrong = priscian("score", "builtin:ngram", "--on", "graded:textbook", "--only", "wh_islnd")
    assert (wrong.code, len(wrong.complaints)) == (2, 1)


def test_a_folder_that_another_process_writes_to_is_refused_in_one_line(
    priscian: Command, pairs: Path
) -> None:
    from priscian.runs import Request
    from priscian.runs.record import Record

    first = Record.begin(Request(models=("m",), data={}), Path("run"))
    done = priscian("score", "builtin:ngram", "--on", f"pairs:{pairs}", "--out", "run")
    assert done.code == 1
    assert done.complaints == [
        "priscian: another priscian score is writing to run; wait until it has ended, or give "
        "another --out"
    ]
    first.lock.release()


def test_schemas_are_printed_as_json(priscian: Command) -> None:
    for name in ("run", "summary"):
        done = priscian("schema", name)
        assert done.code == 0
        assert json.loads(done.out)["title"] == f"{name}.json"
    assert priscian("schema", "item").code == 2
