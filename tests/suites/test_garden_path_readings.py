"""Garden paths have one reading where they are closed, and a main verb that is nothing else."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.suites.thousand import LEXICON, NEVER_TRANSITIVE, content, thousand, words

NPZ = ["npz_ambig_mod", "npz_obj_mod"]  # the plain suites are these without the extension
NOUNS = {noun.lemma: noun for noun in LEXICON.all_nouns}
GARDEN_PATHS = [*NPZ, "mvrr_mod"]
# What they mean depends on whether an object follows: *left*, *passed*, *hid*, *woke*.
SHIFTING = {"call", "charge", "fail", "hide", "leave", "meet", "miss", "pass", "return", "wake"}


def head(text):
    """Whether its last noun is a person, and whether it is a plural."""
    noun = words(text)[-1]
    return noun.lemma in NOUNS and NOUNS[noun.lemma].person, noun.tag.endswith("pl")


def test_objects_are_possessive_so_that_no_relative_clause_follows():
    """*helped some beggars the children spoke about …* has no main clause yet."""
    for item in thousand("npz_obj_mod"):
        verb, *rest = item["obj_no-comma"][1].split()
        assert rest[0] in {"his", "her", "its"}, item["obj_no-comma"]
        assert verb == item["no-obj_no-comma"][1]


def test_a_possessive_and_the_next_noun_are_no_apposition():
    """*shaved his friend the sailor*: not two people of one number."""
    for item in thousand("npz_obj_mod"):
        _, verb, _, phrase, *_ = item["obj_no-comma"]
        owned, several = head(" ".join(verb.split()[2:]))
        person, many = head(phrase)
        assert not (owned and person and several == many), item["obj_no-comma"]


@pytest.mark.parametrize("name", NPZ)
def test_the_main_verb_takes_no_preposition_of_its_own(name):
    """*some beggars the children spoke about*: the gap of a relative clause would be there."""
    for item in thousand(name):
        for contents in item.values():
            assert contents[-1].split()[0] not in {"about", "at", "for", "of"}, contents


def test_no_verb_has_another_sense_without_its_object():
    for item in thousand("npz_obj_mod"):
        assert words(item["no-obj_comma"][1])[0].lemma not in SHIFTING


@pytest.mark.parametrize("name", GARDEN_PATHS)
def test_the_verb_that_undoes_the_garden_path_is_no_transitive_participle(name):
    pasts = {verb.past_sg.text: verb for verb in LEXICON.all_verbs}
    for item in thousand(name):
        for contents in item.values():
            form = contents[-2]
            if form in ("was", "were", "became"):
                continue
            verb = pasts[form]
            assert verb.participle.text != form or verb.lemma in NEVER_TRANSITIVE, contents


@pytest.mark.parametrize("name", GARDEN_PATHS)
def test_no_content_word_comes_twice(name):
    """Least of all the critical one: *While the nephew wept the widow wept with joy*."""
    for item in thousand(name):
        for contents in item.values():
            found = Counter(content(" ".join(contents)))
            assert max(found.values()) == 1, contents


@pytest.mark.parametrize(("name", "subject"), [*((name, 0) for name in NPZ), ("mvrr_mod", 1)])
def test_no_critical_verb_and_no_subject_is_frequent(name, subject):
    for column, share in ((subject, 0.04), (-2, 0.11)):
        counts = Counter(next(iter(item.values()))[column].split()[-1] for item in thousand(name))
        assert max(counts.values()) <= share * counts.total(), counts.most_common(3)


def test_neither_participle_is_the_main_verb():
    """*The teacher given the course gave it up* would prime the critical word."""
    for item in thousand("mvrr_mod"):
        main = words(item["reduced_ambig"][5])[0].lemma
        for condition in ("reduced_ambig", "reduced_unambig"):
            assert words(item[condition][2])[0].lemma != main, item[condition]


def test_a_possessive_does_not_name_the_noun_that_follows():
    """*sang her solo the ballad*, *paddled his kayak the canoe*: never one sort in one number."""
    for item in thousand("npz_obj_mod"):
        _, verb, _, phrase, *_ = item["obj_no-comma"]
        owned, bait = words(verb)[-1], words(phrase)[-1]
        if owned.lemma in NOUNS and bait.lemma in NOUNS and owned.tag == bait.tag:
            assert NOUNS[owned.lemma].sorts != NOUNS[bait.lemma].sorts, item["obj_no-comma"]


@pytest.mark.parametrize("name", NPZ)
def test_background_is_told_with_while_and_what_happens_at_once_with_when(name):
    """*When the chauffeur yawned, the bus shook* makes the yawn the cause."""
    lasting = {
        "camp", "chat", "daydream", "dawdle", "doze", "gossip", "kneel", "linger", "loiter",
        "meditate", "nap", "rest", "sleep", "snooze", "snore", "vacation", "yawn",
    }  # fmt: skip
    for item in thousand(name):
        start, verb = next(reversed(item.values()))[:2]
        if start.split()[0] in ("When", "After"):
            assert words(verb)[0].lemma not in lasting, (start, verb)


def test_no_subordinate_verb_sounds_wrong_without_its_object():
    """*the diplomat toured*, *the camper roasted*, *the clerk copied* want an object."""
    wanting = {
        "board", "browse", "copy", "fry", "grade", "inhale", "lead", "perform", "plant", "plunder",
        "print", "roast", "stop", "swallow", "tidy", "tour", "water",
    }  # fmt: skip
    for item in thousand("npz_obj_mod"):
        assert words(item["no-obj_comma"][1])[0].lemma not in wanting, item["no-obj_comma"]


def test_nobody_owns_what_people_do_not_own():
    """*dug his trenches*, *climbed his fence*, *drew her tent*, *hunted his usual woods*."""
    foreign = {"trench", "fence", "tent", "woods", "oxygen", "hole", "path", "arrow"}
    for item in thousand("npz_obj_mod"):
        owned = item["obj_no-comma"][1]
        assert not foreign & set(content(owned)), owned


def test_no_participle_leaks_the_passive():
    """*The sultan attacked in the great battle*: a transitive verb without its object."""
    transitive = {"attack", "shoot", "rob", "injure", "kill", "arrest", "capture"}
    for item in thousand("mvrr_mod"):
        assert words(item["reduced_ambig"][2])[0].lemma not in transitive


def test_no_word_of_a_relative_may_be_an_auxiliary():
    """*the last will rose* begins like a future."""
    for item in thousand("mvrr_mod"):
        inside = " ".join(item["reduced_ambig"][3:5]).split()
        assert not {"will", "can", "might", "must"} & set(inside), inside


def test_no_participle_wants_a_recipient():
    """*The bride offered the bracelet*, *the clerk handed the envelope*: to whom?"""
    for item in thousand("mvrr_mod"):
        verb = words(item["reduced_ambig"][2])[0].lemma
        assert verb not in {"offer", "promise", "hand", "lend", "tell"}, item["reduced_ambig"]


def test_nobody_gets_by_trade_what_the_main_verb_would_give():
    """*The customer quoted the price*, *the swimmer awarded the medal*: at once a relative."""
    takers = {
        "award": {"athlete", "runner", "scientist", "skater", "swimmer", "winner"},
        "leave": {"waiter", "waitress"},
        "quote": {"buyer", "customer", "shopper"},
        "rush": {"patient", "victim"},
        "serve": {"convict", "critic", "customer", "guest", "prisoner"},
        "ship": {"buyer", "customer"},
        "teach": {"beginner", "child", "immigrant", "intern", "pupil", "recruit"},
    }
    for item in thousand("mvrr_mod"):
        _, head, verb, *_ = item["reduced_ambig"]
        assert head not in takers.get(words(verb)[0].lemma, ()), item["reduced_ambig"]
