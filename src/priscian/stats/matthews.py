"""Matthews' correlation of labels with guesses, and its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

from priscian.errors import DataError
from priscian.stats.interval import Interval

DRAWS = 10_000
PRIOR = 0.5  # added to each cell of the table: Jeffreys' prior
LIMITS = (2.5, 97.5)  # per cent


def matthews(truth: Sequence[bool], guess: Sequence[bool]) -> float:
    """Matthews' correlation of two lists of labels; 0 where a list has only one label.

    >>> matthews([True, True, False, False], [True, False, False, False])
    0.5773502691896258
    """
    return matthews_of_counts(*_counts(truth, guess))


def matthews_of_counts(tp: float, tn: float, fp: float, fn: float) -> float:
    """(tp·tn − fp·fn) / √((tp+fp)(tp+fn)(tn+fp)(tn+fn)), Matthews (1975); 0 for 0/0."""
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0


def matthews_interval(
    truth: Sequence[bool], guess: Sequence[bool], seed: int = 0
) -> Interval | None:
    """95 % interval of Matthews' correlation; None where one list has only one label.

    The shares of the four cells (right and wrong guesses of either label) are drawn from their
    posterior under Jeffreys' prior, a Dirichlet distribution with the counts + ½; the limits are
    the 2.5 % and 97.5 % points of the coefficient, extended to its estimate where that lies outside
    (a perfect one has the upper limit 1). Intervals of this kind for 2 × 2 tables have close to
    their nominal coverage: Agresti & Min (2005), Biometrics 61, 515–523. A bootstrap does not: from
    50 right guesses of 50 it only draws 50 right guesses, and its interval has no width.

    With one label there is nothing to correlate: the coefficient 0 is a convention, not an
    estimate, and has no interval.
    """
    return counts_interval(*_counts(truth, guess), seed=seed)


def counts_interval(
    tp: float, tn: float, fp: float, fn: float, *, seed: int = 0
) -> Interval | None:
    """The interval of `matthews_interval`, from the counts of the four cells.

    Counts of sentences that are alike may be scaled down to what they are worth.
    """
    import numpy as np

    counts = (tp, tn, fp, fn)
    if 0 in (tp + fp, tn + fn, tp + fn, tn + fp):
        return None
    shares = np.random.default_rng(seed).dirichlet(np.array(counts) + PRIOR, size=DRAWS).T
    p, q, r, s = shares
    found = (p * q - r * s) / np.sqrt((p + r) * (p + s) * (q + r) * (q + s))
    low, high = np.percentile(found, LIMITS)
    estimate = matthews_of_counts(*counts)
    return (min(float(low), estimate), max(float(high), estimate))


def _counts(truth: Sequence[bool], guess: Sequence[bool]) -> tuple[int, int, int, int]:
    """True and false positives and negatives: tp, tn, fp, fn."""
    if len(truth) != len(guess) or not truth:
        raise DataError(f"{len(truth)} labels and {len(guess)} guesses; give as many of each")
    tp = sum(t and g for t, g in zip(truth, guess, strict=True))
    fp, fn = sum(guess) - tp, sum(truth) - tp
    return tp, len(truth) - tp - fp - fn, fp, fn


def mean_matthews_interval(
    truth: Sequence[bool], guesses: Sequence[Sequence[bool]], seed: int = 0, draws: int = 2000
) -> Interval:
    """95 % bootstrap interval of the mean correlation of several restarts.

    Every draw takes sentences and restarts anew, both with replacement, so that the interval
    covers other sentences and other restarts.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    t = np.asarray(truth, bool)  # (sentences,)
    g = np.asarray(guesses, bool)  # (restarts, sentences)
    times = rng.multinomial(len(t), np.full(len(t), 1 / len(t)), draws)  # (draws, sentences)
    tp, fp = times @ (t & g).T, times @ (~t & g).T  # (draws, restarts)
    good = (times @ t)[:, None]
    fn, tn = good - tp, len(t) - good - fp
    below = 1.0 * (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    found = np.where(below > 0, (tp * tn - fp * fn) / np.sqrt(np.maximum(below, 1)), 0.0)
    picked = rng.integers(0, len(g), (draws, len(g)))
    means = np.take_along_axis(found, picked, 1).mean(1)
    low, high = np.percentile(means, LIMITS)
    return (float(low), float(high))
