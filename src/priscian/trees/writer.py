"""A tree as a line of Penn Treebank brackets, which `read_trees` reads back."""

from __future__ import annotations

from priscian.trees.tree import ESCAPES, Tree, Word

NO_TAG = "XX"
"""The tag of a word that has none; the Penn Treebank's own for an unknown one."""


def bracketed(tree: Tree, top: str = "ROOT") -> str:
    """One line, every word with its tag, everything under a node that marks the top.

    >>> bracketed(Tree("S", (Tree("NP", (Word("They", "PRP"),)), "bark", Word("(", "-LRB-"))))
    '(ROOT (S (NP (PRP They)) (XX bark) (-LRB- -LRB-)))'
    """
    parts: list[str] = []
    ahead: list[Tree | str | None] = [tree]  # None closes a constituent
    while ahead:
        node = ahead.pop()
        if node is None:
            parts[-1] += ")"
        elif isinstance(node, str):
            tag = node.tag if isinstance(node, Word) else NO_TAG
            parts.append(f"({tag.translate(ESCAPES)} {node.translate(ESCAPES)})")
        else:
            parts.append(f"({node.label}")
            ahead += [None, *reversed(node.children)]
    return f"({top} {' '.join(parts)})"
