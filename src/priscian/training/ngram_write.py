"""The trie of a model, written bucket by bucket as its numbers are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.models.ngram.file import Section, Writer
from priscian.models.ngram.words import BOS, EOS
from priscian.training.ngram_smooth import Tally, back_off_of_words, interpolate
from priscian.training.ngram_sort import Runs, Sorted
from priscian.training.spill import Positions

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class TrieWriter:
    """Sections of a model file: for each order words, probabilities, back-offs, first children.

    An n-gram is found from its last word to its first; its children extend it to the left.
    """

    def __init__(self, writer: Writer, tally: Tally, words: Sequence[str]) -> None:
        self._writer = writer
        self._tally = tally
        self._order = tally.order
        ids: np.dtype[Any] = np.dtype(np.uint16 if tally.vocabulary <= 1 << 16 else np.uint32)
        writer.add("vocabulary", np.frombuffer("\n".join(words).encode(), np.uint8))
        sizes = [tally.vocabulary, *(int(k) for k in tally.kept[1:])]
        self._words: dict[int, Section] = {}
        self._probs: dict[int, Section] = {}
        self._backoffs: dict[int, Section] = {}
        self._begins: dict[int, Section] = {}
        for n, size in enumerate(sizes, 1):
            if n > 1:
                self._words[n] = writer.section(f"words{n}", ids, size)
            self._probs[n] = writer.section(f"prob{n}", np.float32, size)
            if n < self._order:
                self._backoffs[n] = writer.section(f"backoff{n}", np.float32, size)
                self._begins[n] = writer.section(f"begin{n}", np.uint32, size + 1)
        self._reached = dict.fromkeys(range(2, self._order + 1), 0)
        self._unigram_backoff = np.ones(tally.vocabulary)
        self._unigram_begin = np.zeros(tally.vocabulary + 1, np.int64)

    def back_off(
        self, n: int, bucket: Sorted, runs: Runs, gamma: Floats, tokens: Positions
    ) -> None:
        """Write the back-off weights of the n-grams of a bucket."""
        if n == 1:
            words = tokens.take(bucket.places)
            back_off_of_words(bucket, runs, words, gamma, self._unigram_backoff)
            return
        kept = self._kept(bucket, runs, n)
        self._backoffs[n].write(np.log10(gamma[kept]))

    def bucket(
        self,
        bucket: Sorted,
        unigrams: Floats,
        weights: Sequence[Positions],
        tokens: Positions,
    ) -> None:
        """Write all else of the n-grams of a bucket."""
        levels = dict(bucket.runs(self._order))
        ids = tokens.take(bucket.places)[bucket.slots[levels[1].starts]]
        probabilities = interpolate(bucket, self._order, unigrams[ids], weights)
        kept: Flags = np.ones(len(ids), np.bool_)
        for n in range(1, self._order + 1):
            runs = levels[n]
            if n > 1:
                kept = self._kept(bucket, runs, n)
                starts = runs.starts[kept]
                self._words[n].write(self._outer_words(bucket, starts, n, tokens))
                self._probs[n].write(np.log10(np.minimum(probabilities[n - 1][kept], 1.0)))
            if n < self._order:
                self._begin(n, ids, runs, kept, self._kept(bucket, levels[n + 1], n + 1))

    def _begin(self, n: int, ids: Any, runs: Runs, kept: Flags, inner: Flags) -> None:
        """Where the children of each n-gram begin among the n-grams of the next order."""
        assert runs.children is not None
        edges = np.concatenate(([0], np.cumsum(runs.children)))
        passed = np.concatenate(([0], np.cumsum(inner)))
        if n == 1:
            self._unigram_begin[ids + 1] = np.diff(passed[edges])
        else:
            self._begins[n].write(passed[edges[:-1]][kept] + self._reached[n + 1])
        self._reached[n + 1] += int(passed[-1])

    def _kept(self, bucket: Sorted, runs: Runs, n: int) -> Flags:
        kept: Flags = bucket.depth[runs.starts] >= n
        if self._tally.prune[n - 1]:
            kept &= runs.sizes > self._tally.prune[n - 1]
        return kept

    def _outer_words(self, bucket: Sorted, starts: Any, n: int, tokens: Positions) -> Any:
        column = tokens.take(bucket.places - np.int32(n - 1))[bucket.slots[starts]]
        column[column == EOS] = BOS
        return column

    def finish(self, unigrams: Floats, facts: dict[str, object]) -> None:
        """Write unigrams, the ends of all lists, and the description."""
        with np.errstate(divide="ignore"):
            self._probs[1].write(np.maximum(np.log10(np.minimum(unigrams, 1.0)), -99.0))
        if self._order > 1:
            self._backoffs[1].write(np.log10(self._unigram_backoff))
            self._begins[1].write(np.cumsum(self._unigram_begin))
        for n in range(2, self._order):
            self._begins[n].write(np.array([self._reached[n + 1]]))
        self._writer.finish(facts)

