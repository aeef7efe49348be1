"""A line of brackets as a tree, as a grammar reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.errors import DataError
from priscian.trees.line import parse_tree


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("(ROOT (S (NP-SBJ (PRP I)) (VP (VBP see)) (. .)))", "(S (NP I) (VP see) .)"),
        ("( (S (NP=2 (DT a) (NN b))))", "(S (NP a b))"),
        ("(ROOT (NNP English))", "(ROOT English)"),
        ("(ROOT (NP (DT a) (NN b)) (. .))", "(ROOT (NP a b) .)"),
        ("(S (NP they) bark)", "(S (NP they) bark)"),  # no parts of speech
        ("(NP (-LRB- -LRB-) (`` “) (NN a) ('' ’’) (-RRB- -RRB-))", '(NP ( " a ’’ ))'),
        ("(ADJP (RB well) (HYPH -) (VBN known) (NN a))", "(ADJP well-known a)"),
        ("(NP (NN a) (HYPH -) (IN to) (HYPH -) (NN b) (NN c))", "(NP a-to-b c)"),
        ("(NP (HYPH -) (NN home))", "(NP - home)"),
    ],
)
def test_a_line_is_a_tree_without_tags_functions_and_top(line: str, tree: str) -> None:
    assert str(parse_tree(line)) == tree


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("(S (NP a)", "brackets do not match: 1 bracket left open"),
        ("(S (NP a)))", "the tree ends too soon"),
        ("(S (NP a)) (S b)", "put one on each line"),
        ("words alone", "brackets do not match"),
        ("(S (NP))", r"an empty tree: \(NP\) has no words"),
        ("()", "an empty tree"),
        ("", "an empty tree"),
        ("(X " * 300 + "a" + ")" * 300, "a tree deeper than 200"),
    ],
)
def test_lines_that_are_no_tree_are_refused(line: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_tree(line)


def test_every_tree_of_gum_is_read(shared: Path) -> None:
    import lzma

    with lzma.open(shared / "corpora" / "trees_gum.txt.xz", "rt", encoding="utf-8") as file:
        trees = [parse_tree(line) for line in file]
    assert len(trees) == 14_597
