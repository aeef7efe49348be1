"""A parser or a grammar against the trees of a treebank."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from priscian.errors import DataError, PriscianWarning, UnknownNameError, UsageError
from priscian.files import read_json
from priscian.models.folder import architecture_of
from priscian.models.parser import Parser
from priscian.training.corpora import hash_text
from priscian.training.parser.corpus import check_longest
from priscian.training.parser.treebank import Example, divide, read_examples
from priscian.training.subsets import Mark
from priscian.trees import Tree
from priscian.trees.evalb import Evalb, evalb

PARTS = ("all", "train", "dev", "test")
AT_ONCE = 64
"""Sentences between two reports of progress."""


class BuildsTrees(Protocol):
    """Finds the tree of a sentence."""

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Tree]:
        """The tree of each sentence, a list of words."""
        ...


def score_parser(
    parser: BuildsTrees,
    examples: Sequence[Example],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Evalb:
    """How well the trees of examples are found."""
    guesses: list[Tree] = []
    for at in range(0, len(examples), AT_ONCE):
        guesses += parser.parse([example.words for example in examples[at : at + AT_ONCE]])
        progress(len(guesses), len(examples))
    return evalb(zip((example.tree for example in examples), guesses, strict=True))


def evaluate(
    model: Path,
    files: Sequence[Path],
    part: str,
    longest: int,
    limit: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Evalb, int]:
    """Counts as EVALB has them, and how many trees were over the limit of words."""
    if part not in PARTS:
        raise UnknownNameError("part of a treebank", part, PARTS)
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} trees leaves none; give 1 or more")
    check_longest(longest)
    parser = _load(model)
    _warn_if_trained_on(model, files)
    examples = read_examples(files)
    if part != "all":
        examples = dict(zip(PARTS[1:], divide(examples, files), strict=True))[part]
    kept = [example for example in examples if len(example.words) <= longest]
    if not kept:
        named = ", ".join(map(str, files))
        raise DataError(f"{named}: no tree has at most {longest} words; raise `longest=`")
    return score_parser(parser, kept[:limit], progress), len(examples) - len(kept)


def _warn_if_trained_on(folder: Path, files: Sequence[Path]) -> None:
    """A grammar holds out other trees of its treebank than a parser, whose parts `--part` names."""
    if architecture_of(folder) != "rnng" or not (folder / "card.json").is_file():
        return
    known = read_json(folder / "card.json", _Card).corpus
    marks = {mark for _, mark in (*known.files, *known.trees)}
    if same := [path.name for path in files if hash_text(path) in marks]:
        warnings.warn(
            f"{folder} was trained on most trees of {', '.join(same)}: the figures are too high; "
            "test it on another treebank",
            PriscianWarning,
            stacklevel=4,
        )


class _Corpus(msgspec.Struct, frozen=True):
    files: tuple[Mark, ...] = ()
    trees: tuple[Mark, ...] = ()


class _Card(msgspec.Struct, frozen=True):
    corpus: _Corpus = _Corpus()


def _load(folder: Path) -> BuildsTrees:
    """A parser, or a grammar, which finds the most probable tree in its beam."""
    if architecture_of(folder) != "rnng":
        return Parser.load(folder)
    from priscian.models.rnng import Beam, RnngModel

    return RnngModel(folder, Beam())
