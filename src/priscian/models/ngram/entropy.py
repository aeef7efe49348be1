"""The entropy of an n-gram model's next word, exactly and for every context at once.

A back-off model gives the words seen after a context h their own probabilities and shares the rest
as b(h) p(w | h'), h' being h without its first word. So with S(h) = Σ p log p and T(h) = Σ p over
all words,

    S(h) = Σ_seen [p log p − q log q] + b S(h') + b log b T(h'),    q = b p(w | h')

and the same with p and q for T. Both follow from the seen words alone, from the shortest context
to the longest: no sum over the vocabulary is needed but the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from priscian.models.ngram.trie import BOS, Level, Trie

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int64]
LN10 = float(np.log(10))


@dataclass(frozen=True)
class Entropies:
    """Entropies, in nats, of the next word after contexts of a trie."""

    trie: Trie

    @cached_property
    def tables(self) -> list[Floats]:
        """By length of context, from 0: the entropy after each context in the trie."""
        first = self.trie.levels[0]
        logs = first.prob(np.arange(len(self.trie.words))) * LN10
        logs[BOS] = -np.inf  # <s> begins a sentence and is never predicted
        some = np.array([_plogp(logs).sum()])
        whole = np.array([np.exp(logs).sum()])
        tables = [_normalise(some, whole)]
        contexts = np.zeros(len(self.trie.words), np.int64)  # of words: the empty one
        suffixes = np.zeros(len(self.trie.words), np.int64)  # of contexts: without a first word
        below = logs
        for order in range(2, self.trie.order + 1):
            level, shorter = self.trie.levels[order - 1], self.trie.levels[order - 2]
            nodes = np.arange(_size(level))
            parents = _parents(shorter, len(nodes))
            if order == 2:
                assert level.words is not None
                contexts = level.words.astype(np.int64)
            else:
                contexts = self._contexts(order, contexts[parents], level)
            backoffs = shorter.backoff(np.arange(_size(shorter))) * LN10
            own = level.prob(nodes) * LN10
            seen = contexts >= 0
            at = contexts[seen]
            lent = below[parents[seen]] + backoffs[at]
            gained = np.bincount(at, _plogp(own[seen]) - _plogp(lent), len(backoffs))
            mass = np.bincount(at, np.exp(own[seen]) - np.exp(lent), len(backoffs))
            share = np.exp(backoffs)
            some, whole = (
                gained + share * (some[suffixes] + backoffs * whole[suffixes]),
                mass + share * whole[suffixes],
            )
            tables.append(_normalise(some, whole))
            suffixes, below = parents, own
        return tables

    def _contexts(self, order: int, inner: Nodes, level: Level) -> Nodes:
        """The context of each n-gram: its node one order below, or -1 if there is none."""
        assert level.words is not None
        found = np.full(len(inner), -1, np.int64)
        there = np.flatnonzero(inner >= 0)
        found[there] = self.trie.find_child(order - 2, inner[there], level.words[there])
        return found

    def after(self, row: npt.NDArray[np.int32], places: Nodes) -> Floats:
        """The entropy before given positions in a row of words; the row begins with `<s>`."""
        found = np.full(len(places), self.tables[0][0])
        if self.trie.order == 1:
            return found
        nodes = row[places - 1].astype(np.int64)
        alive = np.arange(len(places))
        found[alive] = self.tables[1][nodes]
        for length in range(2, self.trie.order):
            going = row[places[alive] - length + 1] != BOS  # nothing comes before <s>
            alive, nodes = alive[going], nodes[going]
            child = self.trie.find_child(length - 1, nodes, row[places[alive] - length])
            alive, nodes = alive[child >= 0], child[child >= 0]
            found[alive] = self.tables[length][nodes]
        return found


def _normalise(some: Floats, whole: Floats) -> Floats:
    """H of a distribution whose values sum to `whole`, which is 1 except for rounding."""
    return np.log(whole) - some / whole


def _plogp(logs: Floats) -> Floats:
    return np.exp(logs) * np.where(np.isneginf(logs), 0.0, logs)


def _size(level: Level) -> int:
    return len(level.probs)


def _parents(level: Level, children: int) -> Nodes:
    """Of each n-gram, the one without its first word, in the level below."""
    assert level.begin is not None
    edges = level.begin.astype(np.int64)
    counts = edges[1:] - edges[:-1]
    return np.repeat(np.arange(len(counts)), counts)[:children]
