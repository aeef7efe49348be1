"""Training and test pairs share no sentence, and with other words no content lemma."""

from __future__ import annotations

import re

import pytest

from priscian.datasets.split_pairs import SplitPlan, half_lexicon, half_of, split_pairs
from priscian.errors import UnknownNameError, UsageError
from priscian.lexicon import load_lexicon

UIDS = ["adjunct_island", "irregular_past_participle_verbs", "principle_A_case_1"]
PLAN = SplitPlan(train=30, test=15, seed=1, test_seed=2)


def words_of(pairs: tuple[tuple[str, str], ...]) -> set[str]:
    return {word.lower() for pair in pairs for text in pair for word in re.findall(r"[\w']+", text)}


def test_every_content_word_is_in_one_half() -> None:
    whole, first, second = load_lexicon(), half_lexicon(0), half_lexicon(1)
    for kind in ("nouns", "verbs", "adjectives", "adverbs", "names"):
        lemmas, one, two = (
            {entry.lemma for entry in getattr(lexicon, f"all_{kind}")}
            for lexicon in (whole, first, second)
        )
        assert one | two == lemmas
        assert not one & two
        assert 0.4 < len(one) / len(lemmas) < 0.6
        assert {half_of(lemma) for lemma in one} == {0}
    assert first.function_words == second.function_words == whole.function_words
    for noun in first.select("person").nouns:
        assert half_of(noun.lemma) == 0


def test_other_words_share_only_function_words_with_training() -> None:
    small = {word.lower() for word in load_lexicon().function_words}
    for found in split_pairs(PLAN, UIDS):
        assert (len(found.train), len(found.same), len(found.other)) == (30, 15, 15)
        shared = words_of(found.train) & words_of(found.other)
        assert shared <= small, shared - small
        assert words_of(found.train) & words_of(found.same) - small


def test_no_test_sentence_is_a_training_sentence() -> None:
    for found in split_pairs(SplitPlan(train=150, test=60), ["existential_there_quantifiers_1"]):
        known = {text for pair in found.train for text in pair}
        assert known.isdisjoint(text for pair in found.same + found.other for text in pair)


def test_pairs_depend_on_the_seeds_and_on_nothing_else() -> None:
    (one,), (again, _) = split_pairs(PLAN, UIDS[:1]), split_pairs(PLAN, UIDS[:2])
    assert one == again
    (other,) = split_pairs(SplitPlan(train=30, test=15, seed=1, test_seed=3), UIDS[:1])
    assert other.train == one.train
    assert other.same != one.same
    assert (one.phenomenon, one.field) == ("island_effects", "syntax")


@pytest.mark.slow
def test_every_paradigm_can_be_drawn_from_either_half() -> None:
    found = split_pairs(SplitPlan(train=200, test=100))
    assert len(found) == 67
    assert all(len(p.train) == 200 and len(p.other) == 100 for p in found)


def test_bad_plans_are_refused() -> None:
    with pytest.raises(UsageError, match="one seed"):
        SplitPlan(seed=3, test_seed=3)
    with pytest.raises(UsageError, match="at least one"):
        SplitPlan(train=0)
    with pytest.raises(UnknownNameError, match="adjunct_island"):
        split_pairs(PLAN, ["adjunct_islands"])
