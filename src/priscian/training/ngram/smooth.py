"""Interpolated modified Kneser–Ney over a sorted corpus, one order at a time.

p(w | h) = (a(hw) - D(a)) / Σ a(h·) + γ(h) p(w | h'), Chen & Goodman 1998; a is the count at the
highest order and after `<s>`, else the number of different words before it (Heafield et al. 2013).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from priscian.models.ngram.trie import BOS, EOS, UNK
from priscian.training.ngram.sort import Runs, Sorted
from priscian.training.ngram.spill import Places, Positions

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

FALLBACK = (0.5, 1.0, 1.5)
"""Discounts of an order whose own cannot be estimated, as `lmplz --discount_fallback`."""


@dataclass(frozen=True, slots=True)
class Discounts:
    """What is taken from n-grams of count 1, 2, and 3 or more; whether it was estimated."""

    amounts: tuple[float, float, float]
    estimated: bool

    @property
    def table(self) -> Floats:
        """Discount by count, 0 to 3."""
        return np.array((0.0, *self.amounts))


def estimate_discounts(seen: Longs) -> Discounts:
    """Equation 26 of Chen & Goodman from how many n-grams have the counts 1 to 4.

    >>> estimate_discounts(np.array([0, 4, 2, 1, 1])).amounts
    (0.5, 1.25, 1.0)
    """
    n1, n2, n3, n4 = (float(n) for n in seen[1:5])
    if min(n1, n2, n3) == 0:
        return Discounts(FALLBACK, False)
    y = n1 / (n1 + 2 * n2)
    amounts = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
    if any(not 0 <= d <= k for k, d in enumerate(amounts, 1)):
        return Discounts(FALLBACK, False)
    return Discounts(amounts, True)


@dataclass(slots=True)
class NgramCounts:
    """What is counted of all n-grams before any is smoothed."""

    order: int
    vocabulary: int
    prune: tuple[int, ...]
    adjusted: Longs  # of each word
    raw: Longs  # of each word
    seen: Longs  # (order, 5): how many n-grams have each adjusted count below 5
    kept: Longs  # (order,): how many n-grams are not pruned

    @classmethod
    def empty(cls, order: int, vocabulary: int, prune: tuple[int, ...]) -> NgramCounts:
        """Nothing counted yet."""
        words = np.zeros(vocabulary, np.int64)
        counts = np.zeros((order, 5), np.int64)
        return cls(order, vocabulary, prune, words, words.copy(), counts, counts[:, 0].copy())


def count_bucket(
    bucket: Sorted, words: Places, tally: NgramCounts, counts: Sequence[Positions]
) -> tuple[Longs, Longs]:
    """How many n-grams have low adjusted counts, and how many of each order are kept.

    Each adjusted count is put at one place of its n-gram, negative if that is to be pruned.
    """
    seen, kept_of = np.zeros_like(tally.seen), np.zeros_like(tally.kept)
    for n, runs in bucket.runs(tally.order):
        depth = bucket.depth[runs.starts]
        adjusted = runs.sizes
        if runs.children is not None:
            adjusted = np.where(depth == n, runs.sizes, runs.children)
        threshold = tally.prune[n - 1]
        if n == 1:
            ids = words[bucket.slots[runs.starts]]
            tally.adjusted[ids] = adjusted
            tally.raw[ids] = runs.sizes
            seen[0] += np.bincount(adjusted[adjusted < 5], minlength=5)
            kept_of[0] += len(ids)
            continue
        valid = np.flatnonzero(depth >= n)
        real = adjusted[valid]
        seen[n - 1] += np.bincount(real[real < 5], minlength=5)
        kept_of[n - 1] += len(valid)
        if threshold:
            pruned = runs.sizes[valid] <= threshold
            kept_of[n - 1] -= int(np.count_nonzero(pruned))
            real = np.where(pruned, -real, real)
        local = np.zeros(len(bucket.places), np.int32)
        local[bucket.slots[runs.starts[valid]]] = real
        counts[n - 2].put(bucket.places, local)
    return seen, kept_of


def smooth_unigrams(tally: NgramCounts, discounts: Discounts, unk: str) -> Floats:
    """Probabilities of words before any context, interpolated with the uniform distribution.

    `<unk>` is treated as KenLM or as SRILM does.
    """
    adjusted = tally.adjusted.copy()
    adjusted[BOS] = 0
    total = float(adjusted.sum())
    taken = discounts.table[np.minimum(adjusted, 3)]
    probabilities = (adjusted - taken) / total
    left = float(taken.sum()) / total
    if unk == "srilm":
        probabilities[UNK] += left
    else:
        probabilities += left / (tally.vocabulary - 1)
    probabilities[BOS] = 1.0
    return probabilities


def weigh_contexts(
    n: int, bucket: Sorted, counts: Positions, weights: Positions, discounts: Discounts
) -> tuple[Runs, Floats]:
    """Turn adjusted counts of order n into discounted probability and back-off weight.

    Both are put where the count was, as one complex number, for `interpolate` to read. What comes
    back are the n-grams of order n - 1 in the bucket and their back-off weights.
    """
    table = discounts.table.astype(np.float32)
    after = bucket.places + np.int32(1)
    signed = counts.take(after)[bucket.slots]  # of the n-gram that ends one word later
    runs = bucket.runs_of(n - 1)
    count = np.abs(signed)
    taken = table[np.minimum(count, 3)]
    total = np.add.reduceat(count, runs.starts, dtype=np.int64).astype(np.float64)
    left = np.where(signed < 0, count, taken)
    mass = np.add.reduceat(left, runs.starts, dtype=np.float64)
    ends = total == 0
    total[ends] = 1.0
    gamma = mass / total
    gamma[ends] = 1.0
    pair = np.empty((len(count), 2), np.float32)
    pair[:, 0] = (count - taken) / np.repeat(total.astype(np.float32), runs.sizes)
    pair[:, 1] = np.repeat(gamma.astype(np.float32), runs.sizes)
    local = np.empty(len(count), np.complex64)
    local[bucket.slots] = pair.view(np.complex64).ravel()
    weights.put(after, local)
    return runs, gamma


def interpolate(
    bucket: Sorted, levels: Mapping[int, Runs], unigrams: Floats, weights: Sequence[Positions]
) -> list[Floats]:
    """Probabilities of every run of every order in a bucket, unigrams first."""
    found = [unigrams]
    for n in range(2, len(levels) + 1):
        children = levels[n - 1].children
        assert children is not None
        pair = weights[n - 2].take(bucket.places)[bucket.slots[levels[n].starts]]
        found.append(pair.real + pair.imag * np.repeat(found[-1], children))
    return found


def back_off_of_words(
    bucket: Sorted, runs: Runs, words: Places, gamma: Floats, into: Floats
) -> None:
    """Back-off weights of single words; weights after `</s>` are stored for `<s>`."""
    ids = words[bucket.slots[runs.starts]]
    into[ids] = gamma
    if bucket.first <= EOS < bucket.last and len(ids):
        at = np.flatnonzero(ids == EOS)
        into[BOS] = gamma[at[0]] if len(at) else 1.0
        into[EOS] = 1.0
