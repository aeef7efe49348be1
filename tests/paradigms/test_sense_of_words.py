"""Words fit each other: no synonyms, no singular *they*, no deed before its time."""

from __future__ import annotations

from itertools import combinations

import pytest

from priscian.grammar import Grammar, Reject
from priscian.lexicon import load_lexicon
from priscian.paradigms import generate
from priscian.paradigms.phrases import human, object_of

LEXICON = load_lexicon()
VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}
EXPECTED = {noun.lemma for noun in LEXICON.select("occupation|villain|royal").nouns}
WILL = {"will", "won't", "would", "might", "may", "can", "could", "should", "must"}


def of(pair, category):
    return [word for word in pair.good.words if word.category == category]


def test_nobody_who_could_be_singular_they_is_contrasted_with_themselves():
    sure = {noun.lemma for noun in LEXICON.select("@he_or_she").nouns if noun.gender}
    assert {"woman", "waitress", "uncle"} <= sure
    assert not {"waiter", "butler", "tenor"} & sure
    singular = plural = 0
    for pair in generate("anaphor_number_agreement", 600, 71):
        if pair.bad.words[-1].text == "themselves":
            singular += 1
            assert all(noun.lemma in sure for noun in of(pair, "noun")), pair.bad.text
        else:
            plural += 1
    assert singular > 200
    assert plural > 200


def test_no_name_is_given_to_women_as_often_as_to_men():
    names = {name.lemma for name in LEXICON.names("first", None)}
    shared = ["Alexis", "Ashley", "Cameron", "Kelly", "Leslie", "Ronnie", "Sam", "Sidney", "Tracy"]
    assert names.isdisjoint(shared)


def test_a_word_keeps_its_synonyms_out_of_the_sentence():
    g = Grammar(seed=72)
    telephone = [g.noun("=telephone")]
    assert telephone[0].lemma == "telephone"
    with pytest.raises(Reject):
        g.noun("=phone")
    g.begin()
    assert g.noun("=phone").lemma == "phone"


@pytest.mark.parametrize(
    "uid",
    ["coordinate_structure_constraint_complex_left_branch", "only_npi_scope", "adjunct_island"],
)
def test_no_two_words_of_a_sentence_mean_the_same(uid):
    for pair in generate(uid, 1000, 73):
        lemmas = {word.lemma for word in (*of(pair, "noun"), *of(pair, "verb"))}
        for one, other in combinations(sorted(lemmas), 2):
            assert other not in LEXICON.synonyms.get(one, ()), pair.good.text


def test_no_question_word_leaves_the_clause_of_a_weak_bridge():
    for pair in generate("wh_island", 400, 74):
        assert not {word.lemma for word in of(pair, "verb")} & {"disclose", "divulge"}


@pytest.mark.parametrize("uid", ["drop_argument", "intransitive"])
def test_what_wants_an_object_is_not_left_without(uid):
    wanting = {"clean", "prepare", "order", "grill", "count", "empty", "translate"}
    for pair in generate(uid, 1000, 75):
        assert not {word.lemma for word in of(pair, "verb")} & wanting, pair.good.text


def test_no_container_empties_by_itself():
    for pair in generate("inchoative", 1000, 76):
        assert not {w.lemma for w in of(pair, "verb")} & {"empty", "fill", "heat"}, pair.good.text


@pytest.mark.parametrize(
    "uid", ["determiner_noun_agreement_with_adj_2", "determiner_noun_agreement_with_adjective_1"]
)
def test_what_is_over_is_not_yet_to_come(uid):
    for pair in generate(uid, 3000, 77):
        words = {word.text for word in pair.good.words}
        if words & {"recent", "previous"}:
            assert not words & WILL, pair.good.text
            assert not {w.lemma for w in of(pair, "verb")} & {"postpone", "cancel"}, pair.good.text


def test_a_participle_goes_with_what_is_said_of_the_thing():
    for pair in generate("irregular_past_participle_adjectives", 1000, 78):
        words = {word.text for word in pair.good.words}
        assert not words & {"eaten", "icy"}, pair.good.text


@pytest.mark.parametrize(
    "uid", ["wh_vs_that_with_gap", "wh_vs_that_with_gap_long_distance", "wh_island"]
)
def test_what_does_not_ask_for_people(uid):
    uses = LEXICON.predicates("trans", "strict noteworthy").entries
    for pair in generate(uid, 400, 79):
        if "what" in {word.text.lower() for word in pair.good.words}:
            last = of(pair, "verb")[-1].lemma
            nouns = [object_of(use).nouns for use in uses if use.lemma == last]
            assert any(sum(map(human, ns)) <= 0.1 * len(ns) for ns in nouns), pair.good.text


def test_even_somebody_of_whom_one_would_not_expect_it():
    for pair in generate("npi_present_1", 400, 80):
        (verb,) = [VERBS[word.lemma] for word in of(pair, "verb")]
        subjects = [use.subject for frame in verb.frames for use in verb.frames[frame]]
        if not any(subject.admits_names for subject in subjects):
            who = {word.lemma for word in of(pair, "noun")[:1]}
            assert who.isdisjoint(EXPECTED), pair.good.text


@pytest.mark.parametrize(
    "uid", ["determiner_noun_agreement_1", "transitive", "anaphor_number_agreement"]
)
def test_nobody_marries_several_people(uid):
    for pair in generate(uid, 1500, 81):
        tags = [w.tag for w in pair.good.words if w.category in {"noun", "name"}]
        if {w.lemma for w in of(pair, "verb")} & {"marry", "wed", "divorce"} and len(tags) > 1:
            assert not any(tag.endswith(".pl") for tag in tags), pair.good.text
