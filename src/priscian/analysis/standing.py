"""How a score stands to chance, or whether its items tie so often that nothing can be said.

A model that guesses is right on every item by chance alone, in any suite alike. So a score is
compared with guesses on the same items, also where the interval that is shown covers other suites.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from priscian.analysis.compare.matching import headline_sets
from priscian.runs import Result, SuitesSummary
from priscian.stats.interval import Z95, Interval

Standing = Literal["above", "below", "at chance", "unsure", "tied", "known"]
TIGHT = 0.1
"""How far from chance an interval around it may reach, so that the score counts as chance."""
OVERALL = ""
"""The name of the overall score among those of classes."""


def mostly_tied(ties: int | None, n: int | None) -> bool:
    """Whether more than half of the items tie: the score is then that of the tie rule.

    >>> mostly_tied(40, 40), mostly_tied(20, 40), mostly_tied(None, None)
    (True, False, False)
    """
    return 2 * (ties or 0) > (n or 0)


def standing(
    chance: float, interval: Interval | None, ties: int | None = None, n: int | None = None
) -> Standing:
    """Above or below chance by the interval, at chance if it is tight, unsure if it is wide.

    >>> standing(0.5, (0.6, 0.7)), standing(0.5, (0.45, 0.56)), standing(0.25, (0.1, 0.4))
    ('above', 'at chance', 'unsure')
    >>> standing(0.5, (0.0, 0.1), ties=54, n=60), standing(0.5, None)
    ('tied', 'known')
    """
    if mostly_tied(ties, n):
        return "tied"
    if interval is None:
        return "known"
    low, high = interval
    if high < chance:
        return "below"
    if low > chance:
        return "above"
    return "at chance" if chance - low <= TIGHT and high - chance <= TIGHT else "unsure"


def guess_intervals(result: Result) -> dict[str, Interval]:
    """Of circuits and the SG score: intervals as wide as those of a model that guesses.

    The mean p of k suites, p ± 1.96·√(Σ cᵢ(1 − cᵢ)/nᵢ)/k with the chance levels cᵢ and sizes nᵢ. It
    excludes chance where p is not among 95 % of the guesses. Other kinds of data have intervals
    for other items in their summaries.
    """
    if not isinstance(result.summary, SuitesSummary):
        return {}
    suites = result.summary.suites
    members: dict[str, list[str]] = {OVERALL: headline_sets(result, list(suites))}
    for name in suites:
        members.setdefault(result.narrowest(name) or "other", []).append(name)
    return {
        name: guess_interval([(s.accuracy, s.chance, s.n) for s in map(suites.__getitem__, own)])
        for name, own in members.items()
    }


def guess_interval(sets: Sequence[tuple[float, float, int]]) -> Interval:
    """The interval of `guess_intervals`, of sets with accuracy, chance level and size.

    >>> suites = [(0.1, 0.25, 10), (0.0, 0.25, 10), (0.0, 0.25, 10)]
    >>> [round(limit, 4) for limit in guess_interval(suites)]
    [-0.1216, 0.1883]
    """
    mean = math.fsum(accuracy for accuracy, _, _ in sets) / len(sets)
    variance = math.fsum(c * (1 - c) / n for _, c, n in sets) / len(sets) ** 2
    half = Z95 * math.sqrt(variance)
    return (mean - half, mean + half)
