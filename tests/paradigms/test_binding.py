"""Binding: the bad reflexive never finds an antecedent, and bad forms have no other reading."""

from __future__ import annotations

import pytest

from priscian.datasets.generation import generate_rows
from priscian.lexicon import features, load_lexicon
from priscian.paradigms import find, generate
from priscian.paradigms.pair import sentences

VERBS = {verb.lemma: verb for verb in load_lexicon().all_verbs}
REFLEXIVES = {"himself", "herself", "itself", "themselves"}


def reflexive(side):
    (word,) = (word for word in side.words if word.text in REFLEXIVES)
    return features(word.tag)


def nouns(words):
    return [word for word in words if word.category in ("noun", "name")]


def part(pair, name):
    (found,) = ((start, end) for label, start, end in pair.good.marks if label == name)
    return pair.good.words[slice(*found)]


@pytest.mark.parametrize("uid", ["principle_A_c_command", "principle_A_domain_2"])
def test_the_two_antecedents_need_different_reflexives(uid):
    for pair in generate(uid, 300, 21):
        good, bad = reflexive(pair.good), reflexive(pair.bad)
        assert (good["number"], good.get("gender")) != (bad["number"], bad.get("gender"))
        # A company may be *they*.
        assert {pair.good.texts[-1], pair.bad.texts[-1]} != {"itself", "themselves"}


def test_the_local_subject_cannot_bind_the_reflexive():
    nouns_by_lemma = {noun.lemma: noun for noun in load_lexicon().all_nouns}
    for pair in generate("principle_A_domain_1", 300, 22):
        local = nouns(part(pair, "embedded"))[0]
        bad = reflexive(pair.bad)
        if features(local.tag)["number"] != bad["number"]:
            continue
        assert bad["number"] == "sg"
        if local.category == "noun":
            assert nouns_by_lemma[local.lemma].gender not in (None, bad["gender"])


def test_no_possessor_could_be_the_antecedent():
    for uid in ("principle_A_c_command", "principle_A_domain_1", "principle_A_domain_3"):
        for pair in generate(uid, 200, 23):
            assert not {"his", "their", "our"} & {text.lower() for text in pair.good.texts}
            assert pair.good.texts[0] != "Her"


def test_a_finite_verb_after_a_reflexive_is_neither_bare_nor_a_passive_with_an_object():
    seen = set()
    for pair in generate("principle_A_case_2", 500, 24):
        verb = part(pair, "embedded")[0]
        entry = VERBS[verb.lemma]
        assert verb == entry.gerund
        assert entry.past_sg.text != entry.bare.text  # *saw himself hit the ball*
        assert "ditrans" not in entry.frames  # *imagined himself given a prize*
        seen.add(verb.lemma)
    assert not seen & {"ask", "call", "elect", "feed", "name", "pay", "teach", "tell", "crown"}
    assert len(seen) > 250


def test_exchanged_subjects_are_told_apart_at_the_reflexive():
    for row in generate_rows("principle_A_domain_3", 100, 25):
        assert row["two_prefix_word"] in REFLEXIVES
        good, bad = (row[f"sentence_{side}"][:-1].lower().split() for side in ("good", "bad"))
        assert sorted(good) == sorted(bad)


def test_a_cleft_has_its_reflexive_in_focus():
    paradigm = find("principle_A_reconstruction")
    for pair in generate(paradigm, 100, 26):
        assert pair.good.texts[0] == "It's"
        assert pair.good.texts[1] in REFLEXIVES
        good, bad = sentences(paradigm, pair)
        assert good["contrast"] != bad["contrast"]
