"""What the generator guarantees of every suite: no word twice, none too often, fair contrasts."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from priscian.errors import GrammarError
from priscian.grammar import Grammar, Word
from priscian.lexicon import CONTENT
from priscian.suites import Suite, find, generate_suite, suites
from priscian.suites import checks as module
from priscian.suites.checks import BLOCK, SuiteItems, repeated, unfair
from priscian.suites.generate import _draw_items, _texts
from priscian.suites.text import read_rows

NAMES = list(suites())
CAPS = {row["suite"]: row for row in read_rows("caps", "suite", "cap", "frames")}
THOUSAND = pytest.param(range(101, 111), marks=pytest.mark.slow, id="1000 items")
SEEDS = pytest.mark.parametrize("seeds", [pytest.param(range(101, 102), id="100"), THOUSAND])


@cache
def drawn(name, seed):
    return _draw_items(find(name), BLOCK, seed, None)


def lemmas(words):
    return [word.lemma for word in words if word.category in CONTENT]


@SEEDS
@pytest.mark.parametrize("name", NAMES)
def test_no_sentence_has_a_content_word_twice(name, seeds):
    for seed in seeds:
        for item in drawn(name, seed):
            for regions in item.values():
                found = Counter(lemma for words in regions for lemma in lemmas(words))
                assert all(times == 1 for times in found.values()), found.most_common(1)
                for lemma in found:
                    assert not {f"{lemma}er", f"{lemma}r"} & found.keys(), lemma


@SEEDS
@pytest.mark.parametrize("name", NAMES)
def test_no_word_is_in_more_than_its_share_of_a_hundred_items(name, seeds):
    row, regions = CAPS[name], find(name).regions
    assert set(row.parts("frames", ",")) < set(regions)
    counted = [i for i, region in enumerate(regions) if region not in row.parts("frames", ",")]
    for seed in seeds:
        often = Counter()
        for item in drawn(name, seed):
            often.update({
                lemma for parts in item.values() for i in counted for lemma in lemmas(parts[i])
            })  # fmt: skip
        assert often.most_common(1)[0][1] <= int(row["cap"])


@SEEDS
@pytest.mark.parametrize("name", NAMES)
def test_formulas_compare_the_same_words(name, seeds):
    """Each comparison for itself; in agreement and reflexives, both numbers together."""
    predictions = find(name).predictions
    for seed in seeds:
        for item in drawn(name, seed):
            texts = {condition: _texts(regions) for condition, regions in item.items()}
            assert unfair(predictions, texts) is None


@pytest.mark.parametrize(
    ("prediction", "fair"),
    [
        ("(2;%a%)<(2;%b%)", True),
        ("(2;%a%)<(2;%c%)", False),
        ("((2;%a%)<(2;%c%))&((2;%d%)<(2;%b%))", True),
        ("((2;%a%)<(2;%c%))&((2;%b%)<(2;%d%))", False),
        ("((2;%a%)-(2;%b%))>((2;%c%)-(2;%d%))", True),
        ("((2;%a%)-(2;%c%))>((2;%b%)-(2;%d%))", True),
        ("((2;%a%)-(2;%c%))>0", False),
        ("((1;%a%)+(2;%a%))<((1;%c%)+(2;%b%))", True),
        ("(*;%a%)<(*;%c%)", False),
    ],
)
def test_a_fair_prediction_has_the_same_words_on_both_sides(prediction, fair):
    texts = {"a": ["the", "sang"], "b": ["the", "sang"], "c": ["the", "sing"], "d": ["a", "sing"]}
    assert (unfair([prediction], texts) is None) == fair


def test_every_suite_of_ours_has_a_cap_and_every_cap_a_suite():
    assert set(CAPS) == set(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_twenty_seeds_give_a_hundred_items_each(name):
    """Tables that are too small for their caps run dry at some seed, not at every one."""
    for seed in range(1, 21):
        assert len(generate_suite(name, BLOCK, seed)["items"]) == BLOCK


@pytest.fixture
def limited(monkeypatch):
    """A suite of ours that may have each word in 2 items of a hundred."""
    monkeypatch.setattr(module, "_caps", lambda: {"toy": (2, frozenset({"frame"}))})

    def make(draw):
        return Suite("toy", "None", ("frame", "b"), ("(2;%x%)<(2;%y%)",), draw, "toy")

    return make


def word(text):
    return Word(text, text, "noun.sg")


def test_a_full_word_waits_for_the_next_hundred(limited):
    ledger = SuiteItems(limited(lambda g: {}))
    item = {"x": [(word("know"),), (word("cook"),)]}
    fillers = [{"x": [(word("know"),), (word(f"w{i}"),)]} for i in range(98)]
    for one in [item, item, *fillers]:
        assert not ledger._is_full(one)
        ledger.add(one)
        assert ledger._is_full(item) == (1 < len(ledger._sizes) < BLOCK)
    ledger.add(item)
    assert not ledger._is_full(item)


def test_a_repeated_word_is_drawn_again(limited):
    assert repeated({"x": [(word("cook"),), (word("cook"),)]}) == "cook"
    assert repeated({"x": [(word("cook"),), ()], "y": [(), (word("cook"),)]}) is None
    assert repeated({"x": [(word("swimmer"),), (word("swim"),)]}) == "swim"
    assert repeated({"x": [(word("dancer"),), (word("dance"),)]}) == "dance"
    assert repeated({"x": [(word("critic"),), (word("criticize"),)]}) == "critic"

    def draw(g: Grammar):
        first, second = (word(f"w{int(g.random() * 40)}") for _ in range(2))
        return {"x": [first, second], "y": [first, second]}

    for item in _draw_items(limited(draw), 20, 1, None):
        assert repeated(item) is None


def test_a_suite_of_ours_that_compares_different_words_is_refused(limited):
    def draw(g: Grammar):
        return {"x": [word("cat"), "sat"], "y": [word("cat"), "sits"]}

    with pytest.raises(GrammarError, match=r"toy, item 1: .* compares different words"):
        generate_suite(limited(draw), 1)
