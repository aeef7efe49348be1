"""Checks the numbers of a model file: sizes match, ids exist, values are finite.

Checksums find damage. These checks find files that were written wrongly, before a look-up reads
beyond an array or a score becomes NaN. Arrays may be larger than memory, so they are read in parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.models.ngram.trie import Level, Trie
from priscian.models.ngram.words import SPECIAL

Array = npt.NDArray[Any]

PART = 1 << 22
HIGHEST = 1e-3
"""Log10 of the largest probability; rounding may leave it slightly above 0."""
LOWEST = -1e4


class UnsoundError(ValueError):
    """What is wrong with the numbers of a model."""


def check_trie(trie: Trie) -> None:
    """Raise UnsoundError if the arrays of a trie do not fit together."""
    words = len(trie.words)
    if trie.words[: len(SPECIAL)] != SPECIAL:
        raise UnsoundError(f"its vocabulary does not begin with {' '.join(SPECIAL)}")
    if len(set(trie.words)) != words or "" in trie.words:
        raise UnsoundError("its vocabulary has a word twice, or an empty one")
    size = words
    for n, level in enumerate(trie.levels, 1):
        following = trie.levels[n] if n < trie.order else None
        _check_sizes(n, level, size, following)
        _check_values(f"probabilities of {n}-grams", level.probs, level.prob_codes, HIGHEST)
        if level.backoffs is not None:
            _check_values(f"back-offs of {n}-grams", level.backoffs, level.backoff_codes, -LOWEST)
        if level.begin is not None and following is not None:
            _check_children(n, level.begin, following, words)
            size = int(level.begin[-1])


def _check_sizes(n: int, level: Level, size: int, following: Level | None) -> None:
    if len(level.probs) != size or (level.words is not None and len(level.words) != size):
        raise UnsoundError(f"its {n}-grams have {len(level.probs):,} probabilities, not {size:,}")
    if following is None:
        return
    if level.backoffs is None or level.begin is None or following.words is None:
        raise UnsoundError(f"its {n}-grams have no back-offs or no child ranges")
    if len(level.backoffs) != size or len(level.begin) != size + 1:
        raise UnsoundError(f"its {n}-grams have a wrong number of back-offs or child ranges")
    if following.words.dtype.kind != "u" or level.begin.dtype.kind != "u":
        raise UnsoundError(f"ids or places of its {n + 1}-grams are not whole numbers")


def _check_values(what: str, values: Array, codes: Array | None, highest: float) -> None:
    if codes is not None:
        if values.dtype.kind != "u" or codes.dtype.kind != "f":
            raise UnsoundError(f"the codes of the {what} are of a wrong type")
        if any(int(part.max()) >= len(codes) for part in _parts(values)):
            raise UnsoundError(f"the {what} have a code that has no value")
        values = codes
    if values.dtype.kind != "f":
        raise UnsoundError(f"the {what} are of a wrong type")
    for part in _parts(values):
        # comparisons with NaN are false
        if not (float(part.min()) >= LOWEST and float(part.max()) <= highest):
            raise UnsoundError(f"the {what} have an impossible value")


def _check_children(n: int, begin: Array, following: Level, words: int) -> None:
    """The children of each n-gram follow those of the one before, sorted by their words."""
    outer = following.words
    assert outer is not None
    if int(begin[0]) != 0 or int(begin[-1]) != len(outer):
        raise UnsoundError(f"the child ranges of {n + 1}-grams do not cover them")
    for at in range(0, len(begin) - 1, PART):
        stretch = begin[at : at + PART + 1]
        if (stretch[1:] < stretch[:-1]).any():
            raise UnsoundError(f"the child ranges of {n + 1}-grams are not in order")
    for at in range(0, len(outer), PART):
        stretch = outer[at : at + PART + 1]
        if int(stretch.max()) >= words:
            raise UnsoundError(f"a {n + 1}-gram has a word that is not in the vocabulary")
        falls = np.flatnonzero(stretch[1:] <= stretch[:-1]) + (at + 1)
        # a word may be lower than the one before only where another n-gram's children begin
        found = np.searchsorted(begin, falls.astype(begin.dtype))
        if len(falls) and (begin[found] != falls).any():
            raise UnsoundError(f"the {n + 1}-grams are not sorted")


def _parts(values: Array) -> Iterator[Array]:
    for at in range(0, len(values), PART):
        yield values[at : at + PART]
