"""Perplexity on held-out text, with and without unknown words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from priscian.models.ngram.model import NgramModel
from priscian.models.ngram.words import UNK

SENTENCES = 20_000


@dataclass(frozen=True, slots=True)
class Perplexity:
    """Per word, ends of sentences counted as words, as KenLM's `query` reports it."""

    with_unknown: float
    without_unknown: float
    words: int
    sentences: int
    unknown: int


def measure_perplexity(model: NgramModel, sentences: Iterable[str]) -> Perplexity:
    """exp(-mean log p) over all words and `</s>`; and over those that the model knows.

    A word after an unknown one is counted in both, in its shortened context.
    """
    rest = iter(sentences)
    total = known = 0.0
    words = count = unknown = 0
    while block := list(islice(rest, SENTENCES)):
        coded = model.encode(block)
        ids = np.array(coded.ids, np.int32)
        logps, ends = model.with_ends(ids, coded.lengths)
        unseen = ids == UNK
        total += math.fsum(logps) + math.fsum(ends)
        known += math.fsum(logps[~unseen]) + math.fsum(ends)
        words += len(ids)
        count += len(block)
        unknown += int(np.count_nonzero(unseen))
    if not count:
        return Perplexity(math.nan, math.nan, 0, 0, 0)
    return Perplexity(
        math.exp(-total / (words + count)),
        math.exp(-known / (words + count - unknown)),
        words,
        count,
        unknown,
    )
