"""The best tree of a chart, against all trees there are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from priscian.models.parser import best_spans


def all_trees(begin: int, end: int) -> Iterator[frozenset[tuple[int, int]]]:
    """Every binary tree over some words."""
    whole = frozenset({(begin, end)})
    if end - begin == 1:
        yield whole
    for middle in range(begin + 1, end):
        for left in all_trees(begin, middle):
            for right in all_trees(middle, end):
                yield whole | left | right


@pytest.mark.parametrize("words", [1, 2, 3, 6])
def test_the_best_tree_is_the_best_of_all_trees(words: int) -> None:
    scores = np.random.default_rng(words).normal(size=(7, words + 1, words + 1)).astype("f4")
    used = best_spans(scores)
    for row, mine in zip(scores, used, strict=True):
        best = max(all_trees(0, words), key=lambda tree: sum(row[span] for span in tree))
        assert {(int(a), int(b)) for a, b in zip(*np.nonzero(mine), strict=True)} == best
