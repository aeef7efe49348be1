"""Trees as labelled spans, and back; a chain of unary constituents is one label, `S VP`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from priscian.trees.tree import Tree, is_punctuation

CHAIN = " "
"""Joins the labels of constituents over the same words; no label has a space."""
Span = tuple[int, int]


def labelled_spans(tree: Tree) -> dict[Span, str]:
    """Labels of the constituents of a tree by where they begin and end.

    >>> labelled_spans(Tree("S", (Tree("VP", ("see", Tree("NP", ("dogs",)))),)))
    {(1, 2): 'NP', (0, 2): 'S VP'}
    """
    found: dict[Span, str] = {}

    def visit(node: Tree, begin: int) -> int:
        labels = [node.label]
        while len(node.children) == 1 and isinstance(node.children[0], Tree):
            node = node.children[0]
            labels.append(node.label)
        end = begin
        for child in node.children:
            end = end + 1 if isinstance(child, str) else visit(child, end)
        found[begin, end] = CHAIN.join(labels)
        return end

    visit(tree, 0)
    return found


def tree_from_spans(words: Sequence[str], spans: Mapping[Span, str]) -> Tree:
    """The tree with these constituents; none crosses another, and one has the whole sentence.

    >>> print(tree_from_spans(["see", "dogs"], {(0, 2): "S VP", (1, 2): "NP"}))
    (S (VP see (NP dogs)))
    """
    ahead = sorted(spans, key=lambda span: (-span[0], span[1]))  # the last is opened first
    stack: list[tuple[Span, list[Tree | str]]] = [((0, 0), [])]
    for at, word in enumerate(words):
        while ahead and ahead[-1][0] == at:
            stack.append((ahead.pop(), []))
        stack[-1][1].append(word)
        while len(stack) > 1 and stack[-1][0][1] == at + 1:
            span, children = stack.pop()
            *outer, inner = spans[span].split(CHAIN)
            made = Tree(inner, tuple(children))
            for label in reversed(outer):
                made = Tree(label, (made,))
            stack[-1][1].append(made)
    whole = stack[0][1]
    if len(stack) != 1 or len(whole) != 1 or isinstance(whole[0], str):
        raise ValueError(f"spans do not make one tree: {sorted(spans)}")
    return whole[0]


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
    found: set[tuple[int, int]] = set()
    left = [(0, words)]
    while left:
        begin, end = left.pop()
        found.add((begin, end))
        if end - begin > 1:
            middle = random.randrange(begin + 1, end)
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
