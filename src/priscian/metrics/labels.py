"""Scores and labels: the best threshold, and Matthews' correlation of the labels it gives."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from priscian.errors import DataError
from priscian.stats.interval import Interval
from priscian.stats.matthews import matthews, matthews_interval, matthews_of_counts


class Matthews(Struct, frozen=True):
    """A coefficient, its 95 % interval, the number of sentences and of acceptable ones among them.

    If all sentences have the same label there is no coefficient. If all were given the same label,
    the coefficient is 0 by convention and has no interval.
    """

    mcc: float | None
    n: int
    acceptable: int
    ci: Interval | None

    def __str__(self) -> str:
        return matthews_text(self.mcc, self.ci)


def matthews_text(mcc: float | None, ci: Interval | None) -> str:
    """A correlation and its interval, or why there is none.

    >>> matthews_text(0.5, (0.4, 0.6)), matthews_text(None, None)
    ('0.500  0.40–0.60', 'one label')
    """
    if mcc is None:
        return "one label"
    if ci is None:
        return f"{mcc:.3f}  – (all given one label)"
    return f"{mcc:.3f}  {ci[0]:.2f}–{ci[1]:.2f}"


def best_threshold(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """The threshold with the highest Matthews correlation, if a score above it is acceptable.

    Thresholds lie halfway between neighbouring scores; of equally good ones the lowest is used.

    >>> best_threshold([1.0, 2.0, 3.0, 4.0], [False, False, True, True])
    2.5
    """
    if len(scores) != len(truth) or not scores:
        raise DataError(f"{len(scores)} scores and {len(truth)} labels; give as many of each")
    if not all(map(math.isfinite, scores)):
        raise DataError("a score is NaN or infinite; a threshold needs finite numbers")
    if len(set(truth)) < 2:
        raise DataError(
            "all sentences have one label; a threshold needs acceptable and unacceptable ones"
        )
    order = sorted(zip(scores, truth, strict=True))
    if order[0][0] == order[-1][0]:
        raise DataError(
            f"all {len(scores)} scores are {order[0][0]:g}; no threshold separates them"
        )
    good = sum(truth)
    tp, fp = good, len(truth) - good  # all above the threshold
    best, found = -math.inf, 0.0
    for place, (score, label) in enumerate(order[:-1]):
        tp, fp = tp - label, fp - (not label)
        above = order[place + 1][0]
        if score == above:
            continue
        value = matthews_of_counts(tp, len(truth) - good - fp, fp, good - tp)
        if value > best:
            best, found = value, (score + above) / 2
    return found


def matthews_of(truth: Sequence[bool], guess: Sequence[bool], seed: int = 0) -> Matthews:
    """Matthews' correlation of labels with predictions, with its 95 % interval if it has one."""
    if len(set(truth)) < 2:
        return Matthews(None, len(truth), sum(truth), None)
    ci = matthews_interval(truth, guess, seed)
    return Matthews(matthews(truth, guess), len(truth), sum(truth), ci)
