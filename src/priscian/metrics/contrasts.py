"""Contrasts: whether an expression holds for an item, by what margin, and whether it ties."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from priscian.errors import DataError, ScoreError
from priscian.records import Arithmetic, Comparison, Expression, Logic, Number, Value

TIE = 1e-6  # nats
ATOL, RTOL = 1e-3, 1e-5  # of `=`, as SyntaxGym has them

Lookup = Callable[[str, str], float]
Coin = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an expression holds.

    `tie`: the outcome depends on comparisons that are tied, so the tie rule decides it.
    `margin`: how far the expression is from failing (positive) or from holding (negative). For
    `good < bad` that is bad − good, for `&` the smaller of two margins, for `|` the larger.
    """

    true: bool
    tie: bool
    margin: float


def evaluate(
    expression: Expression,
    value: Lookup,
    *,
    coin: Coin | None = None,
    tie: float = TIE,
    atol: float = ATOL,
    rtol: float = RTOL,
) -> Verdict:
    """Evaluate an expression, given the measure of (condition, span).

    Two numbers at most `tie` apart are tied. Then neither `<` nor `>` holds, unless there is a
    `coin`: it is tossed once for each tied comparison, from left to right, and decides it. `a = b`
    holds if |a − b| ≤ atol + rtol·|b|, SyntaxGym's rule, and never ties.
    """
    match expression:
        case Comparison(op, left, right):
            a, b = number(left, value), number(right, value)
            gap = 0.0 if a == b else b - a  # ∞ and ∞ are equal, yet their difference is NaN
            if op == "=":
                slack = atol + rtol * abs(b) - abs(gap) if math.isfinite(b) else -abs(gap)
                return Verdict(slack >= 0, False, slack)
            if abs(gap) <= tie:
                return Verdict(coin() if coin else False, True, gap if op == "<" else -gap)
            margin = gap if op == "<" else -gap
            return Verdict(margin > 0, False, margin)
        case Logic(op, left, right):
            first, second = (
                evaluate(side, value, coin=coin, tie=tie, atol=atol, rtol=rtol)
                for side in (left, right)
            )
            return _both(first, second) if op == "&" else _either(first, second)
        case _:
            raise DataError(
                f"{expression} is a number, neither true nor false; compare it with <, > or ="
            )


def _both(a: Verdict, b: Verdict) -> Verdict:
    # a side that fails without a tie decides the conjunction
    settled = (not a.true and not a.tie) or (not b.true and not b.tie)
    return Verdict(a.true and b.true, (a.tie or b.tie) and not settled, min(a.margin, b.margin))


def _either(a: Verdict, b: Verdict) -> Verdict:
    settled = (a.true and not a.tie) or (b.true and not b.tie)
    return Verdict(a.true or b.true, (a.tie or b.tie) and not settled, max(a.margin, b.margin))


def number(expression: Expression, value: Lookup) -> float:
    """The value of an expression without comparisons."""
    match expression:
        case Value(condition, span):
            result = value(condition, span)
        case Number(constant):
            result = constant
        case Arithmetic(op, left, right):
            a, b = number(left, value), number(right, value)
            result = a + b if op == "+" else a - b
        case _:
            raise DataError(f"{expression} is true or false, and cannot be added or compared")
    if math.isnan(result):
        raise ScoreError(f"{expression} is not a number; check the scores for NaN and infinity")
    return result
