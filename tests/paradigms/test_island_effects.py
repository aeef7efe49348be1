"""What makes extraction out of islands bad, and keeps it so."""

from __future__ import annotations

from collections import Counter

import pytest

from priscian.lexicon import load_lexicon
from priscian.paradigms import find, generate, paradigms

LEXICON = load_lexicon()
VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}
SECOND_OBJECT = {verb.lemma for verb in LEXICON.verbs("second_object")}
SINGULAR_WITH_PLURAL = {noun.lemma for noun in LEXICON.all_nouns if noun.count == "count"}
ISLANDS = [uid for uid, p in paradigms().items() if p.phenomenon == "island_effects"]
LEFT_BRANCH = [
    "left_branch_island_echo_question",
    "left_branch_island_simple_question",
    "coordinate_structure_constraint_complex_left_branch",
]


def verbs(words):
    return [word for word in words if word.category == "verb"]


@pytest.mark.parametrize("uid", ISLANDS)
def test_every_question_ends_in_a_question_mark(uid):
    for pair in generate(uid, 100, 5):
        assert pair.good.text.endswith("?")
        assert pair.bad.text.endswith("?")


@pytest.mark.parametrize("uid", [u for u in ISLANDS if u != "wh_island"])
def test_both_sides_have_the_same_words(uid):
    for pair in generate(uid, 200, 5):
        assert Counter(pair.good.words) == Counter(pair.bad.words)


@pytest.mark.parametrize("uid", ["adjunct_island", "complex_NP_island", "wh_island"])
def test_the_gap_of_the_bad_sentence_is_the_object_of_its_last_verb(uid):
    for pair in generate(uid, 300, 5):
        last = pair.bad.words[-1]
        assert last.category == "verb", pair.bad.text
        assert "trans" in VERBS[last.lemma].frames, pair.bad.text
        if uid != "adjunct_island":
            assert "strict" in VERBS[last.lemma].flags, pair.bad.text


@pytest.mark.parametrize("uid", ["adjunct_island", "complex_NP_island", *LEFT_BRANCH])
def test_a_filled_verb_has_no_second_object_to_ask_for(uid):
    for pair in generate(uid, 300, 5):
        first = verbs(pair.bad.words)[0]
        assert "ditrans" not in VERBS[first.lemma].frames, pair.bad.text
        assert first.lemma not in SECOND_OBJECT, pair.bad.text


@pytest.mark.parametrize("uid", LEFT_BRANCH)
def test_what_is_split_from_its_noun_asks_for_one_thing(uid):
    seen = set()
    for pair in generate(uid, 300, 5):
        which = pair.bad.words[0]
        (noun,) = [
            w
            for w, before in zip(pair.good.words, (None, *pair.good.words), strict=False)
            if before is not None and before == which
        ]
        seen.add(which.text)
        assert noun.lemma in SINGULAR_WITH_PLURAL, pair.good.text
        assert which.text != "what" or noun.tag == "noun.sg", pair.good.text
    assert seen == {"which", "what", "whose"}


def test_a_gerund_is_a_singular_subject():
    for pair in generate("sentential_subject_island", 500, 5):
        auxiliary = pair.good.words[1]
        assert not auxiliary.tag.endswith(".pl"), pair.good.text
        assert any(word.tag.endswith(".poss") for word in pair.good.words)
        gerund = next(w for w in pair.good.words if w.tag == "verb.ing")
        assert "strict" in VERBS[gerund.lemma].flags


def test_no_verb_of_an_embedded_question_shows_number():
    for pair in generate("wh_island", 500, 5):
        at = next(i for i, (a, b) in enumerate(zip(*both(pair), strict=True)) if a != b)
        for word in pair.good.words[at + 1 :]:
            assert not word.tag.endswith((".sg", ".pl")), pair.good.text
        matrix = verbs(pair.good.words[:at])[-1]
        assert {"that", "wh"} <= VERBS[matrix.lemma].frames.keys()


def both(pair):
    return pair.good.words, pair.bad.words


def test_the_conjunct_left_behind_would_do_as_an_object():
    for pair in generate("coordinate_structure_constraint_object_extraction", 300, 5):
        last, verb = pair.bad.words[-1], VERBS[verbs(pair.bad.words)[-1].lemma]
        slots = [frame.object for frame in verb.frames["trans"]]
        if last.category == "name":
            assert any(slot.admits_names for slot in slots), pair.bad.text
        else:
            assert any(n.lemma == last.lemma for slot in slots for n in slot.nouns), pair.bad.text


def test_subject_extraction_from_a_coordination_is_an_extra():
    extras = [uid for uid in ISLANDS if find(uid).extra]
    assert extras == ["coordinate_structure_constraint_subject_extraction"]
    for pair in generate(extras[0], 200, 5):
        assert pair.good.texts.count("which") == 1
        assert pair.good.words[1:] != pair.bad.words[1:]
