"""Quantifiers: what may follow *there is*, and what may stand in the scope of *no*."""

from __future__ import annotations

import pytest

from priscian.datasets.generation import generate_rows
from priscian.paradigms import generate

# With these a pivot is good in a story or in a list; *all nurses* can mean no others.
DEFINITE = frozenset(
    ["the", "this", "these", "that", "those", "my", "your", "his", "her", "our", "their"]
)
NUMERALS = frozenset(["three", "four", "five", "six", "seven", "eight", "ten"])


def words(text):
    return text.lower().strip(".").split()


def test_a_weak_determiner_gives_way_to_a_strong_one():
    strong = set()
    for pair in generate("existential_there_quantifiers_1", 300, 31):
        good, bad = words(pair.good.text), words(pair.bad.text)
        assert good[0] == bad[0] == "there"
        (at,) = (i for i, (a, b) in enumerate(zip(good, bad, strict=True)) if a != b)
        assert good[at] not in {"every", "each", "all", "most", "both"} | DEFINITE
        strong.add(bad[at])
    assert strong == {"every", "each", "most", "both"}


def test_the_pivot_agrees_with_be_on_both_sides():
    for pair in generate("existential_there_quantifiers_1", 200, 32):
        be = words(pair.good.text)[1]
        for side in (pair.good, pair.bad):
            noun = next(word for word in side.words if word.category == "noun")
            if be in ("is", "was", "has"):
                assert noun.tag == "noun.sg", side.text
            elif be in ("are", "were", "have"):
                assert noun.tag == "noun.pl", side.text


def test_there_is_a_place_in_the_good_sentence_and_an_expletive_in_the_bad_one():
    first = set()
    for pair in generate("existential_there_quantifiers_2", 300, 31):
        good, bad = words(pair.good.text), words(pair.bad.text)
        assert bad[0] == "there"
        assert good.index("there") > 1
        assert sorted(good) == sorted(bad)
        assert good[0] not in DEFINITE
        first.add(good[0])
    assert first == {"every", "each", "almost", "nearly", "both", "all", "most"}


@pytest.mark.parametrize("uid", ["superlative_quantifiers_1", "superlative_quantifiers_2"])
def test_the_crucial_item_stands_before_a_numeral_in_the_scope_of_no(uid):
    items = set()
    for row in generate_rows(uid, 300, 31):
        good, bad = words(row["sentence_good"]), words(row["sentence_bad"])
        item = row["crucial_item"]
        items.add(item)
        at = bad.index("at")
        assert " ".join(bad[at : at + 2]) == item
        assert bad[at + 2] in NUMERALS
        assert bad[0] == "no"
        if uid == "superlative_quantifiers_1":
            other = {"at least": ["more", "than"], "at most": ["fewer", "than"]}[item]
            assert good[at : at + 2] == other
            assert good[0] == "no"
        else:
            assert good[1:] == bad[1:]
            assert good[0] not in {"no", "few", "neither"}
            assert row["two_prefix_word"] == "at"
    assert items == {"at least", "at most"}


def test_the_subject_determiner_varies():
    pairs = generate("superlative_quantifiers_2", 500, 33)
    first = [words(pair.good.text)[0] for pair in pairs]
    assert len(set(first)) >= 12
    assert max(first.count(word) for word in set(first)) < 0.162 * len(first)
