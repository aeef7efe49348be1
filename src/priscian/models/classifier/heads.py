"""Heads: from one vector per text, or from its n-grams, to a logit; without torch."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.files import read_json, shown, write_text
from priscian.models.safetensors_file import Floats32, read_safetensors, write_safetensors

Floats = npt.NDArray[np.float64]

SMALLEST = 1e-8
"""A dimension that varies less is constant."""

LONGEST = 3
MOST = 20
"""Words of an n-gram: every text is gone through once for each length."""
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


def standardise(states: Floats32, mean: Floats32, scale: Floats32) -> Floats:
    """Every dimension less its mean, in units of its scale."""
    return (states.astype(np.float64) - mean) / scale


def spread(states: Floats32) -> tuple[Floats32, Floats32]:
    """Mean and standard deviation of every dimension; a constant one has scale 1."""
    mean = states.mean(0, dtype=np.float64)
    scale = states.std(0, dtype=np.float64)
    scale = np.where(scale > SMALLEST, scale, 1.0)
    return mean.astype(np.float32), scale.astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _Standardised:
    """What every head does first, and how it is saved."""

    mean: Floats32  # (width,)
    scale: Floats32  # (width,)

    def save(self, path: Path) -> None:
        """Write every field as safetensors."""
        write_safetensors(
            path, {field.name: np.atleast_1d(getattr(self, field.name)) for field in fields(self)}
        )


@dataclass(frozen=True, slots=True, eq=False)
class LinearHead(_Standardised):
    """Logistic regression on standardised vectors."""

    weights: Floats32  # (width,)
    intercept: float

    def logits(self, states: Floats32) -> Floats:
        """The logit of each row: (texts,)."""
        x = standardise(states, self.mean, self.scale)
        return np.asarray(x @ self.weights.astype(np.float64) + self.intercept)


@dataclass(frozen=True, slots=True, eq=False)
class MlpHead(_Standardised):
    """One hidden layer of rectified units on standardised vectors."""

    inner: Floats32  # (hidden, width)
    inner_bias: Floats32  # (hidden,)
    outer: Floats32  # (hidden,)
    outer_bias: float

    def logits(self, states: Floats32) -> Floats:
        """The logit of each row: (texts,)."""
        x = standardise(states, self.mean, self.scale)
        hidden = np.maximum(x @ self.inner.astype(np.float64).T + self.inner_bias, 0.0)
        return np.asarray(hidden @ self.outer.astype(np.float64) + self.outer_bias)


Head = LinearHead | MlpHead


def read_head(path: Path) -> Head:
    """A head from its file; its parts must fit together."""
    found = read_safetensors(path)
    try:
        mean, scale = found["mean"], found["scale"]
        shapes = {"scale": mean.shape, "weights": mean.shape}
        if "inner" in found:
            hidden = found["inner_bias"].shape
            shapes = {"scale": mean.shape, "inner": (*hidden, *mean.shape), "outer": hidden}
        for name, shape in shapes.items():
            if mean.ndim != 1 or found[name].shape != shape:
                raise ValueError(f"{name} has the shape {found[name].shape}, not {shape}")
        if not (scale >= SMALLEST).all():
            raise ValueError("scale has a value that is not above 0")
        if "inner" not in found:
            return LinearHead(mean, scale, found["weights"], float(found["intercept"][0]))
        inner, bias, outer = found["inner"], found["inner_bias"], found["outer"]
        return MlpHead(mean, scale, inner, bias, outer, float(found["outer_bias"][0]))
    except (KeyError, IndexError, ValueError) as error:
        raise ModelError(
            f"{path} is not the head of a classifier ({error}); train it again"
        ) from None


def words_of(text: str) -> list[str]:
    """Lower-cased words and punctuation marks.

    >>> words_of("John's cat isn't here.")
    ["john's", 'cat', "isn't", 'here', '.']
    """
    return _WORD.findall(text.lower())


def ngrams(text: str, longest: int = LONGEST) -> list[str]:
    """Every n-gram of a text, up to a length; the ends of the text count as words.

    >>> ngrams("She left", 2)
    ['she', 'left', '<s> she', 'she left', 'left </s>']
    """
    words = words_of(text)
    found = list(words)
    closed = ["<s>", *words, "</s>"]
    for n in range(2, longest + 1):
        found += [" ".join(closed[at : at + n]) for at in range(len(closed) - n + 1)]
    return found


def count_ngrams(texts: Sequence[str], vocabulary: Mapping[str, int], longest: int) -> Any:
    """How often each known n-gram occurs: a sparse matrix (texts, vocabulary)."""
    from scipy.sparse import csr_matrix

    columns: list[int] = []
    ends = [0]
    for text in texts:
        columns += [vocabulary[g] for g in ngrams(text, longest) if g in vocabulary]
        ends.append(len(columns))
    made = csr_matrix(
        (np.ones(len(columns)), np.array(columns, np.int64), np.array(ends, np.int64)),
        (len(texts), len(vocabulary)),
    )
    made.sum_duplicates()
    return made


@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """Logistic regression on counts of n-grams."""

    vocabulary: Mapping[str, int]
    weights: Floats32  # (vocabulary,)
    intercept: float
    longest: int = LONGEST

    def logits(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """The logit of each text: (texts,)."""
        counts = count_ngrams(texts, self.vocabulary, self.longest)
        return np.asarray(counts @ self.weights.astype(np.float64) + self.intercept)

    def save(self, folder: Path) -> None:
        """Write vocabulary and weights into a folder."""
        ordered = sorted(self.vocabulary, key=self.vocabulary.__getitem__)
        payload = {"longest": self.longest, "ngrams": ordered}
        write_text(folder / "vocabulary.json", json.dumps(payload, ensure_ascii=False))
        arrays = {"weights": self.weights, "intercept": np.array([self.intercept])}
        write_safetensors(folder / "head.safetensors", arrays)


def read_bag(folder: Path) -> Bag:
    """A bag of n-grams from its folder."""
    file = folder / "vocabulary.json"
    found = read_json(file)
    arrays = read_safetensors(folder / "head.safetensors")
    try:
        listed = found["ngrams"]
        if not isinstance(listed, list) or not all(isinstance(gram, str) for gram in listed):
            raise ValueError("ngrams is not a list of texts")
        vocabulary = {gram: at for at, gram in enumerate(listed)}
        weights = arrays["weights"]
        if weights.shape != (len(vocabulary),):
            raise ValueError("weights and vocabulary differ in size")
        longest = found["longest"]
        if type(longest) is not int or not 1 <= longest <= MOST:
            raise ValueError(f"longest is {shown(longest)}, and 1 to {MOST} are possible")
        return Bag(vocabulary, weights, float(arrays["intercept"][0]), longest)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelError(f"{file} is not a bag of n-grams ({error}); train it again") from None
