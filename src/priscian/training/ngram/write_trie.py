"""The trie of a model, written bucket by bucket as its numbers are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priscian.models.ngram.trie import BOS, EOS
from priscian.models.ngram.trie_file import FileSection, Writer
from priscian.training.ngram.smooth import NgramCounts, back_off_of_words, interpolate
from priscian.training.ngram.sort import Runs, Sorted
from priscian.training.ngram.spill import Positions

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.int32]
Array = npt.NDArray[Any]
ZERO = -99.0
"""Log10 probability of what cannot happen."""


@dataclass(frozen=True, slots=True)
class BucketRows:
    """N-grams of one order in a bucket: first words, log10 probabilities, children before each.

    Of order 1 the words are ids, and probabilities are written for all words at the end.
    """

    words: Array
    probs: Array
    begin: Array  # one longer: the number of all children at the end


class TrieWriter:
    """Sections of a model file: for each order words, probabilities, back-offs, first children.

    An n-gram is found from its last word to its first; its children extend it to the left.
    """

    def __init__(self, writer: Writer, tally: NgramCounts, words: Sequence[str]) -> None:
        self._writer = writer
        self._tally = tally
        self._order = tally.order
        ids: np.dtype[Any] = np.dtype(np.uint16 if tally.vocabulary <= 1 << 16 else np.uint32)
        writer.add("vocabulary", np.frombuffer("\n".join(words).encode(), np.uint8))
        sizes = [tally.vocabulary, *(int(k) for k in tally.kept[1:])]
        self._words: dict[int, FileSection] = {}
        self._probs: dict[int, FileSection] = {}
        self._backoffs: dict[int, FileSection] = {}
        self._begins: dict[int, FileSection] = {}
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

    def back_off(self, n: int, bucket: Sorted, runs: Runs, gamma: Floats, words: Ids) -> Array:
        """Log10 back-offs of the n-grams of a bucket that are kept, for `write_back_off`."""
        if n == 1:
            back_off_of_words(bucket, runs, words, gamma, self._unigram_backoff)
            return gamma[:0]
        return log10(gamma[self._kept(bucket, runs, n)])

    def write_back_off(self, n: int, values: Array) -> None:
        """Write the back-offs of a bucket behind those of the buckets before it."""
        if n > 1:
            self._backoffs[n].write(values)

    def prepare(
        self, bucket: Sorted, unigrams: Floats, weights: Sequence[Positions], tokens: Positions
    ) -> list[BucketRows]:
        """All else of the n-grams of a bucket, by order, for `write`."""
        levels = dict(bucket.runs(self._order))
        ids = tokens.take(bucket.places)[bucket.slots[levels[1].starts]]
        probabilities = interpolate(bucket, levels, unigrams[ids], weights)
        found = []
        kept: Flags = np.ones(len(ids), np.bool_)
        for n in range(1, self._order + 1):
            inner = self._kept(bucket, levels[n + 1], n + 1) if n < self._order else kept[:0]
            begin = _children_before(levels[n], inner)
            if n == 1:
                found.append(BucketRows(ids, probabilities[0][:0], begin))
            else:
                words = self._outer_words(bucket, levels[n].starts[kept], n, tokens)
                probs = log10(probabilities[n - 1][kept])
                begin = np.append(begin[:-1][kept], begin[-1:]) if n < self._order else begin
                found.append(BucketRows(words, probs, begin))
            kept = inner
        return found

    def write(self, prepared: Sequence[BucketRows]) -> None:
        """Write a bucket behind those before it."""
        for n, part in enumerate(prepared, 1):
            if n == 1:
                if self._order > 1:
                    self._unigram_begin[part.words + 1] = np.diff(part.begin)
            else:
                self._words[n].write(part.words)
                self._probs[n].write(part.probs)
            if n < self._order:
                if n > 1:
                    self._begins[n].write(part.begin[:-1] + self._reached[n + 1])
                self._reached[n + 1] += int(part.begin[-1])

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
        self._probs[1].write(log10(unigrams))
        if self._order > 1:
            self._backoffs[1].write(log10(self._unigram_backoff))
            self._begins[1].write(np.cumsum(self._unigram_begin))
        for n in range(2, self._order):
            self._begins[n].write(np.array([self._reached[n + 1]]))
        self._writer.finish(facts)


def log10(values: Floats) -> Array:
    """Logarithms of probabilities; of nothing -99, as SRILM writes it.

    A discount may take all of a count, and with `<unk>` as in SRILM nothing is added to it.
    """
    with np.errstate(divide="ignore"):
        return np.maximum(np.log10(np.minimum(values, 1.0)), ZERO).astype(np.float32)


def _children_before(runs: Runs, inner: Flags) -> Array:
    """How many kept n-grams of the next order come before the children of each n-gram."""
    if runs.children is None:
        return np.zeros(0, np.int64)
    passed = np.zeros(len(inner) + 1, np.int64)
    np.cumsum(inner, out=passed[1:])
    edges = np.zeros(len(runs.children) + 1, np.int64)
    np.cumsum(runs.children, out=edges[1:])
    return passed[edges]
