"""Center embedding: each verb suits its own noun, and no other noun of the sentence."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.suites.thousand import LEXICON, content, sentences, thousand, words

from priscian.suites import find

EMBED, MODIFIED = "center_embed", "center_embed_mod"
NOUNS = {noun.lemma: noun for noun in LEXICON.all_nouns}
VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}
WITHOUT_OBJECT = ("unerg", "unacc", "inch", "drop")
PEOPLE = {"anybody", "anyone", "everybody", "everyone", "nobody", "somebody", "someone"}
# Nouns in the modifiers of people; none blooms, rots, gleams, barks …
HARMLESS = {"child", "lie", "north", "south", "east", "continent", "Sunday", "hurry"}


def column(name, label):
    at = find(name).regions.index(label)
    return [item["plaus"][at] for item in thousand(name)]


def is_person(text):
    lemma = words(text)[-1].lemma
    return lemma in NOUNS and NOUNS[lemma].person


def test_no_person_does_something_to_a_person():
    """*The thief that the sheriff flinched arrested*: either of them may flinch."""
    for head, subject in zip(column(EMBED, "np_1"), column(EMBED, "np_2"), strict=True):
        assert not (is_person(head) and is_person(subject)), (head, subject)


def test_what_a_head_does_its_subject_cannot_do():
    """*The horse that the jockey limped groomed*: a jockey may limp too."""
    pasts = {verb.past_sg.text: verb for verb in VERBS.values()}
    for subject, end in zip(column(EMBED, "np_2"), column(EMBED, "verb2"), strict=True):
        noun = NOUNS.get(words(subject)[-1].lemma)
        uses = [u for frame in WITHOUT_OBJECT for u in pasts[end].frames.get(frame, ())]
        assert noun is None or not any(noun in use.subject.members for use in uses), (subject, end)


def test_no_noun_of_a_modifier_suits_the_verb_of_the_head():
    """*the florist with the silver hair gleamed*, *the storm that nobody expected prayed*"""
    columns = [column(MODIFIED, label) for label in ("np_1", "np_2", "modifier")]
    for head, subject, modifier in zip(*columns, strict=True):
        for word in words(modifier):
            if is_person(head):
                assert not is_person(word.text), (head, modifier)
                assert word.text not in PEOPLE, (head, modifier)
            elif is_person(subject) and word.category == "noun":
                assert is_person(word.text) or word.lemma in HARMLESS, (head, modifier)


@pytest.mark.parametrize("name", [EMBED, MODIFIED])
def test_no_content_word_comes_twice(name):
    for _, contents in sentences(name):
        assert max(Counter(content(" ".join(contents))).values()) == 1, contents


def test_nouns_and_verbs_are_spread():
    for label, share in (("np_1", 0.025), ("np_2", 0.035), ("verb1", 0.09), ("verb2", 0.09)):
        counts = Counter(column(EMBED, label))
        assert max(counts.values()) <= share * counts.total(), (label, counts.most_common(3))
