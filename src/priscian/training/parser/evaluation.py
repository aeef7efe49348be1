"""A parser against the trees of a treebank."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from priscian.errors import DataError, UnknownNameError
from priscian.models.parser.parser import Parser
from priscian.training.parser.treebank import Example, divide, read_examples
from priscian.trees.evalb import Evalb, evalb

PARTS = ("all", "train", "dev", "test")


def score_parser(parser: Parser, examples: Sequence[Example]) -> Evalb:
    """How well a parser finds the trees of examples."""
    guesses = parser.parse([example.words for example in examples])
    return evalb(zip((example.tree for example in examples), guesses, strict=True))


def evaluate(model: Path, files: Sequence[Path], part: str, longest: int) -> tuple[Evalb, int]:
    """Counts as EVALB has them, and how many trees were over the limit."""
    if part not in PARTS:
        raise UnknownNameError("part of a treebank", part, PARTS)
    parser = Parser.load(model)
    examples = read_examples(files)
    if part != "all":
        examples = dict(zip(PARTS[1:], divide(examples, files), strict=True))[part]
    kept = [example for example in examples if len(example.words) <= longest]
    if not kept:
        named = ", ".join(map(str, files))
        raise DataError(f"{named}: no tree has at most {longest} words; raise --longest")
    return score_parser(parser, kept), len(examples) - len(kept)
