"""Ellipsis: numerals with plurals, and adjectives that cannot be anything but stranded."""

from __future__ import annotations

import pytest

from priscian.lexicon import load_lexicon
from priscian.paradigms import generate

ADJECTIVES = {adjective.lemma: adjective for adjective in load_lexicon().all_adjectives}
NUMERALS = {d.lemma for d in load_lexicon().all_determiners if d.kind == "numeral"}
UIDS = ["ellipsis_n_bar_1", "ellipsis_n_bar_2"]


@pytest.mark.parametrize("uid", UIDS)
def test_two_numerals_count_plurals(uid):
    for pair in generate(uid, 300, 41):
        for side in (pair.good, pair.bad):
            counted = [w for w in side.words if w.lemma in NUMERALS]
            assert len({w.lemma for w in counted}) == 2
            for word, after in zip(side.words, side.words[1:], strict=False):
                if word.lemma in NUMERALS and after.category == "noun":
                    assert after.tag == "noun.pl"


@pytest.mark.parametrize("uid", UIDS)
def test_what_is_stranded_is_neither_noun_nor_state_nor_order(uid):
    for pair in generate(uid, 300, 42):
        last = pair.bad.words[-1]
        assert last.category == "adj"
        assert pair.bad.words[-2].lemma in NUMERALS
        classes = ADJECTIVES[last.lemma].classes
        assert not classes & {"stage", "age", "size", "colour", "nationality", "material"}


@pytest.mark.parametrize("uid", UIDS)
def test_no_preposition_dangles(uid):
    for pair in generate(uid, 300, 43):
        assert all(word.category != "prep" for word in (*pair.good.words, *pair.bad.words))


def test_the_good_sentence_ends_where_the_noun_was():
    for pair in generate("ellipsis_n_bar_1", 100, 44):
        assert pair.good.words[-1].lemma in NUMERALS
    for pair in generate("ellipsis_n_bar_2", 100, 44):
        assert pair.good.words[-1].category == "noun"
        assert pair.good.words[-1] in pair.bad.words
