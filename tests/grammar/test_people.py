"""Phrases that are natural by default: who is drawn, with which determiner, in which number."""

from __future__ import annotations

import pytest

from priscian.grammar import Grammar
from priscian.lexicon import Word, load_lexicon

LEXICON = load_lexicon()
POSSESSIVES = LEXICON.determiner_lemmas("possessive")


def drawn(slot, n=300, **options):
    grammar = Grammar(seed=8)
    for _ in range(n):
        grammar.begin()
        yield grammar.dp(slot, **options)


def first(dp):
    return dp.determiner[0].lemma if dp.determiner else ""


def test_where_anybody_is_possible_people_of_everyday_life_are_drawn():
    for dp in drawn("person", names=False):
        assert dp.noun.flags & {"everyday", "anyone"}, dp.noun.lemma


def test_a_narrow_slot_keeps_all_its_people():
    lemmas = {dp.noun.lemma for dp in drawn("villain", 2000, names=False)}
    assert lemmas == {noun.lemma for noun in LEXICON.select("villain").nouns}


def test_people_and_things_are_both_drawn_where_both_are_possible():
    people = sum(dp.person for dp in drawn("entity"))
    assert 90 < people < 210


@pytest.mark.parametrize("slot", ["kin&!@standalone", "@related", "body_part"])
def test_relatives_and_parts_of_the_body_have_a_possessive(slot):
    for dp in drawn(slot, names=False):
        assert first(dp) in POSSESSIVES, dp


def test_with_another_determiner_no_relatives_are_drawn():
    possessed = LEXICON.select("@possessed").members
    for dp in drawn("person", names=False, det="the|indefinite"):
        assert dp.noun not in possessed


def test_one_has_one_mother():
    for dp in drawn("=mother,father,wife,husband"):
        assert dp.number == "sg"
        assert first(dp) in {"my", "your", "his", "her"}


def test_what_is_dealt_with_in_numbers_is_plural():
    for dp in drawn("=bean,pea,noodle,sock,blueberry"):
        assert dp.number == "pl"
    assert all(dp.number == "sg" for dp in drawn("=bean,pea", 20, number="sg"))


def test_no_universal_quantifier_is_drawn_by_default():
    lemmas = {first(dp) for dp in drawn("object", 2000)}
    assert not lemmas & {"all", "every", "each", "both", "most", "no"}
    assert {"the", "a", "some", "several"} <= lemmas


def test_known_phrases_are_definite():
    known = LEXICON.determiner_lemmas("definite")
    for dp in drawn("object", det="known"):
        assert first(dp) in known
        assert dp.determiner[0] != Word("that", "that", "det.sg")


def test_an_adjective_of_people_says_nothing_about_the_deed():
    grammar = Grammar(seed=3)
    neutral = {a.lemma for a in LEXICON.all_adjectives if a.classes & {"unmarked", "nationality"}}
    for _ in range(200):
        grammar.begin()
        dp = grammar.dp("person", names=False, adjective=True)
        assert dp.modifiers[0].lemma in neutral


def test_plain_verbs_are_never_rare():
    grammar = Grammar(seed=3)
    for _ in range(300):
        grammar.begin()
        assert "rare" not in grammar.plain_verb(subject="person").flags


@pytest.mark.parametrize("slot", ["place", "building|structure", "vehicle|machine", "event"])
def test_one_deals_with_one_place_building_or_event_at_a_time(slot):
    several = [dp.number == "pl" for dp in drawn(slot, names=False)]
    assert sum(several) < 0.2 * len(several)


def test_a_part_of_the_body_is_somebodys_own():
    for dp in drawn("body_part"):
        assert first(dp) in {"my", "your", "his", "her"}, dp


def test_where_anybody_is_possible_one_person_at_most_is_known_by_their_work():
    grammar = Grammar(seed=9)
    for _ in range(300):
        grammar.begin()
        people = [grammar.dp("person", names=False).noun for _ in range(3)]
        assert sum("occupation" in noun.sorts for noun in people) <= 1
