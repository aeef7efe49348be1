"""The tree whose spans score most (CKY), for many sentences of one length at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def best_spans(scores: Floats) -> Flags:
    """Which spans the best binary tree of each sentence has.

    `scores` (batch, gaps, gaps) has what each span adds to its tree, from gap i to gap j > i. With

        best(i, j) = scores(i, j) + max over k of best(i, k) + best(k, j)

    the splits of all spans of one width are slices of two charts, one by where spans begin and one
    by where they end; both by width.
    """
    batch, gaps, _ = scores.shape
    words = gaps - 1
    begun = np.zeros((batch, gaps, gaps), np.float32)  # best by begin and width
    ended = np.zeros((batch, gaps, gaps), np.float32)  # best by end and width
    splits = np.zeros((batch, gaps, gaps), np.int64)
    places = np.arange(gaps)
    for width in range(1, words + 1):
        begins = places[: gaps - width]
        best = scores[:, begins, begins + width]
        if width > 1:
            both = begun[:, : gaps - width, 1:width] + ended[:, width:, width - 1 : 0 : -1]
            at = both.argmax(2)
            splits[:, : gaps - width, width] = begins + 1 + at
            best = best + np.take_along_axis(both, at[:, :, None], 2)[:, :, 0]
        begun[:, : gaps - width, width] = best
        ended[:, width:, width] = best
    return _follow(splits)


def _follow(splits: Ints) -> Flags:
    """Spans that are reached from the whole sentence: (batch, gaps, gaps)."""
    batch, gaps, _ = splits.shape
    words = gaps - 1
    used = np.zeros((batch, gaps, gaps), np.bool_)
    used[:, 0, words] = True
    for width in range(words, 1, -1):
        begins = np.arange(gaps - width)
        rows, begin = np.nonzero(used[:, begins, begins + width])
        middle = splits[rows, begin, width]
        used[rows, begin, middle] = True
        used[rows, middle, begin + width] = True
    return used
