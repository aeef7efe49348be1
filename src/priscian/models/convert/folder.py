"""What every conversion ends in: a folder of ours, with where its weights came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import DataError, ModelError, UsageError
from priscian.files import filling, is_free, read_text, write_json
from priscian.files.reading import hash_of
from priscian.models.convert.inert import InertError
from priscian.models.convert.torch_file import (
    Array,
    TorchFile,
    mapping,
    read_pickled,
    read_torch_file,
    unreadable,
)
from priscian.models.safetensors_file import LARGEST, read_safetensors, write_safetensors
from priscian.models.vocabulary import WordVocabulary
from priscian.models.vocabulary.tokenise import Tokenisation

BOUNDARIES = ("<eos>", "</s>", "<s>")
UNKNOWNS = ("<unk>", "<UNK>", "UNK", "<unk/>")
MOST_WORDS = 5_000_000
WEIGHTS = "model.safetensors"


@dataclass(frozen=True, slots=True)
class Converted:
    """What was written: the folder, and what `card.json` in it says."""

    folder: Path
    card: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WordList:
    """Words in the order of the weights' rows, and how to bring them into ours."""

    words: tuple[str, ...]
    boundary: str
    unknown: str

    @property
    def order(self) -> npt.NDArray[np.int64]:
        """Rows in our order: the boundary first, the others as they were."""
        first = self.words.index(self.boundary)
        return np.array([first, *range(first), *range(first + 1, len(self.words))])

    def vocabulary(self, words: str) -> WordVocabulary:
        """Our vocabulary: the boundary is word 0."""
        return WordVocabulary(
            [self.words[row] for row in self.order.tolist()],
            Tokenisation.of(words, "keep"),
            classes=False,
            boundary=self.boundary,
            unknown=self.unknown,
        )


def read_words(path: Path, words: Sequence[object] | None = None) -> WordList:
    """A list of words, one for each row of the weights: a text file, or what a pickle had."""
    listed: Sequence[object] = read_text(path).split() if words is None else words
    if len(listed) > MOST_WORDS or not all(isinstance(word, str) for word in listed):
        raise DataError(f"{path}: not a list of up to {MOST_WORDS:,} words; give the vocabulary")
    known: dict[str, int] = {}
    plain = [str(word) for word in listed]
    for number, word in enumerate(plain):
        if word in known:  # the last one counts; a word with a space in it is never met
            plain[known[word]] = f"{word} (line {known[word] + 1})"
        known[word] = number
    found = []
    for what, names in (("the boundary of sentences", BOUNDARIES), ("unknown words", UNKNOWNS)):
        name = next((name for name in names if name in known), None)
        if name is None:
            raise DataError(f"{path} has no word for {what}; it needs one of {', '.join(names)}")
        found.append(name)
    return WordList(tuple(plain), *found)


def read_pickled_words(path: Path) -> WordList:
    """The words of a pickled vocabulary: its list `idx2sym`.

    Transformers 4 has `vocab.bin` by `torch.save` and `vocab.pkl` by `pickle.dump`.
    """
    value = read_pickled(path)
    facts = mapping(value)
    if not facts and isinstance(state := getattr(value, "state", None), dict):
        facts = state
    words = facts.get("idx2sym")
    if not isinstance(words, list):
        raise DataError(f"{path} has no list idx2sym of words; give the vocabulary, or a text file")
    return read_words(path, words)


def read_arrays(path: Path) -> tuple[dict[str, Array], TorchFile | None]:
    """Arrays of a weights file by name, without the prefixes that wrappers add."""
    file: TorchFile | None = None
    if path.suffix == ".safetensors":
        arrays: dict[str, Array] = dict(read_safetensors(path))
    else:
        file = read_torch_file(path)
        try:
            arrays = file.arrays()
        except InertError as error:
            raise unreadable(path, error) from None
    for prefix in ("module.", "transformer."):
        arrays = {name.removeprefix(prefix): array for name, array in arrays.items()}
    return arrays, file


def need(path: Path, arrays: Mapping[str, Array], name: str, *shape: int) -> Array:
    """An array of this name and shape; a size of 0 may be anything."""
    array = arrays.get(name)
    if array is None:
        raise ModelError(f"{path} has no array {name!r}; it is a model of another kind")
    right = array.ndim == len(shape) and all(w in (0, s) for s, w in zip(array.shape, shape,
                                                                      strict=True))  # fmt: skip
    if not right or 0 in array.shape or array.dtype.kind != "f":
        raise ModelError(
            f"{path}: the array {name!r} has the shape {array.shape}, which does not fit; it is a "
            "model of another kind"
        )
    # comparisons with NaN are false
    low, high = float(array.min()), float(array.max())
    if not (isfinite(low) and isfinite(high) and low >= -LARGEST and high <= LARGEST):
        raise ModelError(f"{path}: the array {name!r} has a weight that is not a finite number")
    return array


def check_out(out: Path) -> None:
    """Refuse a folder that has something in it."""
    if not is_free(out):
        raise UsageError(f"{out} is not an empty folder; name a new `out=`")


def write_folder(
    out: Path,
    config: Mapping[str, object],
    arrays: Mapping[str, Array],
    vocabulary: WordVocabulary,
    sources: Sequence[Path],
) -> Converted:
    """Write the folder atomically."""
    card = {
        "architecture": config["architecture"],
        "parameters": int(sum(array.size for array in arrays.values())),
        "vocabulary": vocabulary.size,
        "closed_vocabulary": True,
        "converted_from": [{"file": path.name, "sha256": hash_of(path)} for path in sources],
    }
    with filling(out, last=WEIGHTS) as made:
        write_json(made / "config.json", dict(config))
        vocabulary.save(made)
        write_json(made / "card.json", card)
        write_safetensors(made / WEIGHTS, arrays)
    return Converted(out, card)
