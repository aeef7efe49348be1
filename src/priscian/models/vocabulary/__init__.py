"""Vocabularies of the models that we train: whole words with UNK classes, or byte-level BPE."""

from __future__ import annotations

import json
from pathlib import Path

from priscian.errors import DataError, ModelError
from priscian.files import regular
from priscian.models.vocabulary.bpe import BpeVocabulary
from priscian.models.vocabulary.words import (
    BOUNDARY_ID,
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
    try:
        return WordVocabulary.from_dict(json.loads(regular(file).read_text("utf-8")))
    except FileNotFoundError:
        raise ModelError(f"{folder} has neither tokenizer.json nor vocabulary.json") from None
    except OSError as error:
        raise ModelError(
            f"cannot read {file}: {error.strerror}; check the path and its permissions"
        ) from None
    except (ValueError, RecursionError, DataError) as error:
        raise ModelError(f"{file} cannot be read: {error}; copy the folder again") from None
