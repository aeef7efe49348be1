"""A treebank, one tree a line, in three parts: 18 blocks to train on, one for dev, one for test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import DataError
from priscian.training.corpora import read_blocks
from priscian.training.subsets import hash_text
from priscian.trees import Tree, leaves
from priscian.trees.line import parse_tree
from priscian.trees.spans import Span, labelled_spans

BLOCK = 50
"""Lines of a block; neighbours are often of one document, which belongs into one part."""
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


def read_treebank(files: Sequence[Path], longest: int) -> Treebank:
    """Read and divide a treebank; trees of more than `longest` words are not trained on.

    Blocks have 50 lines, and fewer in a treebank of fewer than 1,000 trees.
    """
    train, dev, test = divide(read_examples(files), files)
    kept = [example for example in train if len(example.words) <= longest]
    if not kept:
        raise DataError(
            f"no tree of the training part has at most {longest} words; raise text.longest"
        )
    marks = tuple((path.name, hash_text(path)) for path in files)
    return Treebank(marks, tuple(kept), tuple(dev), tuple(test), len(train) - len(kept))


def read_examples(files: Sequence[Path]) -> list[Example]:
    """All trees of files, one a line."""
    found = [example_of(parse_tree(line, path, number)) for path, number, line in tree_lines(files)]
    if not found:
        named = ", ".join(map(str, files))
        raise DataError(f"{named}: no trees; give a file of bracketed trees: (S (NP …) (VP …))")
    return found


def divide(
    examples: Sequence[Example], files: Sequence[Path]
) -> tuple[list[Example], list[Example], list[Example]]:
    """Train, dev and test part by blocks of neighbours."""
    if len(examples) < TURN:
        named = ", ".join(map(str, files))
        raise DataError(
            f"{named}: {len(examples)} trees are too few to hold out dev and test parts; give at "
            f"least {TURN} trees, one on each line"
        )
    block = min(BLOCK, len(examples) // TURN)
    parts: tuple[list[Example], list[Example], list[Example]] = ([], [], [])
    for number, example in enumerate(examples):
        parts[max(0, number // block % TURN - (TURN - 3))].append(example)
    return parts


def tree_lines(files: Sequence[Path]) -> Iterator[tuple[Path, int, str]]:
    """Lines that are not blank, with file and number."""
    for path, first, block in read_blocks(files):
        for number, line in enumerate(block.decode().split("\n")[:-1], first):
            if line.strip():
                yield path, number, line.strip()


def example_of(tree: Tree) -> Example:
    """A tree with its words, tags and spans."""
    words = tuple(leaves(tree))
    tags = tuple(str(getattr(word, "tag", "")) for word in words)
    return Example(tree, words, tags, labelled_spans(tree))


def ranked(names: Counter[str]) -> tuple[str, ...]:
    """The most frequent first."""
    return tuple(sorted(names, key=lambda name: (-names[name], name)))
