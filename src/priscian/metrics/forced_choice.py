"""Forced choice: whether each contrast holds for each item, and the accuracies.

They are those of every set, of every class of the taxonomy and overall, with 95 % intervals.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product
from typing import Protocol

import msgspec

from priscian.errors import DataError, UsageError
from priscian.files import shown, whole_number
from priscian.formulas import values_of
from priscian.metrics.contrasts import Coin, Verdict, evaluate
from priscian.metrics.measures import Measure, find_measure
from priscian.records import Expression, Item, ItemSet, Sentence, TokenScores
from priscian.stats.proportions import Accuracy, accuracy_of, mean_accuracy

LEVELS = ("field", "phenomenon")
"""The levels of BLiMP's taxonomy, from the broadest to the narrowest."""
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
        value = _values(item, scores, rank)
        for contrast in itemset.contrasts:
            verdict = evaluate(contrast.expression, value)
            credit = float(verdict.true)
            if verdict.tie:
                toss = functools.partial(_toss, contrast.expression, value)
                credit = rule.credit(verdict, toss, item_seed(seed, itemset.name, item.id))
            values = {key: value(*at) for key, at in keys[contrast.name].items()}
            outcomes.append(
                Outcome(item.id, contrast.name, values, verdict.margin, credit, verdict.tie)
            )
    return outcomes


def _values(
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


def _toss(expression: Expression, value: Callable[[str, str], float], coin: Coin) -> bool:
    """Whether an expression holds if the coin decides tied comparisons."""
    return evaluate(expression, value, coin=coin).true


def _keys(expression: Expression) -> dict[str, tuple[str, str]]:
    """A short name for every (condition, span) of an expression."""
    places = list(dict.fromkeys((v.condition, v.span) for v in values_of(expression)))
    conditions = [condition for condition, _ in places]
    return {
        condition if conditions.count(condition) == 1 else f"{condition}.{span}": (condition, span)
        for condition, span in places
    }


# ---------------------------------------------------------------- accuracies


class Score(Protocol):
    """A share of right answers, the number of items and ties, and its 95 % interval."""

    @property
    def accuracy(self) -> float: ...
    @property
    def n(self) -> int: ...
    @property
    def ties(self) -> int: ...
    @property
    def ci(self) -> tuple[float, float]: ...


def check_score(name: str, score: Score) -> None:
    """Refuse an invalid share, which an edited file may have."""
    low, high = score.ci
    if not (0 <= score.accuracy <= 1 and math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"the accuracy of {name} is {score.accuracy:g} ({low:g}–{high:g})")
    if score.n < 0 or not 0 <= score.ties <= score.n:
        raise ValueError(f"{name} has {score.ties} ties of {score.n} items")


class MethodScores(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracies by one method: overall, by class, and by set."""

    overall: Accuracy
    fields: dict[str, Accuracy] = msgspec.field(default_factory=dict)
    phenomena: dict[str, Accuracy] = msgspec.field(default_factory=dict)
    levels: dict[str, dict[str, Accuracy]] = msgspec.field(default_factory=dict)
    """Classes of levels other than field and phenomenon, by the level's name."""
    paradigms: dict[str, Accuracy]

    def __post_init__(self) -> None:
        check_score("overall", self.overall)
        for level in (self.fields, self.phenomena, *self.levels.values(), self.paradigms):
            for name, score in level.items():
                check_score(name, score)
        if not self.paradigms:
            raise ValueError("a method without sets")

    def level(self, name: str) -> Mapping[str, Accuracy]:
        """Accuracies of the classes at a level."""
        if name == "field":
            return self.fields
        return self.phenomena if name == "phenomenon" else self.levels.get(name, {})


def summarise(
    outcomes: Mapping[str, Iterable[Outcome]],
    taxonomy: Mapping[str, Sequence[str]],
    levels: Sequence[str] = LEVELS,
) -> dict[str, MethodScores]:
    """Accuracies by method: overall, for every class of each level, and for every set.

    `outcomes` and `taxonomy` are keyed by set; `levels` names the taxonomy's levels from the
    broadest to the narrowest, and a shorter path fills the narrowest ones. A set counts by the mean
    credit of its items, everything else by the mean of its sets.
    """
    by_method: dict[str, dict[str, list[Outcome]]] = {}
    for name, members in outcomes.items():
        for outcome in members:
            by_method.setdefault(outcome.method, {}).setdefault(name, []).append(outcome)
    made = {}
    for method, sets in by_method.items():
        paradigms = {
            name: accuracy_of([o.correct for o in rows], sum(o.tie for o in rows))
            for name, rows in sets.items()
        }
        members_of: dict[str, dict[str, list[Accuracy]]] = {level: {} for level in levels}
        for name, accuracy in paradigms.items():
            path = tuple(taxonomy.get(name, ()))
            if len(path) > len(levels):
                raise DataError(
                    f"set {name}: its taxonomy {' > '.join(path)} is deeper than the levels "
                    f"{', '.join(levels) or 'given (none)'}; name as many levels"
                )
            for level, node in zip(levels[len(levels) - len(path) :], path, strict=True):
                members_of[level].setdefault(node, []).append(accuracy)
        nodes = {
            level: {node: mean_accuracy(parts) for node, parts in members.items()}
            for level, members in members_of.items()
        }
        made[method] = MethodScores(
            overall=mean_accuracy(list(paradigms.values())),
            fields=nodes.pop("field", {}),
            phenomena=nodes.pop("phenomenon", {}),
            levels=nodes,
            paradigms=paradigms,
        )
    return made
