"""Folders that `priscian train` writes: weights, and `config.json` with the architecture."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from priscian.errors import DataError, ModelError
from priscian.files import decode_toml, names_in, regular
from priscian.models.fingerprint import hash_file
from priscian.models.key import ModelKey
from priscian.models.spec import ModelSpec

CLASSIFIER = ("classifier.json", "classifier")
"""The file of a classifier's folder, and its provider."""
PARSER = "span-parser"
"""An architecture of ours that is not a language model."""


class Architecture(NamedTuple):
    """A language model that `priscian train` trains; its recipes are in `training/recipes/`."""

    what: str
    """For help pages."""
    network: str
    """Its class in a module of `models/networks/`; `Shape` is added for that of its sizes."""
    provider: str
    """What scores its folders: `hf` where Transformers reads them."""
    recurrent: bool = True
    """Trained in float32 only."""
    trees: bool = False
    """Trained on trees instead of text."""


ARCHITECTURES: Mapping[str, Architecture] = {
    "gpt2": Architecture(
        "a GPT-2, saved as an ordinary Hugging Face folder", "gpt2.Gpt2", "hf", recurrent=False
    ),
    "lstm": Architecture("an LSTM, which scores on NumPy alone", "lstm.Lstm", "lstm"),
    "on-lstm": Architecture(
        "an ordered-neurons LSTM, which scores on NumPy alone", "on_lstm.OnLstm", "lstm"
    ),
    "rnng": Architecture(
        "a recurrent neural network grammar, from trees", "rnng.Rnng", "rnng", trees=True
    ),
    "transformer-xl": Architecture(
        "a Transformer-XL with relative positions and memory", "transformer_xl.TransformerXl",
        "txl", recurrent=False,
    ),
}  # fmt: skip
PARTS = ("config.json", "model.safetensors", "tokenizer.json", "vocabulary.json")


def provider_of(folder: Path) -> str | None:
    """The provider of a folder of ours, or None for any other folder."""
    if (folder / CLASSIFIER[0]).is_file():
        return CLASSIFIER[1]
    architecture = architecture_of(folder)
    if architecture == PARSER:
        raise ModelError(
            f"{folder} holds a parser, which gives trees and no probabilities; use it with "
            f"priscian parse FILE `model={folder}`"
        )
    known = ARCHITECTURES.get(architecture)
    return known.provider if known is not None and known.provider != "hf" else None


def architecture_of(folder: Path) -> str:
    """The architecture that `config.json` names; "" if the folder is not one of ours.

    A training that has not ended has checkpoints and a recipe, but no configuration yet.
    """
    file = folder / "config.json"
    if not file.is_file():
        return str(_read_recipe(folder).get("architecture", ""))
    config = _read_object(file)
    return "" if "model_type" in config else str(config.get("architecture", ""))


def trained_on_sentences(folder: Path) -> bool:
    """Whether `priscian train` made a folder or a checkpoint from single sentences."""
    card = _read_object(folder / "card.json")
    if "pack" in card:
        return bool(card["pack"] == "sentence")
    training = folder.parent if folder.name.startswith("tokens-") else folder
    text = _read_recipe(training).get("text")  # cards of 0.1 do not say
    return isinstance(text, dict) and text.get("pack") == "sentence"


def _read_object(file: Path) -> dict[str, Any]:
    """A JSON object; {} if there is none that can be read."""
    try:
        found = json.loads(regular(file).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _read_recipe(folder: Path) -> dict[str, Any]:
    try:
        return decode_toml(regular(folder / "recipe.toml").read_text("utf-8"), "")
    except (OSError, ValueError, DataError):
        return {}


def model_folder(spec: ModelSpec) -> Path:
    """The folder of a model, or of its checkpoint if the spec has a revision."""
    folder = spec.path / spec.revision if spec.revision else spec.path
    if not (folder / "model.safetensors").is_file():
        raise ModelError(
            f"{folder} has no model.safetensors; give a folder that priscian train has finished, "
            "or a checkpoint in it: DIR@tokens-N"
        )
    return folder


def read_config(folder: Path, architectures: Sequence[str]) -> dict[str, Any]:
    """`config.json` of one of these architectures."""
    file = folder / "config.json"
    try:
        config = json.loads(regular(file).read_text("utf-8"))
    except OSError as error:
        raise ModelError(
            f"cannot read {file}: {error.strerror}; check the path and its permissions"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{file} is not valid JSON ({error}); copy the folder again") from None
    name = config.get("architecture") if isinstance(config, dict) else None
    if name not in architectures:
        raise _other_kind(folder, name or "a model of another kind", architectures)
    return config  # type: ignore[no-any-return]


def _other_kind(folder: Path, name: str, architectures: Sequence[str]) -> ModelError:
    if PARSER not in architectures:
        return ModelError(
            f"{folder} holds {name}, not {' or '.join(architectures)}; give the bare path, which "
            "finds the provider"
        )
    grammar = name == "rnng"
    trees = (
        f"; trees of the grammar itself: priscian surprisal rnng:{folder} `file=FILE` `trees=True`"
    )
    return ModelError(
        f"{folder} holds {'a grammar' if grammar else name}, not a parser; train one: priscian "
        f"parse `train=TREES` `out=DIR`{trees if grammar else ''}"
    )


def folder_key(folder: Path, provider: str) -> ModelKey:
    """The key of a folder: a hash of its files."""
    hashes = {
        name.partition(".")[0]: hash_file(folder / name)
        for name in PARTS
        if (folder / name).is_file()
    }
    return ModelKey({"provider": provider, "method": "folder", **hashes})


def checkpoints(spec: ModelSpec, pattern: str) -> list[ModelSpec]:
    """The model at every checkpoint folder whose name matches, by the number in the name."""
    return [
        spec.at(name)
        for name in names_in(spec.path, pattern)
        if (spec.path / name / "model.safetensors").is_file()
    ]
