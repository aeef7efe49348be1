"""What makes fillers without gaps and gaps without fillers bad, and keeps them so."""

from __future__ import annotations

import pytest

from priscian.lexicon import load_lexicon
from priscian.paradigms import find, generate

LEXICON = load_lexicon()
VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}
SECOND_OBJECT = {verb.lemma for verb in LEXICON.verbs("second_object")}
HUMAN = {"person", "infant"}
PEOPLE = {noun.lemma for noun in LEXICON.all_nouns if noun.sorts & HUMAN}
THINGS = {noun.lemma for noun in LEXICON.all_nouns if not noun.sorts & HUMAN}
NO_GAP = ["wh_vs_that_no_gap", "wh_vs_that_no_gap_long_distance"]
WITH_GAP = ["wh_vs_that_with_gap", "wh_vs_that_with_gap_long_distance"]
SUBJECT_GAP = ["wh_questions_subject_gap", "wh_questions_subject_gap_long_distance"]
OBJECT_GAP = ["wh_questions_object_gap", "wh_questions_object_gap_long_distance"]


def part(side, name):
    """The words of a labelled constituent."""
    ((start, end),) = [(a, b) for label, a, b in side.marks if label == name]
    return side.words[start:end]


def last_verb(words):
    return [word for word in words if word.category == "verb"][-1]


@pytest.mark.parametrize("uid", NO_GAP + WITH_GAP)
def test_the_matrix_verb_takes_that_as_well_as_a_question(uid):
    for pair in generate(uid, 300, 5):
        verb = VERBS[last_verb(part(pair.good, "verb")).lemma]
        assert {"that", "wh"} <= verb.frames.keys(), pair.good.text
        assert "thatonly" not in verb.flags


@pytest.mark.parametrize("uid", WITH_GAP)
def test_the_clause_with_a_gap_ends_in_a_verb_that_is_out_without_an_object(uid):
    for pair in generate(uid, 300, 5):
        last = pair.bad.words[-1]
        assert last.category == "verb"
        assert "strict" in VERBS[last.lemma].flags, pair.bad.text
        assert last.tag != "verb.ing", pair.bad.text


@pytest.mark.parametrize("uid", NO_GAP + SUBJECT_GAP)
def test_the_filled_clause_has_no_second_object_to_ask_for(uid):
    for pair in generate(uid, 300, 5):
        verb = VERBS[last_verb(pair.good.words).lemma]
        assert "ditrans" not in verb.frames, pair.bad.text
        assert verb.lemma not in SECOND_OBJECT, pair.bad.text


@pytest.mark.parametrize("uid", NO_GAP + WITH_GAP + SUBJECT_GAP + OBJECT_GAP)
def test_what_never_begins_an_exclamation(uid):
    for pair in generate(uid, 300, 5):
        for side in (pair.good, pair.bad):
            for word, after in zip(side.words, side.words[1:], strict=False):
                if word.tag == "wh":
                    assert after.category in {"det", "name"}, side.text
                    assert after.lemma not in {"a", "few", "little", "all", "another"}, side.text


@pytest.mark.parametrize("uid", NO_GAP)
def test_who_asks_for_people_and_what_for_things(uid):
    for pair in generate(uid, 300, 5):
        last = pair.bad.words[-1]
        (wh,) = part(pair.bad, "filler")
        if last.lemma in PEOPLE - THINGS or last.category == "name":
            assert wh.text == "who" or last.lemma[0].isupper(), pair.bad.text
        elif wh.text == "who":
            (noun,) = [n for n in LEXICON.all_nouns if n.lemma == last.lemma]
            assert "institution" in noun.sorts, pair.bad.text


@pytest.mark.parametrize("uid", SUBJECT_GAP + OBJECT_GAP)
def test_the_matrix_verb_takes_an_object_as_well_as_a_question(uid):
    for pair in generate(uid, 300, 5):
        verb = VERBS[last_verb(part(pair.good, "verb")).lemma]
        assert "wh" in verb.frames
        assert verb.frames.keys() & {"trans", "optobj", "alt"}, pair.good.text


def test_between_two_relatives_no_verb_could_take_the_second_as_its_clause():
    for pair in generate("wh_questions_subject_gap_long_distance", 300, 5):
        found = part(pair.good, "object")
        assert found[-1].category == "verb"
        assert "that" not in VERBS[found[-1].lemma].frames, pair.good.text


@pytest.mark.parametrize("uid", NO_GAP + WITH_GAP + SUBJECT_GAP + OBJECT_GAP)
def test_both_sides_have_the_same_tense(uid):
    for pair in generate(uid, 100, 6):
        finite = [
            [w for w in s.words if w.category in {"verb", "aux"}] for s in (pair.good, pair.bad)
        ]
        assert finite[0] == finite[1]


@pytest.mark.parametrize("uid", ["wh_questions_object_gap_long_distance"])
def test_the_paradigm_that_blimp_rejected_is_an_extra(uid):
    assert find(uid).extra
    assert not any(find(other).extra for other in NO_GAP + WITH_GAP + SUBJECT_GAP)
