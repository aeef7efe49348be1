"""Wh-clefts: what follows *was* has one category, and nobody *does* the thing."""

from __future__ import annotations

import re
from collections import Counter

from tests.suites.thousand import LEXICON, content, sentences, thousand, words

from priscian.suites import find
from priscian.suites.text import read_rows

CLEFT, MODIFIED = "cleft", "cleft_modifier"
MASS = {noun.lemma for noun in LEXICON.all_nouns if not noun.plural} | {
    "attack", "capture", "comfort", "cover", "damage", "drink", "feed", "fire", "hide", "paint",
    "peel", "plant", "polish", "praise", "refuse", "rent", "repair", "rescue", "return", "rubbish",
    "scrub", "support", "trade", "transport", "wash", "water", "wear", "wrap",
}  # fmt: skip
# What one can do: chores, dishes, drugs, texts, works, rooms and parts of the body.
DOABLE = {
    "acid", "apartment", "ankle", "banner", "book", "brandy", "cake", "contract", "cottage",
    "diary", "dye", "email", "file", "firm", "house", "invoice", "knee", "law", "leaflet", "letter",
    "library", "manuscript", "map", "memo", "message", "opium", "paint", "photo", "pie", "pill",
    "plaster", "portrait", "poster", "pudding", "report", "road", "salad", "schedule", "sign",
    "soup", "steak", "stew", "syrup", "tart", "theater", "translation", "vaccine", "wine", "wound",
}  # fmt: skip


# Whose work on a thing is to *do* it: *what the hairdresser did was the wig*.
DOERS = {
    "artist", "barber", "blacksmith", "builder", "carpenter", "cleaner", "decorator", "electrician",
    "hairdresser", "handyman", "mason", "mechanic", "painter", "plumber", "roofer", "sculptor",
    "seamstress", "stylist", "tailor", "technician", "welder",
}  # fmt: skip
# What nobody wants of a thing, unless it is for this that it is found, mended or thrown away.
SPOILT = {"torn", "leaky", "cracked", "faulty", "frayed"}


def region(name, label, condition):
    at = find(name).regions.index(label)
    return [item[condition][at] for item in thousand(name)]


def test_no_second_verb_is_a_mass_noun():
    """*What the hunter found was hide …*, *what the maid lost was wash …*"""
    assert not {text.split()[0] for text in region(CLEFT, "verb.1", "vp_match")} & MASS


def test_no_thing_is_what_one_does():
    """*What the guest did was the soup*, *what the smuggler did was opium*"""
    for text in set(region(CLEFT, "matrix_v", "np_mismatch")):
        head = words(text.split(" of ")[0])[-1]
        assert head.lemma not in DOABLE, text
        assert not any(noun.person for noun in LEXICON.all_nouns if noun.lemma == head.lemma), text


def test_modifiers_have_no_stranger_in_them():
    """*What the actress did when the zookeeper went on vacation was …* is about two strangers."""
    strangers = {noun.lemma for noun in LEXICON.select("@bystander").members}
    known = {"baby", "child", "guest", "neighbor", "witness"}
    for text in set(region(MODIFIED, "modifier", "vp_match")):
        assert not set(content(text)) & (strangers - known), text


def test_no_content_word_comes_twice():
    for _, contents in sentences(MODIFIED):
        assert max(Counter(content(" ".join(contents))).values()) == 1, contents


def test_subjects_and_verbs_are_spread():
    for label, condition, share in (
        ("subj", "np_match", 0.04),
        ("verb", "np_match", 0.09),
        ("verb.1", "vp_match", 0.09),
        ("matrix_v", "np_match", 0.02),
    ):
        counts = Counter(region(CLEFT, label, condition))
        assert max(counts.values()) <= share * counts.total(), (label, counts.most_common(3))


def test_modifiers_tell_a_time_and_no_motive():
    """*insured … once the guests were out of sight*; *according to the police* wants commas."""
    for text in set(region(MODIFIED, "modifier", "vp_match")):
        assert text.split()[0] not in {"according", "despite", "once"}, text


def test_nobody_has_the_job_of_doing_the_thing():
    for text in set(region(CLEFT, "subj", "np_mismatch")):
        assert text.split()[-1] not in DOERS, text


def test_nothing_is_spoilt_for_its_verbs():
    """*raised the torn sail*"""
    for text in set(region(CLEFT, "matrix_v", "np_match")):
        assert not SPOILT & set(text.split()), text


def test_first_verbs_are_deeds_and_no_reports():
    """*described as soon as the rain stopped*; *forgot was lock* might pass"""
    reports = {"described", "mentioned", "forgot", "chose", "suggested", "ignored", "praised"}
    assert not set(region(CLEFT, "verb", "np_match")) & reports
    for text in set(region(MODIFIED, "modifier", "np_match")):
        assert text.split()[0] != "as", text


def test_every_scene_has_modifiers_of_its_own():
    for row in read_rows("cleft", "objects", "modifiers"):
        assert len(row.parts("modifiers", ",")) >= 2, row["objects"]


def test_a_deed_of_a_moment_is_not_told_of_a_month():
    """*What the schoolboy did last summer was drop the telescope*"""
    moments = {"break", "drop", "kick", "scratch", "tear", "throw", "unplug", "unwrap"}
    spans = {"month", "october", "spring", "summer", "winter", "year"}
    for row in read_rows("cleft", "first", "second", "modifiers"):
        if moments & {*row["first"].split(","), *re.split("[, ]", row["second"])}:
            for text in row.parts("modifiers", ","):
                assert not spans & set(text.lower().split()), (row["second"], text)


def test_nobody_sells_what_is_borrowed():
    for row in read_rows("cleft", "first", "second"):
        kept = {"sell", "give away"} & set(row.parts("second", ","))
        assert not (kept and {"borrow", "rent"} & set(row.parts("first", ","))), row["second"]
