"""Phrases keep their features; agreement, selection and pronouns follow them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import GrammarError
from priscian.grammar import AND, PAST, Either, Grammar, Reject, label, other_number
from priscian.grammar.phrases import leaves
from priscian.lexicon import load_lexicon

LEXICON = load_lexicon()
SEEDS = st.integers(0, 1_000_000)


def text(*nodes):
    return " ".join(word.text for word in leaves(*nodes))


def noun(lemma):
    return next(n for n in LEXICON.all_nouns if n.lemma == lemma)


@pytest.fixture
def g():
    return Grammar(LEXICON, 1)


@given(SEEDS)
def test_determiners_fit_number_and_countability(seed):
    g = Grammar(LEXICON, seed)
    dp = g.dp("entity", names=False)
    words = [w.text for w in leaves(dp)]
    if words[:2] == ["a", "few"]:
        assert dp.number == "pl"
    elif words[:2] == ["a", "little"]:
        assert dp.noun.mass
    elif dp.number == "pl":
        assert words[0] not in {"a", "this", "that", "every", "each", "another"}
    else:
        assert words[0] not in {"these", "those", "many", "several", "all"}
        assert not dp.noun.mass or words[0] not in {"a", "every", "each", "another"}
    if "unique" in dp.noun.flags:
        assert words[0] == "the"


@given(SEEDS)
def test_subject_and_object_are_what_the_verb_selects(seed):
    g = Grammar(LEXICON, seed)
    verb = g.verb("transitive")
    try:
        subject, thing = g.subject(verb), g.object(verb)
    except Reject:
        return
    assert subject.noun in verb.subject
    assert thing.noun in verb.object


@given(SEEDS)
def test_no_lemma_comes_twice_in_a_sentence(seed):
    g = Grammar(LEXICON, seed)
    try:
        clause = g.clause("transitive")
        other = g.clause("transitive")
    except Reject:
        return
    content = [
        w.lemma for w in leaves(clause, AND, other) if w.category in {"noun", "verb", "name"}
    ]
    assert len(content) == len(set(content))


@given(SEEDS)
def test_features_survive_adjectives_relatives_and_coordination(seed):
    g = Grammar(LEXICON, seed)
    try:
        dp = g.dp("person", names=False)
        relative = g.relative(g.described(dp), g.vp(subject=dp))
        both = g.coordinate(dp, g.dp("person"))
    except Reject:
        return
    assert (relative.noun, relative.number, relative.gender) == (dp.noun, dp.number, dp.gender)
    assert both.number == "pl"


@given(SEEDS)
def test_a_finite_verb_agrees_with_its_subject_and_the_other_number_disagrees(seed):
    g = Grammar(LEXICON, seed)
    subject = g.dp("person")
    vp = g.vp(subject=subject, inflection="agree")
    right, wrong = vp.agree(subject), vp.agree(other_number(subject.number))
    assert f".{subject.number}" in right[0].tag
    assert f".{other_number(subject.number)}" in wrong[0].tag
    assert right[1:] == wrong[1:]


@given(SEEDS)
def test_reflexives_follow_number_and_gender(seed):
    g = Grammar(LEXICON, seed)
    dp = g.dp("person")
    reflexive = g.reflexive(dp).text
    if dp.number == "pl":
        assert reflexive == "themselves"
    elif dp.gender:
        assert reflexive == {"m": "himself", "f": "herself"}[dp.gender]
    else:
        assert reflexive in {"himself", "herself"}


@given(SEEDS)
def test_a_gerund_subject_is_singular_whoever_acts(seed):
    g = Grammar(LEXICON, seed)
    try:
        verb = g.verb("transitive", subject="person")
        owner = g.dp(verb.subject, "pl", names=False)
        gerund = g.gerund(owner, g.vp(verb))
    except Reject:
        return
    assert gerund.number == "sg"
    assert "'" in text(g.possessor(owner))


def test_possessors(g):
    assert text(g.possessor(g.phrase(noun("child"), "pl", "the"))) == "the children's"
    assert text(g.possessor(g.phrase(noun("boss"), "pl", "the"))) == "the bosses'"
    assert text(g.possessor(g.phrase(noun("boss"), "sg", "the"))) == "the boss's"


def test_changing_number_noun_and_determiner_changes_nothing_else(g):
    dp = g.phrase(noun("child"), "pl", "demonstrative")
    det = dp.determiner[0].text
    assert det in {"these", "those"}
    assert text(g.with_number(dp, "sg")) == f"{det} child"
    singular = {"these": "this", "those": "that"}[det]
    assert text(g.with_determiner_number(dp, "sg")) == f"{singular} children"
    assert text(g.with_noun(dp, noun("hammer"))) == f"{det} hammers"


def test_passives_select_the_object_as_subject(g):
    verb = g.verb("trans", "!nopass")
    passive = g.passive(verb, PAST, by=g.phrase(noun("nurse"), "sg", "the"))
    assert passive.subject is verb.object
    expected = f"were {verb.verb.participle.text} by the nurse"
    assert text(passive.agree("pl")) == expected


def test_adverbs_stand_after_the_first_auxiliary_or_before_the_verb(g):
    ever = g.word("ever", "adv")
    verb = g.verb("unerg")
    bare, past = verb.verb.bare.text, verb.verb.past_sg.text
    assert text(g.vp(verb, PAST).with_adverb(ever).agree("sg")) == f"ever {past}"
    modal = g.vp(verb, "modal", negation=0)
    words = text(modal.with_adverb(ever).agree("sg")).split()
    assert words[1:] == ["ever", bare]
    copula = g.copular(g.word("tired", "adj"), PAST)
    assert text(copula.with_adverb(ever).agree("pl")) == "were ever tired"


def test_inversion_puts_the_subject_after_the_auxiliary(g):
    verb = g.verb("unerg")
    dp = g.phrase(noun("nurse"), "sg", "the")
    assert text(g.vp(verb, PAST).invert(dp)) == f"did the nurse {verb.verb.bare.text}"


def test_names_take_no_restrictive_relative(g):
    with pytest.raises(GrammarError, match="names=False"):
        g.relative(g.named(), g.vp("unerg"))


def test_a_verb_phrase_without_its_subject_is_no_part_of_a_sentence(g):
    with pytest.raises(GrammarError, match=r"vp\.agree"):
        g.sentence(g.named(), g.vp("unerg"))


def test_a_form_that_a_noun_lacks_is_refused(g):
    with pytest.raises(GrammarError, match="no sg form"):
        g.phrase(noun("scissors"), "sg")


def test_sentences_have_capital_mark_article_and_spans(g):
    dp = g.phrase(noun("apple"), "sg", "a")
    sentence = g.sentence(subject=dp, verb=label("finite", g.word("fell", "verb.past")))
    assert sentence.text == "An apple fell."
    assert sentence["subject"] == "An apple"
    assert sentence["finite"] == sentence["verb"] == "fell"
    assert g.sentence(g.word("who"), g.word("left"), end="?").text == "Who left?"


def test_adjectives_decide_the_article(g):
    apple, hammer = g.phrase(noun("apple"), "sg", "a"), g.phrase(noun("hammer"), "sg", "a")
    assert g.sentence(apple.modified(g.word("ripe"))).text == "A ripe apple."
    assert g.sentence(hammer.modified(g.word("old"))).text == "An old hammer."


def test_a_pair_that_differs_in_its_article_too_is_drawn_anew(g):
    apple, pear = noun("apple"), noun("pear")
    with pytest.raises(Reject):
        g.pair(Either(g.phrase(apple, "sg", "a"), g.phrase(pear, "sg", "a")))


@given(SEEDS)
def test_spans_cut_out_just_the_words_of_their_constituent(seed):
    g = Grammar(LEXICON, seed)
    try:
        clause = g.clause("transitive")
    except Reject:
        return
    sentence = g.sentence(subject=clause.subject, predicate=clause.vp.agree(clause.subject))
    assert f"{sentence['subject']} {sentence['predicate']}." == sentence.text
    assert sentence.text[0].isupper()
    assert "  " not in sentence.text


@given(SEEDS)
def test_the_same_seed_draws_the_same_sentence(seed):
    def draw():
        g = Grammar(LEXICON, seed)
        try:
            return g.sentence(g.clause()).text
        except Reject:
            return ""

    assert draw() == draw()
