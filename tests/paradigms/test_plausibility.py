"""Deeds fit their frame: what is worth reporting, counting, watching or asking about."""

from __future__ import annotations

import pytest

from priscian.grammar import Pair
from priscian.lexicon import load_lexicon
from priscian.paradigms import generate

LEXICON = load_lexicon()
VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}


def stretch(pair: Pair, name: str):
    ((start, end),) = [(a, b) for label, a, b in pair.good.marks if label == name]
    return pair.good.words[start:end]


def verbs(words):
    return [VERBS[word.lemma] for word in words if word.category == "verb"]


def first_noun(words):
    return next((word.lemma for word in words if word.category == "noun"), "")


def test_what_heavy_frames_report_matters_to_others():
    for pair in generate("expletive_it_object_raising", 200, 41):
        (verb,) = verbs(stretch(pair, "embedded"))
        assert "newsworthy" in verb.flags, pair.good.text


@pytest.mark.parametrize(
    "uid", ["existential_there_object_raising", "existential_there_subject_raising"]
)
def test_what_is_there_to_be_seen_is_a_scene(uid):
    for pair in generate(uid, 200, 42):
        assert "scenic" in verbs(stretch(pair, "embedded"))[0].flags, pair.good.text


@pytest.mark.parametrize("uid", ["superlative_quantifiers_1", "superlative_quantifiers_2"])
def test_what_is_counted_is_done_by_number(uid):
    for pair in generate(uid, 200, 43):
        (verb,) = verbs(pair.good.words)
        assert "by_number" in verb.flags, pair.good.text


@pytest.mark.parametrize(
    "uid",
    ["matrix_question_npi_licensor_present", "npi_present_2", "only_npi_licensor_present"],
)
def test_what_one_has_ever_done_is_an_experience(uid):
    for pair in generate(uid, 200, 44):
        (verb,) = verbs(pair.good.words)
        assert verb.flags & {"experience", "newsworthy"}, pair.good.text


@pytest.mark.parametrize("uid", ["wh_vs_that_no_gap", "wh_vs_that_with_gap_long_distance"])
def test_the_matrix_verb_takes_a_question_as_naturally_as_a_clause(uid):
    for pair in generate(uid, 200, 45):
        (verb,) = verbs(stretch(pair, "verb"))
        assert "responsive" in verb.flags, pair.good.text


def test_the_plain_present_is_of_a_habit_a_job_or_a_state():
    for pair in generate("regular_plural_subject_verb_agreement_1", 400, 46):
        word = stretch(pair, "predicate")[0]
        if word.tag.startswith("verb.pres"):
            assert VERBS[word.lemma].flags & {"timeless", "attitude", "stirring"}, pair.good.text


def test_a_cleft_contrasts_oneself_with_others():
    for pair in generate("principle_A_reconstruction", 200, 47):
        (verb,) = verbs(pair.good.words)
        assert "contrastive" in verb.flags, pair.good.text


def test_relational_nouns_are_several_of_one_or_one_of_several():
    several = {noun.lemma for noun in LEXICON.select("@several_of_one").nouns}
    one = {noun.lemma for noun in LEXICON.select("@one_of_several").nouns}
    for pair in generate("distractor_agreement_relational_noun", 300, 48):
        head = next(word for word in pair.good.words if word.category == "noun")
        assert head.lemma in (several if head.tag == "noun.pl" else one), pair.good.text


def test_a_purchase_comes_before_what_one_does_with_the_thing():
    for pair in generate("adjunct_island", 400, 49):
        texts = [word.text for word in pair.good.words]
        if "before" in texts:
            gerund = pair.good.words[texts.index("before") + 1]
            assert "beforehand" not in VERBS[gerund.lemma].flags, pair.good.text
