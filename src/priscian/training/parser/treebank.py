"""A treebank in three parts: 18 blocks to train on, one for dev, one for test."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import DataError
from priscian.files import steady
from priscian.trees import Tree, leaves, read_trees
from priscian.trees.line import without_top
from priscian.trees.spans import Span, labelled_spans

BLOCK = 50
"""Trees of a block; neighbours are often of one document, which belongs into one part."""
TURN = 20
"""Of so many blocks in a row the last but one is dev and the last is test."""


@dataclass(frozen=True, slots=True)
class Example:
    """A tree, as training reads it."""

    tree: Tree
    words: tuple[str, ...]
    tags: tuple[str, ...]
    spans: dict[Span, str]


@dataclass(frozen=True, slots=True)
class Treebank:
    """The parts; trees of too many words are left out of `train` alone."""

    files: tuple[tuple[str, str], ...]  # name and hash of the lines
    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    test: tuple[Example, ...]
    left_out: int

    @property
    def digest(self) -> str:
        """A hash of the files, in order."""
        return hashlib.sha256(" ".join(mark for _, mark in self.files).encode()).hexdigest()


def read_treebank(files: Sequence[Path], longest: int) -> Treebank:
    """Read and divide a treebank; trees of more than `longest` words are not trained on.

    Blocks have 50 trees, and fewer in a treebank of fewer than 1,000 trees.
    """
    with steady(files):
        found = [_read(path) for path in files]
    train, dev, test = divide([example for own, _ in found for example in own], files)
    kept = [example for example in train if len(example.words) <= longest]
    if not kept:
        raise DataError(
            f"no tree of the training part has at most {longest} words; raise text.max_length"
        )
    marks = tuple((path.name, mark) for path, (_, mark) in zip(files, found, strict=True))
    return Treebank(marks, tuple(kept), tuple(dev), tuple(test), len(train) - len(kept))


def read_examples(files: Sequence[Path]) -> list[Example]:
    """All trees of files, each on one line or several."""
    return [example for path in files for example in _read(path)[0]]


def _read(path: Path) -> tuple[list[Example], str]:
    """The trees of a file, and the hash of the text that was read, as `hash_text` has it."""
    digest = hashlib.sha256()
    trees = read_trees(path, join_hyphens=True, digest=digest)
    return [example_of(without_top(tree)) for tree in trees], digest.hexdigest()


def divide(
    examples: Sequence[Example], files: Sequence[Path]
) -> tuple[list[Example], list[Example], list[Example]]:
    """Train, dev and test part by blocks of neighbours."""
    if len(examples) < TURN:
        named = ", ".join(map(str, files))
        raise DataError(
            f"{named}: {len(examples)} trees are too few to hold out dev and test parts; give at "
            f"least {TURN} trees"
        )
    block = min(BLOCK, len(examples) // TURN)
    parts: tuple[list[Example], list[Example], list[Example]] = ([], [], [])
    for number, example in enumerate(examples):
        parts[max(0, number // block % TURN - (TURN - 3))].append(example)
    return parts


def example_of(tree: Tree) -> Example:
    """A tree with its words, tags and spans."""
    words = tuple(leaves(tree))
    tags = tuple(str(getattr(word, "tag", "")) for word in words)
    return Example(tree, words, tags, labelled_spans(tree))


def ranked(names: Counter[str]) -> tuple[str, ...]:
    """The most frequent first."""
    return tuple(sorted(names, key=lambda name: (-names[name], name)))
