"""Irregular pasts and participles: many of them, and none that could be another form."""

from __future__ import annotations

from collections import Counter

import pytest

from priscian.lexicon import load_lexicon
from priscian.paradigms import generate

VERBS = {verb.lemma: verb for verb in load_lexicon().all_verbs}
UIDS = ["irregular_past_participle_adjectives", "irregular_past_participle_verbs"]


def contrasts(uid, n, seed=3):
    for pair in generate(uid, n, seed):
        (words,) = [(a, b) for a, b in zip(pair.good.words, pair.bad.words, strict=True) if a != b]
        yield words


@pytest.mark.parametrize(("uid", "least"), [(UIDS[0], 30), (UIDS[1], 50)])
def test_many_verbs_each_as_often(uid, least):
    counts = Counter(good.lemma for good, _ in contrasts(uid, 1000))
    assert len(counts) >= least
    assert max(counts.values()) < 60


@pytest.mark.parametrize("uid", UIDS)
def test_neither_form_could_be_a_present_or_is_in_doubt(uid):
    for good, bad in contrasts(uid, 300):
        verb = VERBS[good.lemma]
        assert good.lemma == bad.lemma
        assert verb.irregular
        assert not verb.variable
        assert len({verb.bare.text, good.text, bad.text}) == 3


def test_a_describing_participle_is_replaced_by_the_past():
    for good, bad in contrasts(UIDS[0], 200):
        assert (good.tag, bad.tag) == ("verb.en", "verb.past")


def test_a_told_past_is_replaced_by_the_participle_and_something_follows():
    for pair in generate(UIDS[1], 200, 3):
        (at,) = [i for i, w in enumerate(pair.good.words) if w != pair.bad.words[i]]
        assert pair.good.words[at].tag == "verb.past"
        assert pair.bad.words[at].tag == "verb.en"
        # *the vase broken* alone might be a noun with its participle
        assert at < len(pair.good.words) - 1
