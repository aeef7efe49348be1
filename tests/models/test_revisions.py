"""Checkpoint folders and files that match a pattern, whatever else lies beside them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fuzz.folder_samples import model

from priscian.errors import DataWarning, ModelError
from priscian.models import expand_revisions

NAMES = ("tokens-10", "tokens-9", "tokens-5²", "²", "tokens-" + "9" * 200)


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A trained model with checkpoints, some of them oddly named."""
    for name in (".", *NAMES):
        (tmp_path / name).mkdir(exist_ok=True)
        model(tmp_path / name)
    return tmp_path


def test_checkpoints_are_in_the_order_of_training(trained: Path) -> None:
    found = expand_revisions(str(trained), "tokens-*")
    assert [spec.revision for spec in found] == [
        "tokens-5²", "tokens-9", "tokens-10", "tokens-" + "9" * 200,
    ]  # fmt: skip
    assert [spec.revision for spec in expand_revisions(f"lstm:{trained}", "²")] == ["²"]


@pytest.mark.parametrize("pattern", ["", "/*", "[", "..", "../*"])
def test_a_pattern_that_is_no_name_finds_nothing(trained: Path, pattern: str) -> None:
    for string in (str(trained), f"txl:{trained}", f"rnng:{trained}"):
        with pytest.raises(ModelError, match="has no revision or checkpoint folder that matches"):
            expand_revisions(string, pattern)


@pytest.mark.parametrize("pattern", ["", "/*", "/etc/*", ".."])
def test_files_beside_a_model_are_matched_by_name(tmp_path: Path, pattern: str) -> None:
    for provider, name in (("ngram", "m.arpa"), ("lstm", "m.plstm"), ("surprisals", "t.tsv")):
        (tmp_path / name).touch()
        string = f"{provider}:{tmp_path / name}"
        (found,) = expand_revisions(string, name)
        assert found.path == tmp_path / name
        with pytest.raises(ModelError, match="has no revision or checkpoint folder that matches"):
            expand_revisions(string, pattern)


def test_a_model_that_is_not_there_has_none(tmp_path: Path) -> None:
    for provider in ("ngram", "lstm", "surprisals", "txl"):
        with pytest.raises(ModelError, match="it has none: leave `revisions=` out"):
            expand_revisions(f"{provider}:{tmp_path / 'gone' / 'x'}", "*")


def test_checkpoints_of_transformers_may_have_odd_names_beside_them(
    causal: Callable[..., Path], tmp_path: Path
) -> None:
    for name in ("step5²", "step10", "step9", "²"):
        shutil.copytree(causal("gpt2"), tmp_path / name)
    found = expand_revisions(f"hf:{tmp_path}", "*")
    assert [spec.revision for spec in found] == ["step5²", "step9", "step10", "²"]


def test_a_folder_whose_name_is_not_utf_8_is_left_out_with_a_note(trained: Path) -> None:
    shutil.copytree(trained / "²", trained / os.fsdecode(b"tokens-\xff"))
    with pytest.warns(DataWarning, match=r"the name 'tokens-\\udcff' is not UTF-8; left out"):
        assert len(expand_revisions(str(trained), "tokens-*")) == 4
