"""Center embedding: each verb suits its own noun, and no other noun of the sentence."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.suites.thousand import LEXICON, content, sentences, thousand, words

from priscian.suites import find
from priscian.suites.text import read_rows

EMBED, MODIFIED = "center_embed", "center_embed_mod"
NOUNS = {noun.lemma: noun for noun in LEXICON.all_nouns}
VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}
WITHOUT_OBJECT = ("unerg", "unacc", "inch", "drop")
PEOPLE = {"anybody", "anyone", "everybody", "everyone", "nobody", "somebody", "someone"}
# What people do too, if only in a manner of speaking: *the tenant expired*, *the bride glowed*.
PEOPLE_DO_TOO = {
    "ached", "collapsed", "croaked", "crowed", "deteriorated", "disappeared", "erred", "expired",
    "flopped", "glowed", "hissed", "itched", "loomed", "shone", "smoldered", "thrived", "vanished",
}  # fmt: skip
ROWS = read_rows("center_embeddings", "heads", "subjects", "verbs", "ends", "modifiers")


def column(name, label):
    at = find(name).regions.index(label)
    return [item["plaus"][at] for item in thousand(name)]


def is_person(text):
    lemma = words(text)[-1].lemma
    return lemma in NOUNS and NOUNS[lemma].person


def can(lemma, verb):
    """True if the lexicon knows both and lets the noun do this by itself."""
    if lemma not in NOUNS or verb is None:
        return False
    uses = [use for frame in WITHOUT_OBJECT for use in verb.frames.get(frame, ())]
    return any(NOUNS[lemma] in use.subject.members for use in uses)


def test_no_person_does_something_to_a_person():
    """*The thief that the sheriff flinched arrested*: either of them may flinch."""
    for head, subject in zip(column(EMBED, "np_1"), column(EMBED, "np_2"), strict=True):
        assert not (is_person(head) and is_person(subject)), (head, subject)


def test_what_a_head_does_its_subject_cannot_do():
    """*The horse that the jockey limped groomed*: a jockey may limp too."""
    pasts = {verb.past_sg.text: verb for verb in VERBS.values()}
    for subject, end in zip(column(EMBED, "np_2"), column(EMBED, "verb2"), strict=True):
        assert not can(words(subject)[-1].lemma, pasts.get(end)), (subject, end)
        assert not (is_person(subject) and end in PEOPLE_DO_TOO), (subject, end)


def test_no_noun_of_a_modifier_suits_the_verb_of_the_head():
    """*the florist with the silver hair gleamed*, *the storm that nobody expected prayed*"""
    pasts = {verb.past_sg.text: verb for verb in VERBS.values()}
    columns = [column(MODIFIED, label) for label in ("np_1", "modifier", "verb2")]
    for head, modifier, end in zip(*columns, strict=True):
        for word in words(modifier):
            assert not can(word.lemma, pasts.get(end)), (modifier, end)
            if is_person(head):
                assert not is_person(word.text), (head, modifier)
                assert word.text not in PEOPLE, (head, modifier)


def test_no_modifier_ends_in_what_could_go_with_the_verb():
    """*the gardener who was never late bloomed*, *the tailor who worked alone*: a noun is last."""
    adjectives = {adjective.lemma for adjective in LEXICON.all_adjectives}
    for modifier in set(column(MODIFIED, "modifier")):
        last = words(modifier)[-1]
        assert last.category == "noun" or last.text not in adjectives, modifier
        assert last.text not in {"late", "alone", "nearby", "upstairs"}, modifier
        assert last.category != "adv", modifier
        assert last.tag != "verb.past", modifier


def test_what_is_done_to_a_head_it_does_not_do_by_itself():
    """*The champagne that the waiter fizzed poured*, *The horse that the rider neighed fed*"""
    # Pasts that things and animals have without an object, which the lexicon does not list.
    alone = {"fed", "launched", "poured", "rolled", "stirred", "swept", "weighed"}
    pasts = {verb.past_sg.text: verb for verb in VERBS.values()}
    for head, done in zip(column(EMBED, "np_1"), column(EMBED, "verb1"), strict=True):
        assert done not in alone, (head, done)
        assert not can(words(head)[-1].lemma, pasts.get(done)), (head, done)
        if done in pasts:
            assert not {"alt", "inch", "unacc"} & pasts[done].frames.keys(), (head, done)


def test_what_lasts_does_not_hit():
    """*the recession that lasted for years struck*, *the crisis from the year before hit*"""
    punctual = {"hit", "struck", "bit", "stung", "caught", "pricked", "scratched", "grazed"}
    for row in ROWS:
        if punctual & set(row.parts("verbs", ",")):
            for modifier in row.parts("modifiers", ","):
                assert "lasted" not in modifier, modifier
                assert "before" not in modifier, modifier


@pytest.mark.parametrize("name", [EMBED, MODIFIED])
def test_no_content_word_comes_twice(name):
    for _, contents in sentences(name):
        assert max(Counter(content(" ".join(contents))).values()) == 1, contents


def test_nouns_and_verbs_are_spread():
    for label, share in (("np_1", 0.025), ("np_2", 0.035), ("verb1", 0.09), ("verb2", 0.09)):
        counts = Counter(column(EMBED, label))
        assert max(counts.values()) <= share * counts.total(), (label, counts.most_common(3))
