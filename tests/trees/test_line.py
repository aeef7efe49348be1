"""A line of brackets as a grammar reads it."""

from __future__ import annotations

import lzma
from itertools import islice
from pathlib import Path

import pytest

from priscian.errors import DataError
from priscian.trees.reader import parse_tree


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("(ROOT (S (NP-SBJ (PRP I)) (VP (VBP see)) (. .)))", "(S (NP I) (VP see) .)"),
        ("( (S (NP=2 (DT a) (NN b))))", "(S (NP a b))"),
        ("(ROOT (NNP English))", "(ROOT English)"),
        ("(ROOT (NP (DT a) (NN b)) (. .))", "(ROOT (NP a b) .)"),
        ("(ADJP (RB well) (HYPH -) (VBN known) (NN a))", "(ADJP well-known a)"),
    ],
)
def test_a_line_is_a_tree_without_tags_functions_and_top(line: str, tree: str) -> None:
    assert str(parse_tree(line)) == tree


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("(S (X a)) (S (X b))", "t.txt:7: several trees on a line; write one tree on each line"),
        ("", "t.txt:7: an empty tree on a line"),
        ("(S (X a)", "t.txt:7: the tree that begins here is not closed"),
    ],
)
def test_lines_that_are_not_one_tree_are_refused(line: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_tree(line, Path("t.txt"), 7)


@pytest.mark.parametrize("count", [1_000, pytest.param(14_597, marks=pytest.mark.slow)])
def test_the_trees_of_gum_are_read(count: int, shared: Path) -> None:
    """All of them, 14,597, in `make slow`."""
    with lzma.open(shared / "corpora" / "trees_gum.txt.xz", "rt", encoding="utf-8") as file:
        trees = [parse_tree(line) for line in islice(file, count)]
        assert (next(file, None) is None) == (count == 14_597)
    assert len(trees) == count
