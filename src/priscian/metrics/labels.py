"""Scores against labels: a threshold, the labels it gives, Matthews' correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from priscian.errors import DataError
from priscian.metrics.accuracy import Interval
from priscian.stats.bootstrap import DRAWS, LIMITS
from priscian.stats.correlations import matthews


@dataclass(frozen=True, slots=True)
class Matthews:
    """A coefficient, its 95 % interval, the sentences it rests on and how many are acceptable.

    Where all sentences have one label there is no coefficient: it is NaN, and null in JSON.
    """

    mcc: float
    n: int
    acceptable: int
    ci: Interval

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        there = not math.isnan(self.mcc)
        return {
            "mcc": self.mcc if there else None,
            "n": self.n,
            "acceptable": self.acceptable,
            "ci": list(self.ci) if there else None,
        }


def best_threshold(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """The threshold with the highest Matthews correlation, if a score above it is acceptable.

    Thresholds lie half-way between neighbouring scores; of equally good ones the lowest is taken.

    >>> best_threshold([1.0, 2.0, 3.0, 4.0], [False, False, True, True])
    2.5
    """
    if len(scores) != len(truth) or not scores:
        raise DataError(f"{len(scores)} scores and {len(truth)} labels; give as many of each")
    if not all(map(math.isfinite, scores)):
        raise DataError("a score is NaN or infinite; a threshold needs finite numbers")
    if len(set(truth)) < 2:
        raise DataError("all sentences have one label; a threshold needs acceptable and others")
    order = sorted(zip(scores, truth, strict=True))
    if order[0][0] == order[-1][0]:
        raise DataError(f"all {len(scores)} scores are {order[0][0]:g}; no threshold tells apart")
    good = sum(truth)
    tp, fp = good, len(truth) - good  # all above the threshold
    best, found = -math.inf, 0.0
    for place, (score, label) in enumerate(order[:-1]):
        tp, fp = tp - label, fp - (not label)
        above = order[place + 1][0]
        if score == above:
            continue
        value = _coefficient(tp, len(truth) - good - fp, fp, good - tp)
        if value > best:
            best, found = value, (score + above) / 2
    return found


def _coefficient(tp: int, tn: int, fp: int, fn: int) -> float:
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0


def matthews_of(truth: Sequence[bool], guess: Sequence[bool], seed: int = 0) -> Matthews:
    """Matthews' correlation with a 95 % bootstrap interval, other sentences drawn."""
    if len(set(truth)) < 2:
        return Matthews(math.nan, len(truth), sum(truth), (math.nan, math.nan))
    return Matthews(
        matthews(truth, guess), len(truth), sum(truth), matthews_interval(truth, guess, seed)
    )


def matthews_interval(truth: Sequence[bool], guess: Sequence[bool], seed: int = 0) -> Interval:
    """95 % percentile interval of Matthews' correlation over bootstrap samples.

    Drawing n sentences with replacement is drawing how many fall into each cell of the table of
    labels and guesses. A sample in which a label is missing has 0, as the coefficient itself.
    """
    import numpy as np

    both = list(zip(truth, guess, strict=True))
    kinds = ((True, True), (False, False), (False, True), (True, False))
    shares = np.array([both.count(kind) for kind in kinds]) / len(both)
    draws = np.random.default_rng(seed).multinomial(len(both), shares, size=DRAWS)
    tp, tn, fp, fn = draws.T.astype(np.float64)
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    found = np.where(below > 0, (tp * tn - fp * fn) / np.sqrt(np.where(below > 0, below, 1.0)), 0.0)
    low, high = np.percentile(found, LIMITS)
    return (float(low), float(high))
