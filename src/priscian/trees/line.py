"""A line with one tree, as a grammar reads it: hyphenated words joined, no node that only marks
the top."""

from __future__ import annotations

from pathlib import Path

from priscian.errors import DataError, counted
from priscian.trees.reader import parse_trees
from priscian.trees.tree import Tree

TOPS = frozenset({"ROOT", "TOP", "S1"})
"""Labels of a node that only marks the top; it is taken away where it has one child."""
NOWHERE = Path("tree")


def parse_tree(text: str, path: Path = NOWHERE, line: int = 1) -> Tree:
    """The tree of a line; errors name the file and the line.

    >>> print(parse_tree("(ROOT (S (NP-SBJ (PRP They)) (VP (VBP bark)) (. .)))"))
    (S (NP They) (VP bark) .)
    """
    missing = text.count("(") - text.count(")")
    if missing > 0:
        raise DataError(
            f"{path}:{line}: the tree that begins here is not closed; add "
            f"{counted(missing, 'closing bracket')}, or join its lines: one tree on each line"
        )
    found = list(parse_trees([(line, text)], path, join_hyphens=True))
    if len(found) != 1:
        what = "several trees" if found else "an empty tree"
        raise DataError(f"{path}:{line}: {what} on a line; write one tree on each line")
    return without_top(found[0])


def without_top(tree: Tree) -> Tree:
    """A tree without nodes that only mark the top."""
    while tree.label in TOPS and len(tree.children) == 1 and isinstance(tree.children[0], Tree):
        tree = tree.children[0]
    return tree
