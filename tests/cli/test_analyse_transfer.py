"""`priscian analyse transfer`: from an encoder to a saved result, shown in every form."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Command

FEW = ("anaphor_number_agreement", "anaphor_gender_agreement", "adjunct_island", "wh_island",
       "passive_1")  # fmt: skip
SMALL = ("--pairs", "6", "--test-pairs", "4", "--sizes", "2,3", "--draws", "1",
         *(part for uid in FEW for part in ("--only", uid)))  # fmt: skip
VIEW = ("--encoder", "minilm", "--layer", "3", "--pooling", "mean")


@pytest.fixture
def states(causal: Callable[..., Path]) -> tuple[str, ...]:
    return ("--encoder", f"hf:{causal('gpt2')}?name=tiny", "--layer", "1", "--pooling", "mean")


def test_an_analysis_is_saved_and_shown_again_in_every_form(
    priscian: Command, states: tuple[str, ...], in_folder: Path
) -> None:
    done = priscian("analyse", "transfer", *states, *SMALL, "--out", "found")
    assert (done.code, done.complaints) == (0, [])
    assert "Transfer between phenomena" in done.out
    assert "itself, without training" in done.out
    shown = priscian("analyse", "transfer", "found", "--json")
    found = json.loads(shown.out)
    assert set(found["matrix"]["probe"]["same"]) == {
        "anaphor_agreement", "argument_structure", "island_effects"
    }  # fmt: skip
    assert set(found["without_paradigm"]["bag"]["other"]) == set(FEW)
    assert set(found["size"]["probe"]["left_out"]) == {"2", "3", "6"}
    assert found["own_choices"]["same"]["island_effects"]["pairs"] == 8
    assert 0 <= found["overall"]["shuffled"]["same"]["others"]["accuracy"] <= 1
    markdown = priscian("analyse", "transfer", "found", "--format", "md").out
    assert "| trained on | anaphor agreement |" in markdown
    tex = priscian("analyse", "transfer", "found", "--format", "tex").out
    assert tex.count(r"\toprule") == 6
    assert "_" not in tex.replace(r"\_", "")
    # a second analysis finds all states and comes to the same result
    again = priscian("analyse", "transfer", *states, *SMALL, "--out", "again")
    assert again.code == 0
    assert (in_folder / "found/transfer.json").read_bytes() == (
        in_folder / "again/transfer.json"
    ).read_bytes()


def test_nothing_is_overwritten(
    priscian: Command, states: tuple[str, ...], in_folder: Path
) -> None:
    (in_folder / "old").mkdir()
    (in_folder / "old/transfer.json").write_text("{}")
    done = priscian("analyse", "transfer", *states, *SMALL, "--out", "old")
    assert done.code == 1
    assert done.complaints[-1].endswith("or give another --out")


@pytest.mark.parametrize("out", ["afile", "afile/below", "locked/below"])
def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_computed(
    out: str, priscian: Command, in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    import priscian.analyse as analyse

    def unused(*given: object, **options: object) -> None:
        raise AssertionError("the analysis was computed")

    monkeypatch.setattr(analyse, "transfer", unused)
    (in_folder / "afile").write_text("mine")
    (in_folder / "locked").mkdir()
    may = os.access
    # a superuser may write everywhere, so the mode of the folder would not do
    monkeypatch.setattr(os, "access", lambda p, mode: "locked" not in str(p) and may(p, mode))
    done = priscian("analyse", "transfer", *VIEW, "--out", out)
    assert done.code == 1
    assert len(done.complaints) == 1
    assert f"cannot write to the folder {out}" in done.complaints[0]
    assert done.complaints[0].endswith("choose another place")


def test_the_tables_are_shown_though_the_result_cannot_be_saved(
    priscian: Command, states: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    from priscian.analysis.transfer.transfer import Transfer
    from priscian.errors import OutputError

    def full(self: Transfer, folder: Path) -> Path:
        raise OutputError("cannot write transfer.json: no space left on device")

    monkeypatch.setattr(Transfer, "save", full)
    done = priscian("analyse", "transfer", *states, *SMALL, "--out", "found")
    assert done.code == 1
    assert "Transfer between phenomena" in done.out
    assert "no space left" in done.complaints[-1]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ((), 2, "give --probe DIR"),
        (("--encoder", "minilm"), 2, "--layer and --pooling"),
        (("--encoder", "minilm", "--layer", "3", "--pooling", "sum"), 2, "6-mean"),
        (("--probe", "nowhere"), 1, "nowhere has no classifier.json"),
        (("--probe", "nowhere", "--layer", "3"), 2, "leave --layer and --pooling out"),
        (("--encoder", "builtin:ngram", *VIEW[2:]), 1, "no hidden states"),
        (("--sizes", "ten"), 2, "whole numbers"),
        ((*VIEW, "--seed", "2"), 2, "one seed"),
        (("--draws", "0"), 2, "at least once"),
        (("--c", "-1"), 2, "above 0"),
        (("nowhere",), 1, "nowhere has no transfer.json"),
        (("nowhere", "--pairs", "3"), 2, "leave the options of a new one out"),
    ],
)
def test_bad_input_is_one_line_with_a_remedy(
    priscian: Command, options: tuple[str, ...], code: int, said: str
) -> None:
    done = priscian("analyse", "transfer", *options)
    assert done.code == code, done.err
    assert len(done.complaints) == 1
    assert said in done.complaints[0]


def test_one_phenomenon_is_refused(priscian: Command, states: tuple[str, ...]) -> None:
    done = priscian("analyse", "transfer", *states, "--only", "wh_island", "--pairs", "2")
    assert done.code == 2
    assert "at least two phenomena" in done.complaints[0]


def test_a_layer_that_the_encoder_does_not_have_is_refused(
    priscian: Command, states: tuple[str, ...]
) -> None:
    done = priscian("analyse", "transfer", *states[:3], "9", *states[4:], *SMALL)
    assert done.code == 2
    assert "has no layer 9" in done.complaints[0]


def test_the_help_names_every_control(priscian: Command) -> None:
    said = priscian("analyse", "transfer", "--help").out
    for word in ("bag of", "shuffled labels", "other words", "equal sizes", "untrained", "--probe"):
        assert word in " ".join(said.split())
    assert "its classifiers are trained again" in " ".join(said.split())
