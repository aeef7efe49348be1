"""Gross syntactic state: clauses about one scene, and modifiers that belong to their nouns."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.suites.thousand import LEXICON, content, sentences, thousand, words

from priscian.suites import read_rows

# The plain suite is these without the modifiers.
SUITES = [
    "subordination_orc-orc",
    "subordination_pp-pp",
    pytest.param("subordination_src-src", marks=pytest.mark.slow),
]
PEOPLE = {noun.lemma for noun in LEXICON.all_nouns if noun.person}
# *hid the letter from the embassy*, *stole the wallet from the store*: the verb takes the phrase.
MOVING = {"borrow", "buy", "find", "forget", "hide", "lose", "sell", "steal"}
CASTS = [set(row.parts("people", ",")) for row in read_rows("casts", "kind", "people")]


def test_no_modifier_of_an_object_is_the_complement_of_the_verb():
    for item in thousand("subordination_pp-pp"):
        contents = item["sub_matrix"]
        if words(contents[2])[0].lemma in MOVING:
            modifier = contents[3]
            assert not modifier.startswith("from the ") or "century" in modifier, contents


@pytest.mark.parametrize("name", SUITES)
def test_the_people_of_a_sentence_belong_to_one_scene(name):
    """Not *As the housekeeper ironed the uniform, the magicians swam in the lake*."""
    # Families, friends and the like fit everywhere.
    anywhere = {"police", "child", "neighbor", "customer", "manager", "soldier", "lawyer"}
    for item in thousand(name):
        rest = words(" ".join(item["sub_matrix"][1:]))
        found = {word.lemma for word in rest if word.category == "noun"} & PEOPLE
        assert any(found - anywhere <= cast for cast in CASTS), item["sub_matrix"]


@pytest.mark.parametrize("name", SUITES)
def test_no_content_word_comes_twice(name):
    for _, contents in sentences(name):
        assert max(Counter(content(" ".join(contents))).values()) == 1, contents


@pytest.mark.parametrize("name", SUITES)
def test_subjects_and_clauses_are_spread(name):
    for at, share in ((0, 0.05), (-1, 0.06)):
        counts = Counter(item["sub_matrix"][at].split(" ", 1)[1] for item in thousand(name))
        assert max(counts.values()) <= share * counts.total(), counts.most_common(3)


def test_what_people_did_to_the_subject_fits_whoever_they_are():
    """*the tenant who the manager had recently hired*, *inspectors who the tourist liked*"""
    special = {"hire", "recommend", "send", "impress"}
    for item in thousand("subordination_orc-orc"):
        found = set(content(item["sub_matrix"][1]))
        assert not found & special, item["sub_matrix"]


@pytest.mark.slow
def test_nobody_crashes_what_has_already_crashed():
    for item in thousand("subordination_src-src"):
        if words(item["sub_matrix"][2])[0].lemma == "crash":
            assert "accident" not in item["sub_matrix"][3], item["sub_matrix"]
