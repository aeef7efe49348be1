"""Formulas in words and symbols: every operator, with sentences worked out by hand."""

from __future__ import annotations

import pytest

from priscian.formulas import formula_symbols, formula_words, parse_formula, region_labels
from priscian.suites import suites

REGIONS = ("start", "verb", "noun", "end")

IN_WORDS = {
    # one comparison
    "(2;%a%)<(2;%b%)": "“verb” is less surprising in a than in b",
    "(2;%a%)>(2;%b%)": "“verb” is more surprising in a than in b",
    "(2;%a%)=(2;%b%)": "“verb” is as surprising in a as in b",
    "(*;%a%)<(*;%b%)": "the whole sentence is less surprising in a than in b",
    "(2;%a%)<(3;%a%)": "in a, “verb” is less surprising than “noun”",
    "(2;%a%)>(3;%b%)": "“verb” in a is more surprising than “noun” in b",
    "(2;%a%)=(3;%b%)": "“verb” in a is as surprising as “noun” in b",
    # sums
    "((2;%a%)+(3;%a%))<((2;%b%)+(3;%b%))": (
        "“verb” and “noun” together are less surprising in a than in b"
    ),
    "((2;%a%)+(3;%a%)+(4;%a%))>(2;%b%)": (
        "“verb”, “noun” and “end” in a together are more surprising than “verb” in b"
    ),
    "((2;%a%)+(2;%b%))<((2;%c%)+(2;%d%))": (
        "the surprisal of “verb” in a plus the surprisal of “verb” in b is less than "
        "the surprisal of “verb” in c plus the surprisal of “verb” in d"
    ),
    # differences
    "((2;%a%)-(2;%b%))>0": "“verb” is more surprising in a than in b",
    "((2;%a%)-(2;%b%))=0": "“verb” is as surprising in a as in b",
    "((2;%a%)-(2;%b%))>((2;%c%)-(2;%d%))": (
        "the surprisal of “verb” rises more from b to a than from d to c"
    ),
    "((2;%a%)-(2;%b%))<((3;%c%)-(3;%d%))": (
        "the surprisal of “verb” rises less from b to a than that of “noun” from d to c"
    ),
    "((2;%a%)-(2;%b%))=((2;%c%)-(2;%d%))": (
        "the surprisal of “verb” rises as much from b to a as from d to c"
    ),
    "((2;%a%)-(3;%a%))>((2;%b%)-(3;%b%))": (
        "the surprisal of “verb” in a minus the surprisal of “noun” in a is more than "
        "the surprisal of “verb” in b minus the surprisal of “noun” in b"
    ),
    # nested differences
    "((2;%a%)-((2;%b%)-(2;%c%)))<(2;%d%)": (
        "the surprisal of “verb” in a minus the rise in surprisal of “verb” from c to b is less "
        "than the surprisal of “verb” in d"
    ),
    "((2;%a%)-((2;%b%)-(3;%c%)))<(2;%d%)": (
        "the surprisal of “verb” in a minus (the surprisal of “verb” in b minus the surprisal of "
        "“noun” in c) is less than the surprisal of “verb” in d"
    ),
    "(((3;%a%)-(3;%b%))+(((2;%c%)+(3;%c%))-((2;%d%)+(3;%d%))))>0": (
        "the rise in surprisal of “noun” from b to a plus the rise in surprisal of “verb” and "
        "“noun” from d to c is more than 0 bits"
    ),
    # constants
    "(2;%a%)>3": "“verb” in a has more than 3 bits of surprisal",
    "(2;%a%)<1": "“verb” in a has less than 1 bit of surprisal",
    "((2;%a%)-(2;%b%))>2.5": "“verb” is more than 2.5 bits more surprising in a than in b",
    "((2;%a%)-(2;%b%))=2": "“verb” is 2 bits more surprising in a than in b",
    "((2;%a%)-(2;%b%))>-2": "the rise in surprisal of “verb” from b to a is more than −2 bits",
    # and, or
    "((2;%a%)<(2;%b%))&((3;%c%)>(3;%d%))": (
        "“verb” is less surprising in a than in b, and “noun” is more surprising in c than in d"
    ),
    "((2;%a%)<(2;%b%))|((3;%c%)>(3;%d%))": (
        "“verb” is less surprising in a than in b, or “noun” is more surprising in c than in d"
    ),
    "((2;%a%)<(2;%b%))&((2;%b%)<(2;%c%))|((2;%c%)<(2;%d%))": (
        "(“verb” is less surprising in a than in b, and “verb” is less surprising in b than in "
        "c), or “verb” is less surprising in c than in d"
    ),
    "((2;%a%)<(2;%b%))&(((2;%b%)<(2;%c%))|((2;%c%)<(2;%d%)))": (
        "“verb” is less surprising in a than in b, and (“verb” is less surprising in b than in "
        "c, or “verb” is less surprising in c than in d)"
    ),
}

IN_SYMBOLS = {
    "(2;%a%)<(2;%b%)": "S(a, verb) < S(b, verb)",
    "(*;%a%)=(*;%b%)": "S(a) = S(b)",
    "((2;%a%)+(3;%a%)+(4;%a%))>1.5": "S(a, verb) + S(a, noun) + S(a, end) > 1.5",
    "((2;%a%)-((2;%b%)-(2;%c%)))<-3": "S(a, verb) − (S(b, verb) − S(c, verb)) < −3",
    "((2;%a%)<(2;%b%))&((2;%b%)<(2;%c%))|((2;%c%)<(2;%d%))": (
        "((S(a, verb) < S(b, verb)) ∧ (S(b, verb) < S(c, verb))) ∨ (S(c, verb) < S(d, verb))"
    ),
}


@pytest.mark.parametrize(("formula", "said"), IN_WORDS.items())
def test_a_formula_is_said_in_plain_words(formula: str, said: str) -> None:
    assert formula_words(parse_formula(formula), REGIONS) == said


@pytest.mark.parametrize(("formula", "shown"), IN_SYMBOLS.items())
def test_a_formula_is_written_with_names_of_regions(formula: str, shown: str) -> None:
    assert formula_symbols(parse_formula(formula), REGIONS) == shown


def test_a_region_without_a_name_is_called_by_its_number() -> None:
    formula = parse_formula("(2;%a%)<(5;%a%)")
    assert formula_words(formula) == "in a, region 2 is less surprising than region 5"
    assert formula_symbols(formula, ["x", ""]) == "S(a, region 2) < S(a, region 5)"


def test_regions_with_the_same_name_are_told_apart_by_number() -> None:
    assert region_labels(["the", "dog", "the"]) == ("the (1)", "dog", "the (3)")
    said = formula_words(parse_formula("(1;%a%)<(3;%a%)"), ["the", "dog", "the"])
    assert said == "in a, “the (1)” is less surprising than “the (3)”"


@pytest.mark.parametrize("name", sorted(suites()))
def test_our_suites_are_said_without_numbers_of_regions(name: str) -> None:
    suite = suites()[name]
    for prediction in suite.predictions:
        said = formula_words(parse_formula(prediction), suite.regions)
        assert "region " not in said
        assert "%" not in said
