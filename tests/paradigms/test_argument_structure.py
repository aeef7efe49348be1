"""What makes the bad sentences of argument structure bad, and keeps them so."""

from __future__ import annotations

import pytest

from priscian.datasets.generation import generate_rows
from priscian.lexicon import load_lexicon
from priscian.paradigms import generate

LEXICON = load_lexicon()
VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}
NOUNS = {noun.lemma: noun for noun in LEXICON.all_nouns}
INTRANSITIVE = {"unerg", "unacc", "optobj", "alt"}
OBJECTFUL = {"trans", "optobj", "alt", "ditrans", "prt"}
# What can stand for people, or be where they are.
METONYMIC = {
    "animate", "institution", "building", "settlement", "region", "document", "vehicle",
    "clothing", "dish", "instrument", "device", "weapon", "tool", "artwork", "event",
}  # fmt: skip


def contrasts(uid, n=300, seed=7):
    """The one word that differs in each pair: good and bad."""
    for pair in generate(uid, n, seed):
        (words,) = [(a, b) for a, b in zip(pair.good.words, pair.bad.words, strict=True) if a != b]
        yield words


def test_no_verb_is_strict_and_lenient_at_once():
    for verb in VERBS.values():
        if "strict" in verb.flags:
            frames = set(verb.frames)
            clash = OBJECTFUL if frames & {"unerg", "unacc"} else INTRANSITIVE
            assert not frames & clash, verb.lemma


@pytest.mark.parametrize("uid", ["animate_subject_passive", "animate_subject_trans"])
def test_the_inanimate_agent_stands_for_nobody(uid):
    for good, bad in contrasts(uid):
        assert NOUNS[good.lemma].animate
        assert not NOUNS[bad.lemma].sorts & METONYMIC, bad.text
        assert good.tag == bad.tag


def test_what_follows_by_is_no_place_to_be():
    for _, bad in contrasts("animate_subject_passive"):
        assert not NOUNS[bad.lemma].sorts & {"place", "furniture", "opening", "structure", "time"}


@pytest.mark.parametrize("uid", ["drop_argument", "intransitive", "inchoative"])
def test_objectless_strict_verbs_are_never_progressive(uid):
    for good, bad in contrasts(uid):
        assert {"trans"} <= VERBS[bad.lemma].frames.keys()
        assert "strict" in VERBS[bad.lemma].flags
        assert not VERBS[bad.lemma].frames.keys() & INTRANSITIVE
        assert not good.tag.endswith("ing")


@pytest.mark.parametrize("uid", ["causative", "transitive", "passive_1", "passive_2"])
def test_the_bad_verb_never_has_an_object(uid):
    for _, bad in contrasts(uid):
        verb = VERBS[bad.lemma]
        assert "strict" in verb.flags
        assert verb.frames.keys() & {"unerg", "unacc"}
        assert not verb.frames.keys() & OBJECTFUL


@pytest.mark.parametrize("uid", ["passive_1", "passive_2"])
def test_passive_bads_have_no_participle_that_describes(uid):
    # *The guests are departed* and *the coupon was expired* pass: both are unaccusative.
    for _, bad in contrasts(uid):
        assert "unerg" in VERBS[bad.lemma].frames


def test_inchoatives_invite_no_middle():
    for pair in generate("inchoative", 300, 7):
        assert not {"can", "could", "will", "would", "can't", "won't"} & set(pair.good.texts)
        assert not any(word.tag.endswith("neg") for word in pair.good.words)


def test_the_critical_word_of_transitive_is_the_noun_of_the_object():
    for pair, row in zip(
        generate("transitive", 50, 7), generate_rows("transitive", 50, 7), strict=True
    ):
        assert pair.good.words[-1].text == row["two_prefix_word"]
        assert pair.good.words[-1].category in ("noun", "name")
