"""Vocabularies of the models that we train: whole words with UNK classes, or byte-level BPE."""

from __future__ import annotations

import json
from pathlib import Path

from priscian.errors import DataError, ModelError
from priscian.models.fingerprint import read_bytes
from priscian.models.vocabulary.words import (
    BOUNDARY_ID,
    BpeVocabulary,
    Coded,
    Vocabulary,
    WordVocabulary,
    unk_class,
)

__all__ = [
    "BOUNDARY_ID",
    "BpeVocabulary",
    "Coded",
    "Vocabulary",
    "WordVocabulary",
    "load_vocabulary",
    "unk_class",
]


def load_vocabulary(folder: Path) -> Vocabulary:
    """The vocabulary of a trained model's folder."""
    if (folder / "tokenizer.json").is_file():
        return BpeVocabulary.read(folder)
    file = folder / "vocabulary.json"
    if not file.exists():
        raise ModelError(f"{folder} has neither tokenizer.json nor vocabulary.json")
    try:
        return WordVocabulary.from_dict(json.loads(read_bytes(file).decode()))
    except (ValueError, RecursionError, DataError) as error:
        raise ModelError(f"{file} cannot be read: {error}; copy the folder again") from None
