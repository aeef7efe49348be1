"""A tree in the brackets of the Penn Treebank on one line, as a grammar reads it.

Parts of speech, functions (NP-SBJ is NP) and the node that only marks the top are taken away;
brackets and quotes are those of our tokenisation, and `well HYPH known` is one word, as there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from priscian.errors import DataError, counted
from priscian.trees.tree import Tree

TOPS = frozenset({"", "ROOT", "TOP", "S1"})
"""Labels of a node that only marks the top; it is taken away where it has one child."""
HYPHEN = "HYPH"
DEEPEST = 200
_FUNCTION = re.compile(r"(?<=.)[-=|]")
_PIECE = re.compile(r"\(|\)|[^\s()]+")
_WORDS = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": '"', "''": '"', "“": '"', "”": '"', "‘": "'", "’": "'",
}  # fmt: skip


def parse_tree(text: str) -> Tree:
    """A tree in Penn Treebank brackets, without parts of speech, functions and the top node.

    Where every word is alone under a label, these labels are parts of speech.

    >>> print(parse_tree("(ROOT (S (NP-SBJ (PRP They)) (VP (VBP bark)) (. .)))"))
    (S (NP They) (VP bark) .)
    """
    stack: list[tuple[str, list[Tree | str]]] = []
    found: Tree | None = None
    pieces = _PIECE.findall(text)
    at = 0
    while at < len(pieces):
        piece, at = pieces[at], at + 1
        if found is not None or (piece != "(" and not stack):
            raise DataError("brackets do not match: the tree ends too soon; put one on each line")
        if piece == "(":
            label = "" if at == len(pieces) or pieces[at] in "()" else pieces[at]
            at += bool(label)
            stack.append((label, []))
            if len(stack) > DEEPEST:
                raise DataError(f"a tree deeper than {DEEPEST} constituents; remove the line")
        elif piece != ")":
            stack[-1][1].append(_WORDS.get(piece, piece))
        else:
            label, children = stack.pop()
            if not children:
                raise DataError(f"an empty tree: ({label}) has no words; remove it")
            made = Tree(label, tuple(children))
            if stack:
                stack[-1][1].append(made)
            else:
                found = made
    if stack:
        raise DataError(f"brackets do not match: {counted(len(stack), 'bracket')} left open; add )")
    if found is None:
        raise DataError("an empty tree; remove the line")
    return _strip(found)


def _strip(tree: Tree) -> Tree:
    """Without parts of speech, functions and the node that only marks the top."""
    tagged = all(len(node.children) == 1 for node in _nodes(tree) if _has_word(node))
    made = _plain(tree, tagged)
    while isinstance(made, Tree) and made.label in TOPS and len(made.children) == 1:
        if isinstance(made.children[0], str):
            break
        made = made.children[0]
    return made if isinstance(made, Tree) else Tree(tree.label, (made,))


def _plain(tree: Tree, tagged: bool) -> Tree | str:
    if tagged and isinstance(tree.children[0], str):
        return tree.children[0]
    children: list[Tree | str] = []
    joined = -1  # the child up to which words are joined by hyphens
    for at, child in enumerate(tree.children):
        part = _plain(child, tagged) if isinstance(child, Tree) else child
        if at <= joined:
            children[-1] = f"{children[-1]}{part}"
        else:
            children.append(part)
        if tagged and at >= joined and _hyphenated(tree.children[at : at + 3]):
            joined = at + 2
    return Tree(_FUNCTION.split(tree.label)[0], tuple(children))


def _hyphenated(nodes: tuple[Tree | str, ...]) -> bool:
    """Whether these are a word, a hyphen and a word."""
    tags = [n.label for n in nodes if isinstance(n, Tree) and isinstance(n.children[0], str)]
    return len(tags) == 3 and tags[1] == HYPHEN and HYPHEN not in (tags[0], tags[2])


def _has_word(node: Tree) -> bool:
    return any(isinstance(child, str) for child in node.children)


def _nodes(tree: Tree) -> Iterator[Tree]:
    yield tree
    for child in tree.children:
        if isinstance(child, Tree):
            yield from _nodes(child)
