"""`priscian score --on cola:DIR` and `priscian analyse cola`."""

from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest
from tests.cli.conftest import Command
from tests.datasets.small_cola import ANNOTATED, write_cola


@pytest.fixture
def cola(in_folder: Path) -> Path:
    rows = "".join(f"{row[0]},{value},{row[1]}\n" for row, value in zip(ANNOTATED, "41329027",
                                                                      strict=True))  # fmt: skip
    (in_folder / "scores.csv").write_text(f"sentence,m,labels\n{rows}")
    return write_cola(in_folder / "cola")


def test_a_run_and_its_analysis(priscian: Command, cola: Path, in_folder: Path) -> None:
    done = priscian("score", "builtin:ngram", "--on", f"cola:{cola}", "--out", "run", "--json")
    assert (done.code, done.complaints) == (0, [])
    (summary,) = json.loads(done.out)
    assert summary["labels"]["chosen_on"] == "in-domain dev"
    sizes = {name: found["n"] for name, found in summary["labels"]["sets"].items()}
    assert sizes == {"in-domain dev": 4, "out-of-domain dev": 4, "out-of-domain test": 2}
    rows = polars.read_parquet(in_folder / "run/builtin-ngram/cola/items.parquet")
    limit = summary["labels"]["threshold"]
    assert len(rows) == 10
    for score, label, correct in rows["score_sentence", "label", "correct"].iter_rows():
        assert ((score > limit) == label) == (correct == 1.0)
    done = priscian("analyse", "cola", "run", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["sentences"] == 8
    (model,) = found["models"].values()
    assert model["threshold"] == limit
    assert model["sets"] == summary["labels"]["sets"]
    assert set(model["major"]) == {"Simple", "Question", "Violations"}
    assert priscian("cite", "run").out.count("@article{cola,") == 1


def test_training_sentences_are_scored_on_demand(priscian: Command, cola: Path) -> None:
    done = priscian("score", "builtin:ngram", "--on", f"cola:{cola},train", "--out", "run")
    assert done.code == 0, done.err
    assert "in-domain train*, n = 3" in " ".join(done.out.split())
    assert "the threshold was chosen here" in done.out
    done = priscian("analyse", "cola", "run")
    assert done.code == 0, done.err
    assert "chosen on in-domain train" in done.out


def test_a_table_of_scores(priscian: Command, cola: Path) -> None:
    done = priscian("analyse", "cola", "scores.csv", "--data", cola)
    assert done.code == 0, done.err
    assert "by major feature" in done.out
    assert "one label" in done.out
    done = priscian("analyse", "cola", "scores.csv", "--data", cola, "--json")
    found = json.loads(done.out)["models"]
    assert (found["m"]["threshold"], found["m"]["chosen_on"]) == (2.5, "in-domain dev")
    assert (found["labels"]["chosen_on"], found["labels"]["overall"]["mcc"]) == ("labels", 1.0)


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        ((), 2, "name a run on cola:DIR"),
        (("scores.csv",), 2, "add --data DIR"),
        (("scores.csv", "--data", "cola", "--threshold", "high"), 2, "takes best or a number"),
        (("scores.csv", "--data", "."), 1, "give the folder of CoLA's public release"),
        (("none.csv", "--data", "cola"), 1, "none.csv"),
        (("no-folder", "--data", "cola"), 1, "no file or folder 'no-folder'"),
        (("no-folder",), 1, "no file or folder 'no-folder'"),
        (("cola", "--data", "cola"), 1, "no scores.csv in it"),
    ],
)
def test_bad_input(
    priscian: Command, cola: Path, arguments: tuple[str, ...], code: int, line: str
) -> None:
    done = priscian("analyse", "cola", *arguments)
    assert done.code == code
    assert len(done.complaints) == 1
    assert line in done.complaints[0]


def test_without_annotations_training_sentences_choose(priscian: Command, in_folder: Path) -> None:
    write_cola(in_folder / "bare", annotations=False)
    done = priscian("score", "builtin:ngram", "--on", "cola:bare", "--out", "run", "--json")
    (summary,) = json.loads(done.out)
    assert summary["labels"]["chosen_on"] == "in-domain train"


def test_slor_over_the_command_line(priscian: Command, cola: Path, pairs: Path) -> None:
    arguments = ("score", "builtin:ngram", "--on", f"cola:{cola}", "--on", f"pairs:{pairs}")
    done = priscian(*arguments, "--measure", "slor", "--out", "run", "--json")
    assert done.code == 0, done.err
    for summary in json.loads(done.out):
        assert summary["unigram"]["model"] == "builtin:ngram?order=1"
    assert "@article{slor," in priscian("cite", "run").out
