"""Bag of n-grams: a classifier that sees which words stand side by side, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.files import read_json, shown, write_text
from priscian.models.safetensors_file import Floats32, read_safetensors, write_safetensors

LONGEST = 3
MOST = 20
"""Words of an n-gram: every text is gone through once for each length."""
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


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
