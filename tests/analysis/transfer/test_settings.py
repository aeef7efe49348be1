"""Which states are used: those of a probe that was trained on CoLA, or those that are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.analysis.transfer.job import TransferSettings, choose
from priscian.errors import ModelError, UsageError
from priscian.models.classifier.encoder import View
from priscian.models.classifier.folder import ClassifierCard, RestartCard, write_card


def probe(folder: Path, method: str = "probe") -> Path:
    restart = RestartCard(number=1, seed=1, view="3-mean", log={"c": 0.1})
    card = ClassifierCard(
        method=method, encoder="minilm", data="cola:x", data_digest="", restarts=(restart,),
        chosen=1,
    )  # fmt: skip
    write_card(folder / "my-probe", card)
    return folder / "my-probe"


def test_a_probe_gives_encoder_view_and_penalty(tmp_path: Path) -> None:
    chosen = choose(TransferSettings(probe=probe(tmp_path)))
    assert (chosen.encoder, chosen.view, chosen.c) == ("minilm", View(3, "mean"), 0.1)
    assert chosen.chosen_by == "my-probe"
    assert choose(TransferSettings(probe=tmp_path / "my-probe", c=0.5)).c == 0.5


def test_without_a_probe_they_are_given() -> None:
    chosen = choose(TransferSettings(encoder="minilm", layer=2, pooling="cls"))
    assert (chosen.view, chosen.c, chosen.chosen_by) == (View(2, "cls"), 0.01, "")


def test_a_probe_of_another_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a probe of minilm, not of smollm2"):
        choose(TransferSettings(encoder="smollm2", probe=probe(tmp_path)))


def test_another_kind_of_classifier_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="a classifier by finetune; give a probe"):
        choose(TransferSettings(probe=probe(tmp_path, "finetune")))
