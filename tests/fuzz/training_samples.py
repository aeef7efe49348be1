"""Folders that were being made when they were damaged: what goes on with them, or refuses to."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from priscian.sweeps.curve import curve
from priscian.training.classifiers.job import train_classifier
from priscian.training.classifiers.settings import ClassifierSettings
from tests.fuzz.harness import Sample
from tests.sweeps.conftest import COUNTS, write_corpus
from tests.training.classifiers.toy_cola import write_cola

SMALL = {
    "network.embedding": 4, "network.hidden": 4, "training.tokens": 300, "training.epochs": 0,
    "training.batch_tokens": 100, "checkpoints.at": [100],
}  # fmt: skip
TEXT = "The cat sees the dog. The dog likes the cat.\nIt is a dog.\n" * 20


class Stop(Exception):
    """Ends a training."""


def lstm(folder: Path) -> None:
    """A training that was stopped half way."""
    from priscian.training.job import train  # needs torch

    (folder / "text.txt").write_text(TEXT)

    def stop(moment: Any) -> None:
        if moment.tokens >= 250:
            raise Stop

    begin = partial(train, "lstm", folder / "m", corpus=[folder / "text.txt"], recipe="tiny")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("priscian.training.loop.SAVE_EVERY", 0.0)
        with pytest.raises(Stop):
            begin(overrides=SMALL, report=stop)


def resume_lstm(folder: Path) -> list[str]:
    """The weights and the card at the end, which no damage may change."""
    from priscian.training.job import train

    with tempfile.TemporaryDirectory() as name:
        out = Path(shutil.copytree(folder / "m", Path(name) / "m"))
        card = train("lstm", out, resume=True)
        weights = hashlib.sha256((out / "model.safetensors").read_bytes()).hexdigest()
    return [weights, json.dumps({**card, "seconds": 0})]


def classifier(folder: Path) -> None:
    """A bag of n-grams."""
    cola = write_cola(folder / "cola", train=40, dev=10)
    train_classifier(f"cola:{cola}", folder / "m", ClassifierSettings(method="ngrams"))


def resume_classifier(folder: Path) -> list[str]:
    """The card at the end."""
    with tempfile.TemporaryDirectory() as name:
        out = Path(shutil.copytree(folder / "m", Path(name) / "m"))
        settings = ClassifierSettings(method="ngrams")
        card = train_classifier(f"cola:{folder / 'cola'}", out, settings, resume=True)
    return [repr(card)]


def sweep(folder: Path, place: str) -> None:
    """Two models, one of them scored and measured, and one of its files beside its folder."""
    write_corpus(folder)
    plan = COUNTS.replace("PAIRS", str(folder / "pairs.csv")).replace(', "4k"', "")
    (folder / "sweep.toml").write_text(plan)
    go_on(folder)
    (file,) = (folder / "out").glob(place)
    shutil.copy(file, folder / file.name)


def resume_sweep(folder: Path, place: str) -> list[str]:
    """The table at the end."""
    (file,) = (folder / "out").glob(place)
    shutil.copytree(folder / "out", folder / "kept")
    shutil.copy(folder / file.name, file)
    try:
        return go_on(folder)
    finally:
        shutil.rmtree(folder / "out")
        (folder / "kept").rename(folder / "out")


def go_on(folder: Path) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("priscian.sweeps.curve.write_figures", lambda *_: [])
        found = curve(folder / "sweep.toml", folder / "out", processes=0, only="*-1k-*")
    return [repr((found.table.models, found.table.scores))]


def _sample(
    name: str, file: str, make: Callable[[Path], object], read: Callable[[Path], list[str]],
    *, whole: bool = True, cost: int = 4,
) -> Sample:  # fmt: skip
    return Sample(name, file, make, read, list, whole, fields=True, cost=cost)


def _of_sweep(file: str, place: str) -> Sample:
    # what a record or a card says of its model is in the table: there is no other source of it
    make, read = partial(sweep, place=place), partial(resume_sweep, place=place)
    whole = file == "manifest.json"
    return _sample(f"sweep, {file}", file, make, read, whole=whole, cost=10)


TRAINING: list[Sample] = [
    *(
        _sample(f"resumed training, {file}", f"m/{file}", lstm, resume_lstm, cost=5)
        for file in ("recipe.toml", "log.jsonl", "training/prepared.json")
    ),
    *(
        _sample(f"resumed classifier, {file}", f"m/{file}", classifier, resume_classifier)
        for file in ("classifier.json", "restart-1/restart.json")
    ),
    _of_sweep("manifest.json", "manifest.json"),
    _of_sweep("record.json", "jobs/5-gram-1k-*/record.json"),
    _of_sweep("card.json", "models/5-gram-1k-*/card.json"),
]
