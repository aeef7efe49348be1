"""Unlabelled brackets of sentences, and how many of them a guess has right.

Words are counted without punctuation. Spans of one word and of the whole sentence are left out,
since every tree has them. Scores are means over sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from priscian.trees.tree import Tree, is_punctuation

Spans = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Bracketing:
    """The spans of a tree over its words without punctuation."""

    words: int
    spans: Spans


def spans_of(tree: Tree) -> Bracketing:
    """Spans of a tree's phrases; punctuation is left out, and so are spans that say nothing."""
    found: set[tuple[int, int]] = set()

    def visit(part: Tree | str, begin: int) -> int:
        if isinstance(part, str):
            return begin + (not is_punctuation(part))
        end = begin
        for child in part.children:
            end = visit(child, end)
        found.add((begin, end))
        return end

    words = visit(tree, 0)
    return Bracketing(words, _telling(found, words))


def _telling(spans: set[tuple[int, int]], words: int) -> Spans:
    return frozenset((a, b) for a, b in spans if b - a > 1 and b - a < words)


def f1(gold: Spans, guess: Spans) -> float:
    """Harmonic mean of precision and recall; no spans where there are none is right.

    >>> f1(frozenset({(0, 2), (2, 4)}), frozenset({(0, 2), (1, 4)}))
    0.5
    """
    right = len(gold & guess)
    precision = right / len(guess) if guess else 1.0
    recall = right / len(gold) if gold else 1.0
    return 2 * precision * recall / (precision + recall) if right or not (gold or guess) else 0.0


def right_branching(words: int) -> Spans:
    """Every span ends with the sentence.

    >>> sorted(right_branching(4))
    [(1, 4), (2, 4)]
    """
    return frozenset((begin, words) for begin in range(1, words - 1))


def random_split(words: int, random: Random) -> Spans:
    """A binary tree from splits at random places."""
    return _split(words, lambda begin, end: random.randrange(begin + 1, end))


def _split(words: int, choose: Callable[[int, int], int]) -> Spans:
    found: set[tuple[int, int]] = set()
    left = [(0, words)]
    while left:
        begin, end = left.pop()
        found.add((begin, end))
        if end - begin > 1:
            middle = choose(begin, end)
            left += [(begin, middle), (middle, end)]
    return _telling(found, words)


def split_by_distance(distances: Sequence[float]) -> Spans:
    """A binary tree by syntactic distances (Shen et al. 2018): split where the distance is largest.

    The word of the largest distance begins the right part, and stands alone before the rest of it.
    This favours right branching (Dyer et al. 2019).

    >>> sorted(split_by_distance([0.1, 0.2, 0.9, 0.3]))
    [(0, 2), (2, 4)]
    """
    found: set[tuple[int, int]] = set()
    left = [(0, len(distances))]
    while left:
        begin, end = left.pop()
        if end - begin < 2:
            continue
        found.add((begin, end))
        largest = max(range(begin, end), key=lambda at: distances[at])
        found.add((largest, end))
        left += [(begin, largest), (largest + 1, end)]
    return _telling(found, len(distances))
