"""A bounded suffix array of a corpus, bucket by bucket: every n-gram of every order in one sort.

Positions are sorted by their word, then the word before it, and so on to the order of the model.
The n-grams of each order are then runs of neighbours, and the runs of order n lie within those of
order n - 1: counts, adjusted counts and the parents of the trie are differences of run starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.models.ngram.trie import BOS, EOS
from priscian.training.ngram.spill import Kept, Places, Positions, Workspace

Ints = npt.NDArray[np.intp]
Bytes = npt.NDArray[np.uint8]

BUCKET = 1 << 20
"""Positions that are sorted at a time: few enough to stay near the processor."""


@dataclass(frozen=True, slots=True)
class Sorted:
    """A bucket: all positions whose words have ids in [first, last).

    `level[k]` is the lowest order at which slot k differs from the slot before it, and `depth[k]`
    the order at which its n-gram begins with `<s>`, or order + 1.
    """

    first: int
    last: int
    places: Places  # ascending positions of the corpus
    slots: Places  # index into `places` of each slot
    level: Bytes
    depth: Bytes

    def runs(self, order: int) -> Iterator[tuple[int, Runs]]:
        """The n-grams of every order, from the highest to unigrams."""
        starts: Ints = np.flatnonzero(self.level <= order)
        children: Ints | None = None
        for n in range(order, 0, -1):
            if n < order:
                inner: Ints = np.flatnonzero(self.level[starts] <= n)
                children = sizes_of(inner, len(starts))
                starts = starts[inner]
            yield n, Runs(starts, sizes_of(starts, len(self.level)), children)

    def runs_of(self, n: int) -> Runs:
        """The n-grams of one order."""
        starts: Ints = np.flatnonzero(self.level <= n)
        return Runs(starts, sizes_of(starts, len(self.level)), None)


def sizes_of(starts: Ints, end: int) -> Ints:
    """How far it is from each start to the next, and from the last to the end."""
    sizes = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=sizes[:-1])
    sizes[-1:] = end - starts[-1:]
    return sizes


@dataclass(frozen=True, slots=True)
class Runs:
    """N-grams of one order in a bucket, in order; too short ones (depth < n) are among them."""

    starts: Ints
    sizes: Ints  # how often each occurs
    children: Ints | None  # how many runs of the next order lie in each


@dataclass(frozen=True, slots=True)
class Shelved:
    """A sorted bucket, put aside."""

    first: int
    last: int
    parts: tuple[Kept, ...]

    @property
    def sorted(self) -> Sorted:
        """The bucket again."""
        places, slots, level, depth = (part.load() for part in self.parts)
        return Sorted(self.first, self.last, places, slots, level, depth)


def shelve(bucket: Sorted, workspace: Workspace) -> Shelved:
    """Put a sorted bucket aside."""
    arrays = (bucket.places, bucket.slots, bucket.level, bucket.depth)
    return Shelved(bucket.first, bucket.last, tuple(workspace.keep(a) for a in arrays))


def cut_buckets(counts: Ints, limit: int) -> list[tuple[int, int]]:
    """Ranges of word ids, each with at most `limit` positions unless it is one word.

    >>> cut_buckets(np.array([0, 0, 5, 9, 1, 1]), 8)
    [(0, 3), (3, 4), (4, 6)]
    """
    cuts: list[tuple[int, int]] = []
    first, held = 0, 0
    for word, count in enumerate(counts.tolist()):
        if held and held + count > limit:
            cuts.append((first, word))
            first, held = word, 0
        held += count
    cuts.append((first, len(counts)))
    return cuts


def find_places(tokens: Positions, first: int, last: int, pads: int) -> Places:
    """Ascending positions of the words with ids in [first, last)."""
    found = []
    for start, block in tokens.blocks(1 << 22):
        here = np.flatnonzero((block >= first) & (block < last)).astype(np.int32)
        here += np.int32(start)
        found.append(here[(here >= pads) & (here < tokens.length - 1)] if first <= EOS else here)
    return np.concatenate(found) if found else np.zeros(0, np.int32)


def sort_bucket(
    tokens: Positions, first: int, last: int, order: int, vocabulary: int, pads: int
) -> Sorted:
    """Sort the positions of a bucket by as many words as the order of the model."""
    places = find_places(tokens, first, last, pads)
    size = len(places)
    word = tokens.take(places)
    level = np.full(size, order + 1, np.uint8)
    depth = np.full(size, order + 1, np.uint8)
    bits = max(1, (size - 1).bit_length())
    slots = np.arange(size, dtype=np.int32)
    if size:
        level[0] = 1
    if order == 1:
        slots = np.argsort(word, kind="stable").astype(np.int32)
        _mark(level, word[slots], 1)
        return Sorted(first, last, places, slots, level, depth)
    closed = np.zeros(size, np.bool_)  # the sentence began at or before this column
    for n in range(2, order + 1):
        column = tokens.take(places - np.int32(n - 1))
        begins = (column == EOS) & ~closed
        depth[begins] = n
        closed |= begins
        column[closed] = BOS
        if n == 2:
            key = (word - np.int32(first)).astype(np.uint64) * np.uint64(vocabulary)
            key += column.astype(np.uint64)
            pair, slots = _sort(key, slots, bits)
            _mark(level, pair, 2)
            _mark(level, word[slots], 1)
        else:
            _refine(level, depth, slots, column, n, vocabulary, bits)
    return Sorted(first, last, places, slots, level, depth[slots])


def _refine(
    level: Bytes,
    depth: Bytes,
    slots: Places,
    column: Places,
    n: int,
    vocabulary: int,
    bits: int,
) -> None:
    """Sort within the runs of order n - 1 by one more column; unique and closed runs stay."""
    begins = level < n
    alone = begins.copy()
    alone[:-1] &= begins[1:]
    active = np.flatnonzero(~alone & (depth[slots] >= n))
    if not len(active):
        return
    run = np.cumsum(begins, dtype=np.uint32)[active]
    inside = slots[active]
    key = run.astype(np.uint64) * np.uint64(vocabulary)
    key += column[inside].astype(np.uint64)
    key, inside = _sort(key, inside, bits)
    slots[active] = inside
    changed = active[1:][key[1:] != key[:-1]]
    level[changed[level[changed] > n]] = n


def _sort(
    key: npt.NDArray[np.uint64], slots: Places, bits: int
) -> tuple[npt.NDArray[np.uint64], Places]:
    """Keys in order and the slots that go with them.

    The slot travels in the low bits of the key: sorting plain integers is four times as fast as
    sorting indices. Only when the bits do not suffice are indices sorted.
    """
    if int(key.max()).bit_length() + bits > 64:
        order = np.argsort(key, kind="stable")
        return key[order], slots[order]
    shift = np.uint64(bits)
    key <<= shift
    key |= slots.astype(np.uint64)
    key.sort()
    slots = (key & np.uint64((1 << bits) - 1)).astype(np.int32)
    key >>= shift
    return key, slots


def _mark(level: Bytes, values: npt.NDArray[Any], n: int) -> None:
    level[1:][values[1:] != values[:-1]] = n
