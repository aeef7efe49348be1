"""Compressed models: eight-bit codes, small differences, xz; unpacked into memory.

In a packed file `begin` is written as the number of children of each n-gram, and words as their
distance from the word before them under the same n-gram: both are small numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.models.ngram.pngm import pack_file
from priscian.models.ngram.quantise import quantise
from priscian.models.ngram.trie import Level, Trie
from priscian.models.ngram.trie_check import UnsoundError
from priscian.models.ngram.trie_file import open_trie, save_trie

Array = npt.NDArray[Any]


def pack_model(path: Path, packed: Path, facts: dict[str, object] | None = None) -> None:
    """A small copy of a model file, for shipping."""
    trie, own = open_trie(path)
    plain = packed.with_name(f".{packed.name}.plain")
    try:
        small = differences(quantise(trie))
        save_trie(small, own | (facts or {}) | {"quantised": 8, "differences": True}, plain)
        pack_file(plain, packed)
    finally:
        plain.unlink(missing_ok=True)


def differences(trie: Trie) -> Trie:
    """Children and words as small numbers."""
    levels = []
    begin: Array | None = None
    for level in trie.levels:
        words = level.words
        if words is not None and begin is not None:
            words = np.diff(words.astype(np.int64), prepend=0)
            firsts = np.unique(begin[:-1].astype(np.int64)[np.diff(begin.astype(np.int64)) > 0])
            assert level.words is not None
            words[firsts] = level.words[firsts]
        begin = level.begin
        levels.append(_with(level, words, None if begin is None else np.diff(begin.astype(int))))
    return Trie(trie.words, tuple(levels))


def sums(trie: Trie) -> Trie:
    """The inverse of `differences`; UnsoundError if the sizes do not fit."""
    levels: list[Level] = []
    below: Array | None = None
    for n, level in enumerate(trie.levels, 1):
        words = level.words
        if words is not None and below is not None:
            if int(below[-1]) != len(words):
                raise UnsoundError(f"the child ranges of {n}-grams do not cover them")
            run = np.cumsum(words, dtype=np.int64)
            starts = below[:-1][np.diff(below) > 0]
            before = np.where(starts > 0, run[starts - 1], 0)
            run -= np.repeat(before, np.diff(np.append(starts, len(run))))
            words = run.astype(words.dtype)
        begin = level.begin
        if begin is not None:
            if begin.dtype.kind != "u" or (len(begin) and int(begin.max()) > 1 << 32):
                raise UnsoundError(f"the numbers of {n + 1}-grams are of a wrong type")
            begin = np.concatenate(([0], np.cumsum(begin, dtype=np.int64)))
        below = begin
        levels.append(_with(level, words, begin))
    return Trie(trie.words, tuple(levels))


def _with(level: Level, words: Array | None, begin: Array | None) -> Level:
    if begin is not None:
        begin = begin.astype(np.uint32)
    return Level(words, level.probs, level.backoffs, begin, level.prob_codes, level.backoff_codes)
