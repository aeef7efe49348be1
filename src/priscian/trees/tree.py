"""A constituency tree: a label over words and smaller trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-"})
"""Brackets that are words, as treebanks write them."""
PUNCTUATION = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH"})
"""Part-of-speech tags of punctuation marks."""


class TaggedWord(str):
    """A word of a treebank: a string that knows its part of speech."""

    __slots__ = ("tag",)
    tag: str

    def __new__(cls, form: str, tag: str) -> TaggedWord:
        made = super().__new__(cls, form)
        made.tag = tag
        return made


@dataclass(frozen=True, slots=True)
class Tree:
    """A constituent; a child that is a string is a word."""

    label: str
    children: tuple[Tree | str, ...]

    def __str__(self) -> str:
        """Brackets without tags; those that are words are escaped, as in treebanks.

        >>> print(Tree("NP", ("(", "dogs", ")")))
        (NP -LRB- dogs -RRB-)
        """
        parts = (c.translate(ESCAPES) if isinstance(c, str) else str(c) for c in self.children)
        return f"({self.label} {' '.join(parts)})"


def leaves(tree: Tree) -> Iterator[str]:
    """The words of a tree, from left to right.

    >>> list(leaves(Tree("S", (Tree("NP", ("dogs",)), "bark"))))
    ['dogs', 'bark']
    """
    for child in tree.children:
        if isinstance(child, str):
            yield child
        else:
            yield from leaves(child)


def is_punctuation(word: str) -> bool:
    """Whether a word's tag says that it is a punctuation mark."""
    return isinstance(word, TaggedWord) and word.tag in PUNCTUATION
