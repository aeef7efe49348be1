"""The proof of an edit accepts what is declared and refuses everything else."""

from __future__ import annotations

import pytest

from priscian.errors import GrammarError
from priscian.lexicon import Word
from priscian.paradigms import (
    Exchange,
    Reordering,
    SpanSubstitution,
    Substitution,
    prove,
)
from priscian.paradigms.edits import differences

WORDS = {
    "the": Word("the", "the", "det"),
    "boy": Word("boy", "boy", "noun.sg"),
    "boys": Word("boys", "boy", "noun.pl"),
    "girl": Word("girl", "girl", "noun.sg"),
    "sleeps": Word("sleeps", "sleep", "verb.pres.sg"),
    "sleep": Word("sleep", "sleep", "verb.pres.pl"),
    "slept": Word("slept", "sleep", "verb.past"),
    "snored": Word("snored", "snore", "verb.past"),
    "snores": Word("snores", "snore", "verb.pres.sg"),
    "hurt": Word("hurt", "hurt", "verb.past"),
    "himself": Word("himself", "they", "pron.refl.m.sg"),
    "herself": Word("herself", "they", "pron.refl.f.sg"),
    "themselves": Word("themselves", "they", "pron.refl.pl"),
    "who": Word("who", "who", "wh"),
    "that": Word("that", "that", "comp"),
    "old": Word("old", "old", "adj"),
    "saw": Word("saw", "see", "verb.past"),
    "did": Word("did", "do", "aux.past"),
    "didn't": Word("didn't", "do", "aux.past.neg"),
    "three": Word("three", "three", "det.pl"),
}


def words(text):
    return [WORDS[word] for word in text.split()]


ACCEPTED = [
    (Substitution("number"), "the boys sleep", "the boys sleeps"),
    (Substitution("number"), "the boys sleep", "the boy sleep"),
    (Substitution("gender"), "the boy hurt himself", "the boy hurt herself"),
    (Substitution("number"), "the boy hurt himself", "the boy hurt themselves"),
    (Substitution("lemma"), "the boy slept", "the boy snored"),
    (Substitution("lemma", "category"), "the boy saw who", "the boy saw that"),
    (SpanSubstitution(2), "the boy slept", "the girl snored"),
    (Reordering(), "the boy saw the girl", "the girl saw the boy"),
    (Reordering("lemma", "category"), "boy saw girl that slept", "boy saw who girl slept"),
    (Exchange("noun", "adj"), "three boys saw three girl", "three old boys saw three"),
]
REFUSED = [
    (Substitution("number"), "the boys sleep", "the boys slept", "differ in form"),
    (Substitution("number"), "the boys sleep", "the boys snores", "differ in lemma, number"),
    (Substitution("lemma"), "the boy slept", "the boy snores", "differ in form, lemma"),
    (Substitution("lemma"), "the boy slept", "the girl snored", "2 words differ, not 1"),
    (Substitution("lemma"), "the boy slept", "the boy slept", "0 words differ"),
    (Substitution("lemma"), "the boy slept", "the old boy slept", "3 words against 4"),
    (Substitution("gender"), "the boy hurt himself", "the boy hurt themselves", "number"),
    (Substitution("number"), "the boy did sleep", "the boy didn't sleep", "spelling"),
    (SpanSubstitution(2), "the boy saw the girl", "the girl saw the boy", "4 words differ"),
    (SpanSubstitution(2), "the boy slept", "the boy slept", "equal"),
    (Reordering(), "the boy saw the girl", "the girl saw the girl", "'boy' against 'girl'"),
    (Reordering(), "the boy saw the girl", "the boy saw the girl", "equal"),
    (Reordering("lemma"), "boy saw girl that slept", "boy saw who girl slept", "category"),
    (
        Exchange("noun", "adj"),
        "three boys saw three girl",
        "three boys saw girl three",
        "'three' left out",
    ),
    (Exchange("noun", "adj"), "three old boys saw", "three saw old boys", "'saw' left out"),
    (Exchange("noun", "adj"), "old boys saw girl", "girl saw boys old", "more than one"),
    (Exchange("noun", "adj"), "old boys saw", "old girl saw", "1 words differ"),
]


@pytest.mark.parametrize(("edit", "good", "bad"), ACCEPTED)
def test_declared_edits_are_proved(edit, good, bad):
    prove(edit, words(good), words(bad))


@pytest.mark.parametrize(("edit", "good", "bad", "fault"), REFUSED)
def test_anything_else_is_a_bug_with_its_reason(edit, good, bad, fault):
    with pytest.raises(GrammarError) as caught:
        prove(edit, words(good), words(bad), "some_paradigm")
    message = str(caught.value)
    assert message.startswith("some_paradigm: not the declared edit")
    assert fault in message
    assert bad in message


def test_a_feature_that_only_one_word_has_is_no_difference():
    assert differences(WORDS["himself"], WORDS["themselves"]) == {"number"}
