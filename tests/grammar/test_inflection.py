"""Tense, aspect, modality, negation and do-support, worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.grammar import BE, Grammar, Inflection, conjugate
from priscian.grammar.inflection import split
from priscian.lexicon import load_lexicon

LEXICON = load_lexicon()
VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}


def finite(lemma, number, **options):
    verb = BE if lemma == "be" else VERBS[lemma]
    return " ".join(word.text for word in conjugate(verb, Inflection(**options), number))


@pytest.mark.parametrize(
    ("options", "singular", "plural"),
    [
        ({"tense": "past"}, "broke", "broke"),
        ({"tense": "pres"}, "breaks", "break"),
        ({"tense": "pres", "perfect": True}, "has broken", "have broken"),
        ({"tense": "past", "perfect": True}, "had broken", "had broken"),
        ({"tense": "past", "progressive": True}, "was breaking", "were breaking"),
        (
            {"tense": "pres", "perfect": True, "progressive": True},
            "has been breaking",
            "have been breaking",
        ),
        ({"modal": "could"}, "could break", "could break"),
        ({"modal": "might", "perfect": True}, "might have broken", "might have broken"),
        ({"tense": "past", "negation": "n't"}, "didn't break", "didn't break"),
        ({"tense": "pres", "negation": "n't"}, "doesn't break", "don't break"),
        ({"tense": "pres", "negation": "not"}, "does not break", "do not break"),
        ({"modal": "will", "negation": "n't"}, "won't break", "won't break"),
        ({"modal": "can", "negation": "n't"}, "can't break", "can't break"),
        ({"modal": "might", "negation": "n't"}, "might not break", "might not break"),
    ],
)
def test_verb_groups(options, singular, plural):
    assert finite("break", "sg", **options) == singular
    assert finite("break", "pl", **options) == plural


@pytest.mark.parametrize(
    ("options", "singular", "plural"),
    [
        ({"tense": "past"}, "was", "were"),
        ({"tense": "pres", "negation": "n't"}, "isn't", "aren't"),
        ({"tense": "pres", "perfect": True}, "has been", "have been"),
        ({"modal": "should"}, "should be", "should be"),
    ],
)
def test_the_copula_needs_no_do(options, singular, plural):
    assert finite("be", "sg", **options) == singular
    assert finite("be", "pl", **options) == plural


def test_questions_put_the_auxiliary_first_and_use_do_only_when_there_is_none():
    verb = VERBS["break"]
    aux, rest = split(verb, Inflection("past"), "sg")
    assert (aux.text, [w.text for w in rest]) == ("did", ["break"])
    aux, rest = split(verb, Inflection("pres", perfect=True), "pl")
    assert (aux.text, [w.text for w in rest]) == ("have", ["broken"])
    aux, rest = split(BE, Inflection("past"), "pl")
    assert (aux.text, rest) == ("were", ())
    aux, rest = split(verb, Inflection(modal="might", negation="not"), "sg")
    assert (aux.text, [w.text for w in rest]) == ("might", ["not", "break"])


INFLECTIONS = st.builds(
    Inflection,
    st.sampled_from(("past", "pres")),
    st.sampled_from(("", "can", "will", "might")),
    st.booleans(),
    st.booleans(),
    st.sampled_from(("", "n't", "not")),
)


@given(st.sampled_from(sorted(VERBS)), INFLECTIONS)
def test_only_the_first_word_shows_number_and_only_if_the_inflection_agrees(lemma, inflection):
    one = conjugate(VERBS[lemma], inflection, "sg")
    many = conjugate(VERBS[lemma], inflection, "pl")
    assert len(one) == len(many)
    assert one[1:] == many[1:]
    assert (one[0].tag != many[0].tag) == inflection.agrees


@given(st.sampled_from(sorted(VERBS)), INFLECTIONS, st.sampled_from(("sg", "pl")))
def test_a_question_has_the_words_of_the_statement_but_for_do(lemma, inflection, number):
    statement = conjugate(VERBS[lemma], inflection, number)
    aux, rest = split(VERBS[lemma], inflection, number)
    if inflection.has_auxiliary:
        assert (aux, *rest) == statement
    else:
        assert aux.lemma == "do"
        assert rest == (VERBS[lemma].bare,)


@given(st.integers(0, 10_000))
def test_statives_are_never_progressive(seed):
    g = Grammar(LEXICON, seed)
    verb = g.verb("transitive", "stative")
    assert not g.inflection(verb).progressive


@given(st.integers(0, 10_000), st.sampled_from(("agree", "modal", "perfect", "auxiliary", "past")))
def test_the_kind_of_inflection_is_kept(seed, kind):
    g = Grammar(LEXICON, seed)
    drawn = g.inflection(g.verb("transitive"), kind=kind, negation=0)
    expected = {
        "agree": drawn.agrees,
        "modal": bool(drawn.modal),
        "perfect": drawn.perfect,
        "auxiliary": drawn.has_auxiliary,
        "past": drawn == Inflection("past"),
    }
    assert expected[kind]
