"""Smaller models: every value is one of 256 codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.models.ngram.trie import Level, Trie

Array = npt.NDArray[Any]
CODES = 256


def quantise(trie: Trie) -> Trie:
    """Every probability and back-off of order 2 and above as a code of eight bits.

    The codes of an order are means of equally many values each (Federico & Bertoldi 2006); a
    back-off of exactly 0 stays so.
    """
    levels = [trie.levels[0]]
    for level in trie.levels[1:]:
        probs, prob_codes = bin_values(np.asarray(level.probs, np.float64), zero=False)
        backoffs, backoff_codes = None, None
        if level.backoffs is not None:
            backoffs, backoff_codes = bin_values(np.asarray(level.backoffs, np.float64), zero=True)
        levels.append(Level(level.words, probs, backoffs, level.begin, prob_codes, backoff_codes))
    return Trie(trie.words, tuple(levels))


def bin_values(values: Array, zero: bool) -> tuple[Array, Array]:
    """Codes of values, and the value of each code; code 0 is exactly 0 where `zero` is asked."""
    own = values[values != 0] if zero else values
    room = CODES - int(zero)
    distinct = np.unique(own)
    if len(distinct) <= room:
        centres = distinct
    else:
        parts = np.array_split(np.sort(own), room)
        centres = np.unique([part.mean() for part in parts if len(part)])
    if not len(centres):
        centres = np.zeros(1)
    nearest = np.searchsorted((centres[1:] + centres[:-1]) / 2, values).astype(np.uint8)
    if not zero:
        return nearest, centres.astype(np.float32)
    codes = np.where(values == 0, 0, nearest + 1).astype(np.uint8)
    return codes, np.concatenate(([0.0], centres)).astype(np.float32)
