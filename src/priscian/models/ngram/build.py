"""A trie from lists of n-grams in any order, as in an ARPA file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.models.ngram.trie import Level, Trie, group

Array = npt.NDArray[Any]
Nodes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rows:
    """N-grams of one order: word ids (order, n-grams), log10 probabilities and back-offs.

    The probability of an n-gram that is only implied by a longer one is NaN.
    """

    words: Array
    probs: Array
    backoffs: Array

    def __len__(self) -> int:
        return len(self.probs)


def build_trie(words: tuple[str, ...], rows: Sequence[Rows]) -> Trie:
    """Sort every order and link it to the one below."""
    try:
        return _build(words, rows)
    except _MissingEndError:
        return _build(words, _add_ends(rows))


class _MissingEndError(Exception):
    """An n-gram occurs without its suffix, the n-gram without the first word."""


class DoubledNgramError(Exception):
    """An n-gram occurs twice."""

    def __init__(self, ngram: tuple[str, ...]) -> None:
        super().__init__(" ".join(ngram))
        self.ngram = ngram


def _build(words: tuple[str, ...], rows: Sequence[Rows]) -> Trie:
    first = rows[0]
    order = len(rows)
    levels = [
        Level(
            None,
            first.probs.astype(np.float32),
            first.backoffs.astype(np.float32) if order > 1 else None,
            None,
        )
    ]
    for n, row in enumerate(rows[1:], 2):
        trie = Trie(words, tuple(levels))
        parent = find_ngrams(trie, row.words[1:])
        if len(parent) and parent.min() < 0:
            raise _MissingEndError
        key = parent * len(words) + row.words[0]
        at = np.argsort(key)
        twice = np.flatnonzero(np.diff(key[at]) == 0)
        if len(twice):
            raise DoubledNgramError(tuple(words[k] for k in row.words[:, at[twice[0]]]))
        probs = np.where(np.isnan(row.probs), _implied(trie, row), row.probs)
        counts = np.bincount(parent, minlength=len(levels[-1].probs))
        below = levels[-1]
        levels[-1] = Level(
            below.words,
            below.probs,
            below.backoffs,
            np.concatenate(([0], np.cumsum(counts))).astype(np.uint32),
        )
        levels.append(
            Level(
                row.words[0][at].astype(np.uint32),
                probs[at].astype(np.float32),
                row.backoffs[at].astype(np.float32) if n < order else None,
                None,
            )
        )
    return Trie(words, tuple(levels))


def find_ngrams(trie: Trie, words: Array) -> Nodes:
    """The n-gram of each column of word ids, or -1 if there is none."""
    size = words.shape[1]
    found = np.full(size, -1, np.int64)
    places = np.arange(size, dtype=np.int64)
    nodes = words[-1].astype(np.int64)
    run = nodes
    for n in range(2, len(words) + 1):
        places, heads, outer, run = group(places, run, words[-n][places], len(trie.words))
        child = trie.find_child(n - 1, nodes[run[heads]] if n > 2 else run[heads], outer[heads])
        sizes = np.diff(heads, append=len(places))
        hit = child >= 0
        places = places[np.repeat(hit, sizes)]
        nodes, sizes = child[hit], sizes[hit]
        run = np.repeat(np.arange(len(nodes)), sizes)
    found[places] = nodes[run] if len(words) > 1 else nodes
    return found


def _implied(trie: Trie, row: Rows) -> Array:
    """Back-off of the context times the shorter n-gram's probability, for rows without one."""
    values = np.zeros(len(row))
    blank = np.flatnonzero(np.isnan(row.probs))
    if not len(blank):
        return values
    level = trie.levels[len(row.words) - 2]
    context = find_ngrams(trie, row.words[:-1][:, blank])
    shorter = find_ngrams(trie, row.words[1:][:, blank])
    backoff = np.where(context >= 0, level.backoff(np.maximum(context, 0)), 0.0)
    values[blank] = level.prob(shorter) + backoff
    return values


def _add_ends(rows: Sequence[Rows]) -> list[Rows]:
    """Add the n-grams that longer ones imply, from the highest order down."""
    full = list(rows)
    for n in range(len(full), 2, -1):
        longer, shorter = full[n - 1], full[n - 2]
        ends = np.unique(longer.words[1:], axis=1)
        both = np.concatenate((shorter.words, ends), axis=1)
        _, first = np.unique(both, axis=1, return_index=True)
        new = both[:, first[first >= len(shorter)]]
        full[n - 2] = Rows(
            np.concatenate((shorter.words, new), axis=1),
            np.concatenate((shorter.probs, np.full(new.shape[1], np.nan))),
            np.concatenate((shorter.backoffs, np.zeros(new.shape[1]))),
        )
    return full
