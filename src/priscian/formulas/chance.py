"""Chance: how often a formula holds for a model that knows nothing.

We assume that every region's surprisal is drawn independently from one normal distribution. A
comparison of sums is then a half-space, and a conjunction of up to three of them has a closed form
(Sheppard 1899; the three-dimensional orthant): with ρ the correlations of the differences,

    P(1) = 1/2    P(2) = 1/4 + asin ρ / 2π    P(3) = 1/8 + (asin ρ₁₂ + asin ρ₁₃ + asin ρ₂₃) / 4π

So NPI licensing has 5/24, the garden-path interactions 7/24. Other formulas are simulated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from priscian.errors import DataError
from priscian.formulas.notation import values_of
from priscian.records import Arithmetic, Comparison, Expression, Logic, Number, Value

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    Truth = npt.NDArray[np.bool_]

DRAWS = 200_000
SPREAD = 5.0  # bits; matters only for formulas with constants

Weights = dict[tuple[str, str], float]


def chance_of(expression: Expression) -> float:
    """The probability that a formula holds by chance; an exact `=` never does.

    >>> from priscian.formulas import parse_formula
    >>> chance_of(parse_formula("((1;%a%)<(1;%b%))&((1;%c%)<(1;%d%))"))
    0.25
    """
    parts = _conjuncts(expression)
    if any(part.op == "=" for part in parts or ()):
        return 0.0
    if parts is not None and len(parts) <= 3:
        sides = [difference_of(part) for part in parts]
        found = _orthant([side for side in sides if side is not None])
        if None not in sides and found is not None:
            return found
    return _simulated(expression)


def _conjuncts(expression: Expression) -> list[Comparison] | None:
    match expression:
        case Comparison():
            return [expression]
        case Logic("&", left, right):
            first, second = _conjuncts(left), _conjuncts(right)
            return None if first is None or second is None else first + second
        case _:
            return None


def difference_of(part: Comparison) -> Weights | None:
    """How often each region counts in the difference that must be positive.

    None if a constant is left over.
    """
    weights: Weights = {}
    sign = 1.0 if part.op == ">" else -1.0
    constant = _add(part.left, sign, weights) + _add(part.right, -sign, weights)
    return weights if constant == 0 else None


def _add(expression: Expression, sign: float, weights: Weights) -> float:
    match expression:
        case Number(value):
            return sign * value
        case Value(condition, span):
            weights[condition, span] = weights.get((condition, span), 0.0) + sign
            return 0.0
        case Arithmetic(op, left, right):
            second = sign if op == "+" else -sign
            return _add(left, sign, weights) + _add(right, second, weights)
        case _:
            raise DataError(f"{expression} is true or false, and cannot be added")


def _orthant(sides: Sequence[Weights]) -> float | None:
    """P(all differences > 0); None where one of them is always 0, or sums overlap with `*`."""
    if any(not any(w.values()) for w in sides):
        return 0.0  # a > a never holds
    if any(span == "*" for w in sides for _, span in w):
        return None
    angles = [math.asin(_correlation(a, b)) for i, a in enumerate(sides) for b in sides[i + 1 :]]
    match len(sides):
        case 1:
            return 0.5
        case 2:
            return _tidy(0.25 + angles[0] / (2 * math.pi))
        case 3:
            return _tidy(0.125 + math.fsum(angles) / (4 * math.pi))
        case _:
            return None


def _correlation(a: Weights, b: Weights) -> float:
    dot = math.fsum(w * b.get(at, 0.0) for at, w in a.items())
    # one root of a product is exact where weights are whole, so that opposites give exactly −1
    norm = math.sqrt(sum(w * w for w in a.values()) * sum(w * w for w in b.values()))
    return max(-1.0, min(1.0, dot / norm))


def _tidy(probability: float) -> float:
    """Set to 0 what rounding left of a contradiction: 1e-17, or a negative number."""
    return 0.0 if probability < 1e-12 else min(1.0, probability)


def _simulated(expression: Expression) -> float:
    import numpy as np

    draw = np.random.default_rng(0)
    values: dict[tuple[str, str], Array] = {
        (v.condition, v.span): draw.normal(0.0, SPREAD, DRAWS)
        for v in dict.fromkeys(values_of(expression))
    }
    return float(np.mean(_true(expression, values)))


def _true(expression: Expression, values: dict[tuple[str, str], Array]) -> Truth:
    import numpy as np

    match expression:
        case Comparison(op, left, right):
            a, b = _number(left, values), _number(right, values)
            if op == "=":
                return np.zeros(DRAWS, dtype=np.bool_)
            return np.broadcast_to(a < b if op == "<" else a > b, (DRAWS,))
        case Logic(op, left, right):
            first, second = _true(left, values), _true(right, values)
            return first & second if op == "&" else first | second
        case _:
            raise DataError(f"{expression} is a number, neither true nor false")


def _number(expression: Expression, values: dict[tuple[str, str], Array]) -> Array:
    import numpy as np

    match expression:
        case Value(condition, span):
            return values[condition, span]
        case Number(value):
            return np.asarray(value)
        case Arithmetic(op, left, right):
            a, b = _number(left, values), _number(right, values)
            return a + b if op == "+" else a - b
        case _:
            raise DataError(f"{expression} is true or false, and cannot be added")
