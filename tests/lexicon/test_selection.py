"""Sort expressions: precedence, inheritance, negation, lists and complaints."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import LexiconError
from priscian.lexicon import load_lexicon
from priscian.lexicon.selection import Both, Lemmas, Not, OneOf, SelectionError, Sort, parse

LEXICON = load_lexicon()


def test_and_binds_closer_than_or():
    assert parse("a|b&c") == OneOf(Sort("a"), Both(Sort("b"), Sort("c")))
    assert parse("(a|b)&c") == Both(OneOf(Sort("a"), Sort("b")), Sort("c"))


def test_not_binds_closest():
    assert parse("!a&b") == Both(Not(Sort("a")), Sort("b"))
    assert parse("!(a|b)") == Not(OneOf(Sort("a"), Sort("b")))


def test_lists_of_lemmas_join_with_sorts():
    assert parse("=cake,ice cream|fruit") == OneOf(Lemmas(("cake", "ice cream")), Sort("fruit"))
    assert parse("fruit|=cake,pie&food") == OneOf(
        Sort("fruit"), Both(Lemmas(("cake", "pie")), Sort("food"))
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty expression"),
        ("person|", "ends too early"),
        ("person food", "expected | & or the end"),
        ("(person", "not closed"),
        ("person)", "unexpected ')'"),
        ("=cake,,pie", "empty lemma"),
        ("PERSON", "cannot read"),
        ("|person", "unexpected '|'"),
    ],
)
def test_what_cannot_be_read_is_explained(text, complaint):
    with pytest.raises(SelectionError, match=complaint.replace("|", r"\|").replace(")", r"\)")):
        parse(text)


def test_sorts_are_inherited():
    lemmas = {noun.lemma for noun in LEXICON.select("animate").nouns}
    assert {"nurse", "cat", "mother"} <= lemmas
    assert "hammer" not in lemmas


def test_negation_and_lists():
    admitted = LEXICON.select("person&!kin").members
    assert not any("kin" in noun.sorts for noun in admitted)
    assert [noun.lemma for noun in LEXICON.select("=hammer,nurse").nouns] != []


def test_names_are_admitted_where_any_person_is():
    assert LEXICON.select("person").admits_names
    assert LEXICON.select("person&!kin").admits_names
    assert LEXICON.select("animate|event").admits_names
    assert not LEXICON.select("occupation").admits_names
    assert not LEXICON.select("food").admits_names


def test_unknown_sorts_are_refused():
    with pytest.raises(LexiconError, match="unknown sort 'persn'"):
        LEXICON.select("persn")


SORTS = st.sampled_from(sorted(LEXICON.sorts))


@given(SORTS, SORTS)
def test_union_intersection_and_negation_are_set_algebra(a, b):
    one, two = LEXICON.select(a).members, LEXICON.select(b).members
    assert LEXICON.select(f"{a}|{b}").members == one | two
    assert LEXICON.select(f"{a}&{b}").members == one & two
    assert LEXICON.select(f"{a}&!{b}").members == one - two
    assert LEXICON.select(f"!({a}|{b})").members == LEXICON.select(f"!{a}&!{b}").members
