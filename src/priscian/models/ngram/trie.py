"""The trie of an n-gram model, and many look-ups at once.

An n-gram is found from its last word to its first. A batch is sorted the same way, so that each
different n-gram is looked up once and neighbours lie close together in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

UNK, BOS, EOS = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")

Ids = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int64]
Lengths = npt.NDArray[np.int8]
Array = npt.NDArray[Any]

BATCH = 1 << 19
"""Tokens looked up at a time."""


@dataclass(frozen=True)
class Level:
    """N-grams of one order, sorted from their last word to their first.

    `words` has first words (for order 1 none: the id is the index), `begin` where the
    children of each begin in the next order. Values are log10, or codes into a code book.
    """

    words: Array | None
    probs: Array
    backoffs: Array | None
    begin: Array | None
    prob_codes: Array | None = None
    backoff_codes: Array | None = None

    def prob(self, nodes: Nodes) -> Floats:
        """Log10 probabilities of n-grams."""
        return _values(self.probs, self.prob_codes, nodes)

    def backoff(self, nodes: Nodes) -> Floats:
        """Log10 back-off weights of n-grams."""
        if self.backoffs is None:
            return np.zeros(len(nodes))
        return _values(self.backoffs, self.backoff_codes, nodes)


def _values(values: Array, codes: Array | None, nodes: Nodes) -> Floats:
    found = values[nodes]
    return (codes[found] if codes is not None else found).astype(np.float64)


@dataclass(frozen=True)
class Trie:
    """All orders of a model and its words by id."""

    words: tuple[str, ...]
    levels: tuple[Level, ...]

    @property
    def order(self) -> int:
        """The longest n-gram."""
        return len(self.levels)

    @cached_property
    def ids(self) -> dict[str, int]:
        """Ids of words."""
        return {word: number for number, word in enumerate(self.words)}

    def find_child(self, n: int, nodes: Nodes, words: Array) -> Nodes:
        """The n-gram of order n + 1 that extends each n-gram of order n to the left, or -1."""
        begin, outer = self.levels[n - 1].begin, self.levels[n].words
        assert begin is not None
        assert outer is not None
        low = begin[nodes].astype(np.int64)
        high = begin[nodes + 1].astype(np.int64)
        end = high.copy()
        left = np.flatnonzero(low < high)
        wanted = words[left]
        a, b = low[left], high[left]
        while len(left):  # the first entry that is not less than the wanted word
            middle = (a + b) >> 1
            less = outer[middle] < wanted
            a = np.where(less, middle + 1, a)
            b = np.where(less, b, middle)
            going = a < b
            if not going.all():
                done = ~going
                low[left[done]] = a[done]
                left, wanted, a, b = left[going], wanted[going], a[going], b[going]
        found = np.full(len(nodes), -1, np.int64)
        there = np.flatnonzero(low < end)
        there = there[outer[low[there]] == words[there]]
        found[there] = low[there]
        return found

    def log10(self, ids: Ids, sentences: Sequence[int] | Nodes) -> tuple[Floats, Lengths]:
        """Log10 probability of every word of concatenated sentences; the n-gram length used.

        `sentences` gives the number of words in each; none of them begins with `<s>`.
        """
        lengths = np.asarray(sentences, np.int64)
        edges = np.concatenate(([0], np.cumsum(lengths)))
        # sentences with about as many words together as a batch has
        cuts = np.flatnonzero(np.diff(edges[1:] // BATCH)) + 1
        found = []
        for first, last in pairwise([0, *cuts.tolist(), len(lengths)]):
            part = ids[edges[first] : edges[last]]
            found.append(self._walk(*open_sentences(part, lengths[first:last], self.order)))
        return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])

    def _walk(self, row: Ids, own: Nodes) -> tuple[Floats, Lengths]:
        """Look up the n-grams that end at each position of a row where `<s>` begins sentences."""
        order, size = self.order, len(row)
        start = order - 1  # the row begins with padding
        first = row.astype(np.int64)
        matched = np.ones(size, np.int8)
        prob = self.levels[0].prob(first)
        backoffs = [self.levels[0].backoff(first)]  # by length of context, less one
        places = np.arange(start, size, dtype=np.int64)
        places = places[row[places] != BOS]
        run = row[places].astype(np.int64)
        nodes = run
        for n in range(2, order + 1):
            outer = row[places - (n - 1)]
            places, heads, outer, run = group(places, run, outer, len(self.words))
            # nodes[k] belongs to run k of the order below; each group extends one run
            parent = nodes[run[heads]] if n > 2 else run[heads]
            child = self.find_child(n - 1, parent, outer[heads])
            sizes = np.diff(heads, append=len(places))
            hit = child >= 0
            level = self.levels[n - 1]
            alive = np.repeat(hit, sizes)
            places = places[alive]
            if not len(places):
                break
            nodes, sizes = child[hit], sizes[hit]
            prob[places] = np.repeat(level.prob(nodes), sizes)
            matched[places] = n
            if n < order:
                backoff = np.zeros(size)
                backoff[places] = np.repeat(level.backoff(nodes), sizes)
                backoffs.append(backoff)
            run = np.repeat(np.arange(len(nodes)), sizes)
            going = outer[alive] != BOS
            places, run = places[going], run[going]
        for length, backoff in enumerate(backoffs[: order - 1], 1):
            prob[1:] += backoff[:-1] * (matched[1:] <= length)  # contexts that were too long
        return prob[own], matched[own]


def group(
    places: Nodes, run: Nodes, outer: Ids, vocabulary: int
) -> tuple[Nodes, Nodes, Ids, Nodes]:
    """Sort positions by run and outer word, and find where each group begins."""
    bits = max(1, len(places).bit_length())
    key = run.astype(np.uint64) * np.uint64(vocabulary) + outer.astype(np.uint64)
    if len(key) and int(key.max()).bit_length() + bits <= 64:
        key <<= np.uint64(bits)
        key |= np.arange(len(places), dtype=np.uint64)
        key.sort()
        at = (key & np.uint64((1 << bits) - 1)).astype(np.int64)
        key >>= np.uint64(bits)
    else:
        at = np.argsort(key, kind="stable")
        key = key[at]
    heads = np.flatnonzero(np.concatenate((np.ones(min(1, len(key)), bool), key[1:] != key[:-1])))
    return places[at], heads, outer[at], run[at]


def open_sentences(ids: Ids, lengths: Nodes, order: int) -> tuple[Ids, Nodes]:
    """A row with `<s>` before each sentence, and the positions of the words in it."""
    own = np.arange(len(ids), dtype=np.int64)
    own += np.repeat(np.arange(1, len(lengths) + 1), lengths) + (order - 1)
    row = np.full(len(ids) + len(lengths) + order - 1, BOS, np.int32)
    row[own] = ids
    return row, own
