"""Models that `priscian train` makes: their cards, and the options of their model strings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from priscian.files import read_json
from priscian.models.spec import ModelSpec, escape
from priscian.runs.facts import ModelFacts

CARD = "card.json"
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class TrainingText(msgspec.Struct, frozen=True, kw_only=True):
    """What a card says of the corpus."""

    size: str | Count = "all"
    words: Count = 0


class ModelCard(msgspec.Struct, frozen=True, kw_only=True):
    """What analyses read of `card.json`; that of a converted model has less."""

    architecture: str = ""
    corpus: TrainingText = TrainingText()
    tokens_seen: Count = 0
    steps: Count = 0
    seed: int = 0


def read_card(about: ModelFacts) -> ModelCard | None:
    """The card in a model's folder, or beside its file; None if there is none."""
    spec = ModelSpec.parse(about.string)
    path: Path = spec.path / spec.revision if spec.revision else spec.path
    folder = path.parent if path.is_file() else path
    file = folder / CARD
    return read_json(file, ModelCard) if file.is_file() else None


def name_path(path: Path, provider: str = "") -> str:
    """A folder or file as a model string, whatever characters are in it."""
    return f"{provider}:{escape(str(path))}" if provider else escape(str(path))
