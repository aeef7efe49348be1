"""A treebank in three parts, and how well a parser finds its trees."""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from priscian.errors import DataError, PriscianWarning, UnknownNameError, UsageError
from priscian.files import read_json, steady
from priscian.models.folder import architecture_of
from priscian.models.parser import Parser
from priscian.training.corpora import hash_text
from priscian.training.parser.corpus import LONGEST, check_longest, paths_of
from priscian.training.subsets import Mark
from priscian.trees import Tree, leaves, read_trees
from priscian.trees.evalb import Evalb, evalb
from priscian.trees.reader import without_top
from priscian.trees.spans import Span, labelled_spans
from priscian.workers import Progress

BLOCK = 50
"""Trees of a block; neighbours are often of one document, which belongs into one part."""
TURN = 20
"""Of this many consecutive blocks the last but one is dev and the last is test."""
PARTS = ("all", "train", "dev", "test")
AT_ONCE = 64
"""Sentences between two reports of progress."""


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


class BuildsTrees(Protocol):
    """Finds the tree of a sentence."""

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Tree]:
        """The tree of each sentence, a list of words."""
        ...


def score_parser(
    parser: BuildsTrees,
    examples: Sequence[Example],
    progress: Progress = lambda done, total: None,
) -> Evalb:
    """How well the trees of examples are found."""
    guesses: list[Tree] = []
    for at in range(0, len(examples), AT_ONCE):
        guesses += parser.parse([example.words for example in examples[at : at + AT_ONCE]])
        progress(len(guesses), len(examples))
    return evalb(zip((example.tree for example in examples), guesses, strict=True))


class _Corpus(msgspec.Struct, frozen=True):
    files: tuple[Mark, ...] = ()
    trees: tuple[Mark, ...] = ()


class _Card(msgspec.Struct, frozen=True):
    corpus: _Corpus = _Corpus()


def evaluate_parser(
    model: str | Path,
    trees: str | Path | Sequence[str | Path],
    *,
    part: str = "all",
    longest: int = LONGEST,
    limit: int | None = None,
    progress: Progress = lambda done, total: None,
) -> tuple[Evalb, int]:
    """A parser against a treebank, as EVALB counts; and how many trees had too many words.

    >>> import priscian
    >>> found, _ = priscian.evaluate_parser("parser", "gum.txt.xz", part="test")  # doctest: +SKIP
    >>> found.f1                                                                  # doctest: +SKIP

    model
        Folder of a parser, or of a grammar (`train rnng`): the most probable tree in its beam.
    part
        all, train, dev or test: the parts that the training of a parser makes of the same file.
    limit
        Only the first trees; a grammar needs a second for each.
    """
    if part not in PARTS:
        raise UnknownNameError("part of a treebank", part, PARTS)
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} trees leaves none; give 1 or more")
    check_longest(longest)
    folder, files = Path(model), paths_of(trees)
    parser: BuildsTrees
    if architecture_of(folder) != "rnng":
        parser = Parser.load(folder)
    else:
        from priscian.models.rnng import Beam, RnngModel

        parser = RnngModel(folder, Beam())  # the most probable tree in its beam
        # it holds out other trees of its treebank than a parser, whose parts are named here
        if (folder / "card.json").is_file():
            known = read_json(folder / "card.json", _Card).corpus
            marks = {mark for _, mark in (*known.files, *known.trees)}
            if same := [path.name for path in files if hash_text(path) in marks]:
                warnings.warn(
                    f"{folder} was trained on most trees of {', '.join(same)}: the figures are too "
                    "high; test it on another treebank",
                    PriscianWarning,
                    stacklevel=2,
                )
    examples = read_examples(files)
    if part != "all":
        examples = dict(zip(PARTS[1:], divide(examples, files), strict=True))[part]
    kept = [example for example in examples if len(example.words) <= longest]
    if not kept:
        named = ", ".join(map(str, files))
        raise DataError(f"{named}: no tree has at most {longest} words; raise `longest=`")
    return score_parser(parser, kept[:limit], progress), len(examples) - len(kept)
