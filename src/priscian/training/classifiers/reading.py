"""Read trained classifiers back: their restarts' logits, and which sentences they have seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from priscian.datasets.cola import read_cola
from priscian.errors import ModelError, UsageError
from priscian.files import read_json
from priscian.models import find_provider, parse_model, traits_of
from priscian.models.classifier.encoder import View
from priscian.models.classifier.folder import (
    CARD,
    PROBE,
    TRAINED_ON,
    find_restart,
    read_card,
)
from priscian.models.classifier.provider import CONFIDENCE, ClassifierProvider
from priscian.training.classifiers.data import plain_hash
from priscian.training.classifiers.job import read_logits

__all__ = ["TRAINED_ON", "TrainedOn", "TrainedProbe", "TrainedRestarts", "is_classifier",
           "read_probe", "read_restarts", "seen_in_cola", "trained_on"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrainedRestarts:
    """A classifier: its complete restarts, each with its logits by sentence id."""

    name: str
    data: Path
    select: str
    logits: tuple[Mapping[str, float], ...]
    collapsed: int
    seen: TrainedOn | None = None
    """Its training sentences, where the folder has their hashes."""
    tested: Mapping[str, str] = field(default_factory=dict)
    """Hashes of the sets that it was tested on; empty for those of an older version."""
    recorded: tuple[Mapping[str, float], ...] = ()
    """The correlation of each restart on each set, as computed after training."""


@dataclass(frozen=True, slots=True)
class TrainedProbe:
    """What a probe reads, and the inverse penalty it was fitted with."""

    encoder: str
    view: View
    c: float


@dataclass(frozen=True, slots=True)
class TrainedOn:
    """Hashes of the sentences that a classifier has seen.

    `twin` is equal for classifiers that differ only in their data. `restarts` is the number of
    those from which the best was chosen; 0 where a restart is named.
    """

    hashes: frozenset[str]
    without_sources: tuple[str, ...] = ()
    twin: tuple[str, ...] = ()
    restarts: int = 0

    def has_seen(self, text: str) -> bool:
        """Whether a sentence was among them, case and punctuation aside."""
        return plain_hash(text) in self.hashes


def is_classifier(path: Path) -> bool:
    """Whether a path is the folder of a classifier."""
    return (path / CARD).is_file()


def read_restarts(folder: Path) -> TrainedRestarts:
    """The restarts of a classifier, those of an unfinished one too."""
    card = read_card(folder)
    if not card.restarts:
        raise ModelError(f"{folder} has no complete restart yet; train it with `resume=True`")
    return TrainedRestarts(
        name=folder.name,
        data=Path(card.data.partition(":")[2]),
        select=card.select,
        logits=tuple(read_logits(folder, restart) for restart in card.restarts),
        collapsed=sum(restart.collapsed for restart in card.restarts),
        seen=_training_sentences(folder),
        tested=card.tested,
        recorded=tuple(restart.mcc for restart in card.restarts),
    )


def _training_sentences(folder: Path) -> TrainedOn | None:
    file = folder / TRAINED_ON
    return TrainedOn(frozenset(read_json(file, list[str]))) if file.is_file() else None


def read_probe(folder: Path) -> TrainedProbe:
    """The encoder, view and penalty of a probe that was trained with `priscian train classifier`.

    Whatever else the folder holds is an error.
    """
    card, restart = find_restart(folder)
    if card.method != PROBE:
        raise ModelError(
            f"{folder} is a classifier by {card.method}; give a probe (priscian train classifier "
            "`method=probe`)"
        )
    return TrainedProbe(card.encoder, View.parse(restart.view), float(str(restart.log["c"])))


def trained_on(model: str) -> TrainedOn | None:
    """What a model of a run was trained on; None if it is not a classifier.

    A classifier whose folder, or list of training sentences, is gone is an error.
    """
    try:
        spec = parse_model(model)
        provider = find_provider(spec.provider)
        if not traits_of(spec).grades or not isinstance(provider, ClassifierProvider):
            return None
    except (ModelError, UsageError):  # a plug-in that is gone
        return None
    if not is_classifier(spec.path):
        remedy = "" if spec.path.is_absolute() else "start in the folder where it was scored, or "
        raise ModelError(f"no classifier in {spec.path}; {remedy}put the classifier back")
    card, restart = find_restart(spec.path, spec.revision)
    seen = _training_sentences(spec.path)
    if seen is None:
        raise ModelError(
            f"{spec.path} has no {TRAINED_ON}; resume its training, which writes it again"
        )
    # what two classifiers share that differ only in their data; a named restart has its seed
    which = (spec.revision, str(restart.seed)) if spec.revision else (card.select,)
    settings = json.dumps(card.settings, sort_keys=True)
    kind = spec.options.get("score", CONFIDENCE)
    return replace(
        seen,
        without_sources=card.without_sources,
        twin=(card.method, card.encoder, card.encoder_key, settings, kind, *which),
        restarts=0 if spec.revision else len(card.restarts),
    )


def seen_in_cola(folder: Path) -> TrainedOn:
    """What a published classifier has seen that was trained on all of CoLA's training sentences."""
    return TrainedOn(frozenset(plain_hash(row.text) for row in read_cola(folder, "train")))
