"""Subject–verb agreement: the verb is a verb, and what it says fits whoever it is said of."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.suites.thousand import LEXICON, content, sentences, thousand, words

from priscian.lexicon import CONTENT
from priscian.suites import find, read_rows

NUMBER = ["number_orc", "number_prep", "number_src"]
NOUNS = {form.text for noun in LEXICON.all_nouns for form in (noun.singular, noun.plural) if form}
# Nouns that the lexicon has as verbs only: *the student cooks*, *trainee volunteers*.
ALSO_NOUNS = {
    "climb", "coach", "cook", "cry", "dance", "deal", "design", "dream", "drink", "drive", "fear",
    "feed", "fly", "guard", "hate", "hope", "hunt", "laugh", "look", "love", "need", "paint",
    "plan", "play", "rent", "repair", "ride", "run", "sail", "sleep", "smile", "smoke",
    "snore", "stand", "stay", "study", "support", "swim", "train", "travel", "treat", "visit",
    "volunteer", "vote", "wait", "want", "wear", "work", "worry",
}  # fmt: skip
# What people do again and again says nothing of who stands where at the moment.
HABITS = {"bake", "bring", "collect", "deliver", "donate", "grow", "sell", "sing", "teach", "write"}


def at(name, region, condition="match_plural"):
    place = find(name).regions.index(region)
    return [item[condition][place] for item in thousand(name)]


@pytest.mark.parametrize("name", NUMBER)
def test_no_verb_that_agrees_is_spelt_like_a_noun(name):
    """*The tailors that thanked the student cook …* begins with a compound."""
    for condition in ("match_plural", "mismatch_plural"):
        forms = set(at(name, "matrix_v", condition))
        assert not forms & (NOUNS | ALSO_NOUNS | {f"{noun}s" for noun in ALSO_NOUNS})


def test_no_embedded_verb_names_what_somebody_is():
    """*The chef that the kids called cooks …*"""
    assert "called" not in at("number_orc", "embed_vp")


def test_nobody_who_stands_somewhere_has_a_habit():
    """*The baker behind the tourists sells fresh bread at the market*"""
    states = {(row["verb"], row["rest"]) for row in read_rows("states", "verb", "rest")}
    verbs = {"are": "be"}
    for verb, rest in zip(
        at("number_prep", "matrix_v"), at("number_prep", "continuation"), strict=True
    ):
        assert verb not in HABITS
        assert (verbs.get(verb, verb), rest) in states


@pytest.mark.parametrize("name", NUMBER)
def test_no_content_word_comes_twice(name):
    for _, contents in sentences(name):
        assert max(Counter(content(" ".join(contents))).values()) == 1, contents


@pytest.mark.parametrize("name", NUMBER)
def test_nobody_echoes_a_verb(name):
    """*the pharmacist that the visitors visited*, *the collector collects stamps*"""
    for _, contents in sentences(name):
        found = [word for word in words(" ".join(contents)) if word.category in CONTENT]
        verbs = {word.lemma.removesuffix("e") for word in found if word.category == "verb"}
        for word in found:
            if word.category == "noun":
                assert not any(word.lemma.startswith(verb) for verb in verbs), contents


@pytest.mark.parametrize("name", NUMBER)
def test_heads_and_verbs_are_spread(name):
    for region, share in (("np_sing", 0.03), ("matrix_v", 0.12)):
        counts = Counter(at(name, region, "match_sing"))
        assert max(counts.values()) <= share * counts.total(), counts.most_common(3)


MEETINGS = [
    {cell: row.parts(cell, ",") for cell in ("heads", "others", "orc", "src")}
    for row in read_rows("meetings", "heads", "others", "orc", "src")
]


@pytest.mark.parametrize("name", NUMBER)
def test_the_two_people_of_a_sentence_meet_and_do_what_such_people_do(name):
    """Not *the babysitter that the joggers loved*, nor *the prisoner that defended the lawyers*."""
    kind = name.split("_")[1]
    other_at = "prep_np" if kind == "prep" else "embed_np"
    deeds = [""] * 1000 if kind == "prep" else at(name, "embed_vp")
    for head, other, deed in zip(at(name, "np_sing"), at(name, other_at), deeds, strict=True):
        one, two = words(head)[0].lemma, words(other)[0].lemma
        did = words(deed)[0].lemma if deed else ""
        assert any(
            one in row["heads"] and two in row["others"] and (not did or did in row[kind])
            for row in MEETINGS
        ), (head, other, deed)


@pytest.mark.parametrize("table", ["habits", "states"])
def test_everyone_with_a_habit_meets_somebody(table):
    met = {head for row in MEETINGS for head in row["heads"]}
    for row in read_rows(table, "verb", "rest", "subjects"):
        assert set(row.parts("subjects", ",")) <= met, row["rest"]


def test_nobody_meets_people_of_the_same_kind_by_another_name():
    """*the pupil near the students*, *the traveler beside the tourists*"""
    alike = [
        {"tourist", "traveler", "hiker", "visitor"}, {"pupil", "student", "graduate"},
        {"author", "novelist", "poet", "writer"}, {"artist", "painter", "sculptor"},
        {"coach", "trainer"}, {"journalist", "reporter"}, {"customer", "guest", "client"},
        {"professor", "lecturer"}, {"doctor", "surgeon", "physician"}, {"chef", "cook"},
    ]  # fmt: skip
    for row in MEETINGS:
        for words_ in alike:
            assert not (words_ & {*row["heads"]} and words_ & {*row["others"]}), row


def test_what_tells_somebody_from_others_is_a_deed():
    """*The shepherd that respected the doctors* could be any; *that greeted the hikers* is one."""
    feelings = {"respect", "like", "dislike", "distrust", "admire", "love", "hate"}
    for row in MEETINGS:
        assert not feelings & {*row["src"]}, row


def test_nobody_of_whom_a_town_has_one_is_met_in_the_plural():
    """*the activist to the left of the mayors*"""
    for row in MEETINGS:
        assert not {"mayor", "governor", "bride", "groom"} & {*row["others"]}, row


@pytest.mark.parametrize("name", ["number_orc", "number_src"])
def test_what_people_did_to_each_other_needs_no_story(name):
    """*hired the tenant*, *rescued the accountants*, *loved the joggers*"""
    special = {"hired", "rescued", "loved", "surprised", "interviewed", "photographed", "pitied"}
    assert not special & set(at(name, "embed_vp"))


def test_people_who_meet_did_something_once_and_may_be_several():
    """*the shepherd that respected the doctors* tells nobody apart; a town has one mayor."""
    for row in MEETINGS:
        assert not {"dislike", "distrust", "respect"} & {*row["orc"], *row["src"]}, row
        assert not {"governor", "landlord", "mayor"} & {*row["heads"], *row["others"]}, row
