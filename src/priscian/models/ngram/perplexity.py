"""Log-probabilities of many sentences, with and without unknown words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from priscian.models.ngram.words import UNK
from priscian.models.protocol import Measured

if TYPE_CHECKING:
    from priscian.models.ngram.model import NgramModel

SENTENCES = 20_000


def measure_sentences(model: NgramModel, sentences: Iterable[str]) -> Measured:
    """Σ log p over all words and `</s>`, as KenLM's `query` counts; and over known words.

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
    return Measured(total, known, words, count, unknown)
