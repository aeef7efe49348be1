"""A trie in a `.pngm` file: read and checked, written, and made small for shipping.

Checksums find damage. The checks here find files that were written wrongly, before a look-up reads
beyond an array or a score becomes NaN. Arrays may be larger than memory, so they are read in parts.

A packed file has eight-bit codes and is compressed by xz. In it `begin` is written as the number of
children of each n-gram, and words as their distance from the word before them under the same
n-gram: both are small numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.errors import ModelError
from priscian.files import shown
from priscian.models.ngram.pngm import Contents, Writer, pack_file, read_file, writing
from priscian.models.ngram.trie import SPECIAL, Level, Trie

Array = npt.NDArray[Any]

PART = 1 << 22
HIGHEST = 1e-3
"""Log10 of the largest probability; rounding may leave it slightly above 0."""
LOWEST = -1e4

CODES = 256

MOST_ORDER = 32


class UnsoundTrieError(ValueError):
    """What is wrong with the numbers of a model."""


def check_trie(trie: Trie) -> None:
    """Raise UnsoundTrieError if the arrays of a trie do not fit together."""
    words = len(trie.words)
    if trie.words[: len(SPECIAL)] != SPECIAL:
        raise UnsoundTrieError(f"its vocabulary does not begin with {' '.join(SPECIAL)}")
    if len(set(trie.words)) != words or "" in trie.words:
        raise UnsoundTrieError("its vocabulary has a word twice, or an empty one")
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
        raise UnsoundTrieError(
            f"its {n}-grams have {len(level.probs):,} probabilities, not {size:,}"
        )
    if following is None:
        return
    if level.backoffs is None or level.begin is None or following.words is None:
        raise UnsoundTrieError(f"its {n}-grams have no back-offs or no child ranges")
    if len(level.backoffs) != size or len(level.begin) != size + 1:
        raise UnsoundTrieError(f"its {n}-grams have a wrong number of back-offs or child ranges")
    if following.words.dtype.kind != "u" or level.begin.dtype.kind != "u":
        raise UnsoundTrieError(f"ids or places of its {n + 1}-grams are not whole numbers")


def _check_values(what: str, values: Array, codes: Array | None, highest: float) -> None:
    if codes is not None:
        if values.dtype.kind != "u" or codes.dtype.kind != "f":
            raise UnsoundTrieError(f"the codes of the {what} are of a wrong type")
        if any(int(part.max()) >= len(codes) for part in _parts(values)):
            raise UnsoundTrieError(f"the {what} have a code that has no value")
        values = codes
    if values.dtype.kind != "f":
        raise UnsoundTrieError(f"the {what} are of a wrong type")
    for part in _parts(values):
        # comparisons with NaN are false
        if not (float(part.min()) >= LOWEST and float(part.max()) <= highest):
            raise UnsoundTrieError(f"the {what} have an impossible value")


def _check_children(n: int, begin: Array, following: Level, words: int) -> None:
    """The children of each n-gram follow those of the one before, sorted by their words."""
    outer = following.words
    assert outer is not None
    if int(begin[0]) != 0 or int(begin[-1]) != len(outer):
        raise UnsoundTrieError(f"the child ranges of {n + 1}-grams do not cover them")
    for at in range(0, len(begin) - 1, PART):
        stretch = begin[at : at + PART + 1]
        if (stretch[1:] < stretch[:-1]).any():
            raise UnsoundTrieError(f"the child ranges of {n + 1}-grams are not in order")
    for at in range(0, len(outer), PART):
        stretch = outer[at : at + PART + 1]
        if int(stretch.max()) >= words:
            raise UnsoundTrieError(f"a {n + 1}-gram has a word that is not in the vocabulary")
        falls = np.flatnonzero(stretch[1:] <= stretch[:-1]) + (at + 1)
        # a word may be lower than the one before only where another n-gram's children begin
        found = np.searchsorted(begin, falls.astype(begin.dtype))
        if len(falls) and (begin[found] != falls).any():
            raise UnsoundTrieError(f"the {n + 1}-grams are not sorted")


def _parts(values: Array) -> Iterator[Array]:
    for at in range(0, len(values), PART):
        yield values[at : at + PART]


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


def open_trie(path: Path) -> tuple[Trie, dict[str, Any]]:
    """The model in a file, and its description; its numbers are checked."""
    contents = read_file(path)
    try:
        order = contents.facts["order"]
        if not isinstance(order, int) or not 1 <= order <= MOST_ORDER:
            raise UnsoundTrieError(f"its order is {shown(order)}")
        words = tuple(contents.arrays["vocabulary"].tobytes().decode().split("\n"))
        trie = Trie(words, tuple(_level(contents, n, order) for n in range(1, order + 1)))
        if contents.facts.get("differences"):
            trie = sums(trie)
        check_trie(trie)
    except KeyError as error:
        raise ModelError(f"{path} lacks {error}; train it again with this version") from None
    except (UnsoundTrieError, UnicodeError) as error:
        raise ModelError(
            f"{path} is not a sound model, though its checksums are right: {error}; train it again"
        ) from None
    return trie, contents.facts


def _level(contents: Contents, n: int, order: int) -> Level:
    arrays = contents.arrays
    lower = n < order
    return Level(
        words=arrays[f"words{n}"] if n > 1 else None,
        probs=arrays[f"prob{n}"],
        backoffs=arrays[f"backoff{n}"] if lower else None,
        begin=arrays[f"begin{n}"] if lower else None,
        prob_codes=arrays.get(f"prob_codes{n}"),
        backoff_codes=arrays.get(f"backoff_codes{n}") if lower else None,
    )


def save_trie(trie: Trie, facts: dict[str, Any], path: Path) -> None:
    """Write a model to a file, with a temporary name until it is complete."""
    with writing(path) as file:
        writer = Writer(file)
        writer.add("vocabulary", np.frombuffer("\n".join(trie.words).encode(), np.uint8))
        ids = np.uint16 if len(trie.words) <= 1 << 16 else np.uint32
        for n, level in enumerate(trie.levels, 1):
            named: dict[str, Array | None] = {
                f"words{n}": None if level.words is None else level.words.astype(ids),
                f"prob{n}": level.probs,
                f"prob_codes{n}": level.prob_codes,
                f"backoff{n}": level.backoffs,
                f"backoff_codes{n}": level.backoff_codes,
                f"begin{n}": level.begin,
            }
            for name, values in named.items():
                if values is not None:
                    writer.add(name, values)
        writer.finish({"order": trie.order} | facts)


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
    """The inverse of `differences`; UnsoundTrieError if the sizes do not fit."""
    levels: list[Level] = []
    below: Array | None = None
    for n, level in enumerate(trie.levels, 1):
        words = level.words
        if words is not None and below is not None:
            if int(below[-1]) != len(words):
                raise UnsoundTrieError(f"the child ranges of {n}-grams do not cover them")
            run = np.cumsum(words, dtype=np.int64)
            starts = below[:-1][np.diff(below) > 0]
            before = np.where(starts > 0, run[starts - 1], 0)
            run -= np.repeat(before, np.diff(np.append(starts, len(run))))
            words = run.astype(words.dtype)
        begin = level.begin
        if begin is not None:
            if begin.dtype.kind != "u" or (len(begin) and int(begin.max()) > 1 << 32):
                raise UnsoundTrieError(f"the numbers of {n + 1}-grams are of a wrong type")
            begin = np.concatenate(([0], np.cumsum(begin, dtype=np.int64)))
        below = begin
        levels.append(_with(level, words, begin))
    return Trie(trie.words, tuple(levels))


def _with(level: Level, words: Array | None, begin: Array | None) -> Level:
    if begin is not None:
        begin = begin.astype(np.uint32)
    return Level(words, level.probs, level.backoffs, begin, level.prob_codes, level.backoff_codes)
