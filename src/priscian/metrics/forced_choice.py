"""Forced choice: whether each contrast holds for each item."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count, product

from priscian.errors import UsageError
from priscian.files import shown, whole_number
from priscian.formulas import values_of
from priscian.metrics.contrasts import Coin, Verdict, evaluate
from priscian.metrics.measures import Measure, find_measure
from priscian.records import Contrast, Expression, Item, ItemSet, Sentence, TokenScores

MOST_VOTES = 100_001
"""Tosses of a coin for one tie; a tie takes longer with each."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one method on one item.

    `values` holds the measure of each condition (`condition.span` where a contrast uses several
    spans of one condition). `delta` is the contrast's margin, bad − good for `good < bad`, so
    positive means right. `correct` is the credit, from 0 to 1.
    """

    item: str
    method: str
    values: Mapping[str, float]
    delta: float
    correct: float
    tie: bool


@dataclass(frozen=True, slots=True)
class TieRule:
    """The credit for a tie.

    `wrong`: 0; `random`: a coin toss; `half`: what a toss gives on average, so ½ for a pair, and ¼
    where two comparisons must hold and both are tied; `vote:N`: the majority of N tosses. The
    coin's seed is a hash of seed, set and item, so neither the order of the items nor their number
    changes the outcome. A contrast with several tied comparisons tosses once for each.
    """

    name: str
    votes: int = 0

    @classmethod
    def parse(cls, text: str) -> TieRule:
        """Read `wrong` (or `fail`), `half`, `random` or `vote:N`."""
        text = "wrong" if text == "fail" else text
        kind, _, count = text.partition(":")
        if kind in ("wrong", "half", "random") and not count:
            return cls(kind, votes=int(kind == "random"))
        votes = whole_number(count, MOST_VOTES)
        if kind == "vote" and votes is not None and votes % 2 == 1:
            return cls(kind, votes=votes)
        raise UsageError(
            f"no tie rule {shown(text)}; use wrong, half, random or vote:N with an odd N up to "
            f"{MOST_VOTES:,}, e.g. vote:51"
        )

    def credit(self, verdict: Verdict, toss: Callable[[Coin], bool], rng_seed: int) -> float:
        """The credit for a verdict; `toss` evaluates the contrast again with a coin."""
        if not verdict.tie:
            return float(verdict.true)
        if self.name == "half":
            return _mean_of_tosses(toss)
        if not self.votes:
            return 0.0
        draw = random.Random(rng_seed).random
        won = sum(toss(lambda: draw() < 0.5) for _ in range(self.votes))
        return float(2 * won > self.votes)


def _mean_of_tosses(toss: Callable[[Coin], bool]) -> float:
    """The credit over all ways in which the coins of the tied comparisons can fall."""
    coins = count()
    toss(lambda: next(coins) >= 0)
    ways = list(product((False, True), repeat=next(coins)))
    return sum(toss(iter(way).__next__) for way in ways) / len(ways)


def item_seed(seed: int, set_name: str, item_id: str) -> int:
    """A number that depends only on seed, set and item, the same on every machine."""
    payload = json.dumps([seed, set_name, item_id]).encode()
    return int.from_bytes(hashlib.blake2b(payload, digest_size=8).digest(), "big")


def judge(
    itemset: ItemSet,
    scores: Callable[[Sentence], TokenScores],
    measure: str | Measure = "surprisal",
    tie: str = "wrong",
    seed: int = 0,
) -> list[Outcome]:
    """One outcome for every item and contrast of a set, items in order.

    `scores` gives the tokens of a sentence. `good < bad` compares surprisal: lower is better.
    """
    rule = TieRule.parse(tie)
    rank = find_measure(measure) if isinstance(measure, str) else measure
    keys = {contrast.name: _keys(contrast.expression) for contrast in itemset.contrasts}
    outcomes = []
    for item in itemset.items:
        value = _lookup(item, scores, rank)
        for contrast in itemset.contrasts:
            verdict = evaluate(contrast.expression, value)
            credit = rule.credit(
                verdict,
                _tosser(contrast, value),
                item_seed(seed, itemset.name, item.id) if verdict.tie else 0,
            )
            values = {key: value(*at) for key, at in keys[contrast.name].items()}
            outcomes.append(
                Outcome(item.id, contrast.name, values, verdict.margin, credit, verdict.tie)
            )
    return outcomes


def _tosser(contrast: Contrast, value: Callable[[str, str], float]) -> Callable[[Coin], bool]:
    return lambda coin: evaluate(contrast.expression, value, coin=coin).true


def _lookup(
    item: Item, scores: Callable[[Sentence], TokenScores], rank: Measure
) -> Callable[[str, str], float]:
    """The measure of (condition, span), each computed once."""
    tokens: dict[str, TokenScores] = {}
    known: dict[tuple[str, str], float] = {}

    def value(condition: str, span: str) -> float:
        at = (condition, span)
        if at not in known:
            sentence = item[condition]
            if condition not in tokens:
                tokens[condition] = scores(sentence)
            known[at] = rank(tokens[condition], sentence, span)
        return known[at]

    return value


def _keys(expression: Expression) -> dict[str, tuple[str, str]]:
    """A short name for every (condition, span) of an expression."""
    places = list(dict.fromkeys((v.condition, v.span) for v in values_of(expression)))
    conditions = [condition for condition, _ in places]
    return {
        condition if conditions.count(condition) == 1 else f"{condition}.{span}": (condition, span)
        for condition, span in places
    }
