"""Labelled recall, precision and F1 by hand, under the rules of EVALB's parameter file COLLINS."""

from __future__ import annotations

import pytest

from priscian.errors import DataError
from priscian.trees.evalb import evalb
from priscian.trees.reader import parse_tree

# S NP VP PP NP over "The dog ran to me"; the full stop is taken out.
RAN = "(ROOT (S (NP (DT The) (NN dog)) (VP (VBD ran) (PP (IN to) (NP (PRP me)))) (. .)))"
# The PP hangs on S: VP has one word less. One tag is wrong.
HIGH = "(ROOT (S (NP (DT The) (NN dog)) (VP (VBD ran)) (PP (TO to) (NP (PRP me))) (. .)))"


@pytest.mark.parametrize(
    ("gold", "guess", "counts"),  # constituents of the treebank, of the guess, of both
    [
        (RAN, RAN, (5, 5, 5)),
        (RAN, HIGH, (5, 5, 4)),
        # where punctuation hangs does not matter
        ("(S (NP (NN a)) (, ,) (VP (VB b)))", "(S (NP (NN a) (, ,)) (VP (VB b)))", (3, 3, 3)),
        ("(S (`` \") (X (NN a)) ('' \"))", "(S (X (`` \") (NN a)) ('' \"))", (2, 2, 2)),
        # a constituent of punctuation alone is none
        ("(S (PRN (, ,)) (NN a))", "(S (, ,) (NN a))", (1, 1, 1)),
        # brackets are words, as in the file COLLINS
        ("(S (X (-LRB- -LRB-) (NN a)))", "(S (-LRB- -LRB-) (X (NN a)))", (2, 2, 1)),
        # particles and adverbs are one label
        ("(VP (VB go) (PRT (RP out)))", "(VP (VB go) (ADVP (RP out)))", (2, 2, 2)),
        # each constituent answers for one only
        ("(NP (NP (NN a)))", "(NP (NN a))", (2, 1, 1)),
        # right words, wrong label
        ("(S (NP (NN a) (NN b)) (VP (VB c)))", "(S (VP (NN a) (NN b)) (VP (VB c)))", (3, 3, 2)),
        # a top of several parts does not count
        ("(ROOT (NP (NN a)) (NP (NN b)))", "(ROOT (NN a) (NP (NN b)))", (2, 1, 1)),
    ],
)
def test_constituents_are_counted_as_evalb_does(
    gold: str, guess: str, counts: tuple[int, int, int]
) -> None:
    found = evalb([(parse_tree(gold), parse_tree(guess))])
    assert (found.gold, found.guessed, found.matched) == counts


def test_counts_are_summed_before_they_are_divided() -> None:
    pairs = [(RAN, HIGH), ("(NP (NP (NN a)))", "(NP (NN a))"), (RAN, RAN)]
    found = evalb((parse_tree(a), parse_tree(b)) for a, b in pairs)
    assert (found.gold, found.guessed, found.matched) == (12, 11, 10)
    assert found.recall == pytest.approx(100 * 10 / 12)
    assert found.precision == pytest.approx(100 * 10 / 11)
    assert found.f1 == pytest.approx(100 * 20 / 23)
    assert found.complete_match == pytest.approx(100 / 3)
    assert (found.words, found.tagged) == (11, 10)  # without the two full stops
    assert found.tagging == pytest.approx(100 * 10 / 11)
    assert found.shares()["f1"] == 86.96


def test_what_is_punctuation_is_for_the_treebank_to_say() -> None:
    gold, guess = "(S (NP (NN a)) (. !))", "(S (NP (NN a)) (NN !))"
    assert evalb([(parse_tree(gold), parse_tree(guess))]).f1 == 100


def test_trees_of_other_words_are_refused() -> None:
    with pytest.raises(DataError, match="sentence 2 has other words"):
        evalb([(parse_tree(RAN), parse_tree(RAN)), (parse_tree(RAN), parse_tree("(S (X a))"))])
