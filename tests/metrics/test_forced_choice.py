"""Items are judged by each contrast of their set; ties by a rule that order cannot change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from priscian.errors import UnknownNameError, UsageError
from priscian.metrics import Outcome, TieRule, item_seed, judge
from priscian.records import (
    Arithmetic,
    Comparison,
    Contrast,
    Item,
    ItemSet,
    Logic,
    Sentence,
    Span,
    TokenScores,
    Value,
)

FULL = Contrast("full", Comparison("<", Value("good"), Value("bad")))
PREFIX = Contrast(
    "one_prefix", Comparison("<", Value("good", "critical"), Value("bad", "critical"))
)

# one token a word; the log-probability of a word is minus its length
SPANS = (Span("prefix", 0, 4), Span("critical", 5, 9))
PAIR = Item(
    "owls/0", {"good": Sentence("Owls hoot.", SPANS), "bad": Sentence("Owls growled.", SPANS)}
)
TWIN = Item("owls/1", {"good": Sentence("Owls hoot.", SPANS), "bad": Sentence("Owls moon.", SPANS)})
WRONG = Item("owls/2", {"good": PAIR["bad"], "bad": PAIR["good"]})
OWLS = ItemSet("owls", (PAIR, TWIN, WRONG), (FULL, PREFIX))


def by_length(sentence):
    starts, ends, logps, place = [], [], [], 0
    for word in sentence.text.split(" "):
        starts.append(place)
        ends.append(place + len(word))
        logps.append(-float(len(word)))
        place += len(word) + 1
    return TokenScores(tuple(starts), tuple(ends), tuple(logps))


def twins(count):
    items = tuple(replace(TWIN, id=f"owls/{n}") for n in range(count))
    return ItemSet("owls", items, (FULL,))


def test_every_item_has_an_outcome_for_each_contrast():
    outcomes = judge(OWLS, by_length)
    assert outcomes[0] == Outcome("owls/0", "full", {"good": 9.0, "bad": 12.0}, 3.0, 1.0, False)
    assert outcomes[1] == Outcome(
        "owls/0", "one_prefix", {"good": 5.0, "bad": 8.0}, 3.0, 1.0, False
    )
    assert [(o.item, o.method) for o in outcomes] == [
        (f"owls/{n}", method) for n in range(3) for method in ("full", "one_prefix")
    ]
    assert [(o.delta, o.correct) for o in outcomes[4:]] == [(-3.0, 0.0), (-3.0, 0.0)]


def test_each_sentence_is_asked_for_once():
    asked = []

    def scores(sentence):
        asked.append(sentence.text)
        return by_length(sentence)

    judge(replace(OWLS, items=(PAIR,)), scores)
    assert asked == ["Owls hoot.", "Owls growled."]


def test_another_measure_can_turn_the_choice():
    # per character: 9/10 against 12/13
    [outcome, _] = judge(replace(OWLS, items=(PAIR,)), by_length, "surprisal_per_char")
    assert outcome.delta == pytest.approx(12 / 13 - 9 / 10)
    [outcome, _] = judge(replace(OWLS, items=(PAIR,)), by_length, lambda s, t, name: -len(t.text))
    assert outcome.delta == -3.0
    with pytest.raises(UsageError, match="needs a unigram model"):
        judge(OWLS, by_length, "slor")
    with pytest.raises(UnknownNameError, match="no measure 'slorr'"):
        judge(OWLS, by_length, "slorr")


@pytest.mark.parametrize(("tie", "credit"), [("wrong", 0.0), ("half", 0.5)])
def test_a_tie_is_wrong_or_worth_half(tie, credit):
    outcome = judge(OWLS, by_length, tie=tie)[2]
    assert (outcome.item, outcome.tie, outcome.correct) == ("owls/1", True, credit)
    assert judge(OWLS, by_length, tie=tie)[0].correct == 1.0


@pytest.mark.parametrize("tie", ["random", "vote:3"])
def test_random_ties_do_not_depend_on_the_order_or_number_of_items(tie):
    whole = twins(40)
    credit = {o.item: o.correct for o in judge(whole, by_length, tie=tie, seed=5)}
    part = replace(whole, items=tuple(reversed(whole.items[10:30])))
    assert all(o.correct == credit[o.item] for o in judge(part, by_length, tie=tie, seed=5))
    assert set(credit.values()) == {0.0, 1.0}


def test_random_ties_are_fair_and_follow_the_seed():
    runs = {s: [o.correct for o in judge(twins(2000), by_length, tie="random", seed=s)]
            for s in (0, 1)}  # fmt: skip
    for credit in runs.values():
        assert 0.45 < sum(credit) / 2000 < 0.55  # 4.5 standard errors
    assert runs[0] != runs[1]


def test_draws_are_the_same_on_every_machine():
    assert item_seed(0, "owls", "owls/1") == 0x6FC3DAE0F287D756
    assert [o.correct for o in judge(twins(12), by_length, tie="random")] == [
        1,
        0,
        1,
        0,
        1,
        0,
        1,
        0,
        0,
        1,
        0,
        1,
    ]


def test_tied_comparisons_are_tossed_one_by_one():
    both = Contrast("both", Logic("&", FULL.expression, FULL.expression))
    itemset = replace(twins(2000), contrasts=(both,))
    single = [o.correct for o in judge(itemset, by_length, tie="random")]
    assert 0.21 < sum(single) / 2000 < 0.29  # a quarter, not a half
    voted = [o.correct for o in judge(itemset, by_length, tie="vote:51")]
    assert sum(voted) / 2000 < 0.01  # the majority of tosses fails


def test_half_is_what_tosses_give_on_average():
    full = FULL.expression
    wanted = {"&": 0.25, "|": 0.75}
    for op, credit in wanted.items():
        itemset = replace(twins(3), contrasts=(Contrast("two", Logic(op, full, full)),))
        assert [o.correct for o in judge(itemset, by_length, tie="half")] == [credit] * 3
    holds = Comparison("<", Value("good", "prefix"), Value("good"))  # 4 < 9
    itemset = replace(twins(1), contrasts=(Contrast("one", Logic("&", full, holds)),))
    assert [o.correct for o in judge(itemset, by_length, tie="half")] == [0.5]


def test_a_tie_that_decides_nothing_is_no_tie():
    settled = Comparison("<", Value("good", "prefix"), Arithmetic("-", Value("bad"), Value("good")))
    itemset = replace(twins(1), contrasts=(Contrast("x", Logic("&", FULL.expression, settled)),))
    [outcome] = judge(itemset, by_length, tie="half")
    assert (outcome.tie, outcome.correct) == (False, 0.0)
    assert outcome.values == {"good.*": 9.0, "bad": 9.0, "good.prefix": 4.0}


@pytest.mark.parametrize("text", ["right", "vote", "vote:", "vote:4", "vote:0", "vote:x", "half:2"])
def test_unknown_tie_rules_are_refused(text):
    with pytest.raises(UsageError, match=r"no tie rule .*; use wrong, half, random or vote:N"):
        judge(OWLS, by_length, tie=text)


def test_tie_rules_are_read():
    assert TieRule.parse("vote:51") == TieRule("vote", 51)
    assert TieRule.parse("random") == TieRule("random", 1)
    assert TieRule.parse("wrong") == TieRule("wrong", 0)
