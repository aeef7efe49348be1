"""Trees as labelled spans, and back; a chain of unary constituents is one label, `S VP`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from priscian.trees.tree import Tree

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
