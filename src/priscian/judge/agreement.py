"""How far the raters of a study agree, and how right the majority of so many of them is."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from priscian.judge.exclusion import float_of
from priscian.judge.frozen import Frozen
from priscian.judge.records import Given
from priscian.judge.study import Task
from priscian.stats.agreement import Answers, RaterAgreement, Units, measure_agreement

SIZES = (1, 3, 5, 7, 9, 11, 15, 21, 31, 41)
"""Numbers of people, odd so that a majority cannot be tied."""
ENOUGH = 0.95
FEWEST = 3
"""People whose majority means something."""
ANSWERS: Mapping[Task, Answers] = {
    "choice": "choices", "binary": "categories", "likert": "scale", "magnitude": "numbers",
}  # fmt: skip


def units_of(frozen: Frozen, answers: Sequence[Given]) -> dict[str, dict[str, float]]:
    """Ratings of items by unit and rater: 1 for the good sentence of a pair; sentences by id."""
    choice = frozen.study.task == "choice"
    units: dict[str, dict[str, float]] = {}
    for a in answers:
        if a.role not in ("item", "filler"):
            continue
        if choice:
            unit, value = a.item, float(a.response == a.side)
        else:
            unit = frozen.materials[a.item].sentence_id(a.condition)
            value = float_of(a.response)
            if frozen.study.task == "magnitude":
                value = math.log(value / frozen.study.scale.modulus)
        units.setdefault(unit, {})[a.person] = value
    return units


def agreement_of(frozen: Frozen, answers: Sequence[Given], draws: int = 200) -> RaterAgreement:
    """Every measure of the answers of people to the items and fillers of a study."""
    return measure_agreement(units_of(frozen, answers), ANSWERS[frozen.study.task], draws)


@dataclass(frozen=True, slots=True)
class Majority:
    """What the majority of so many people chooses, as means over pairs."""

    people: int
    good: float
    """How often it is the good sentence. For one person, the accuracy of people."""
    same: float
    """How often it is what the majority of everybody chose; NaN where nobody can say."""


def majorities(units: Units) -> list[Majority]:
    """Majorities of forced choices, up to a size that is `ENOUGH` like everybody's.

    So many people are drawn with replacement from those who judged a pair, so that the number who
    choose the good sentence is binomial. No size is larger than the median number of people of a
    pair. What everybody chose counts where at least three people judged a pair and they are not
    split in half.

    >>> majorities({"a": {"x": 1.0, "y": 1.0, "z": 1.0}})
    [Majority(people=1, good=1.0, same=1.0)]
    """
    asked = [(math.fsum(r.values()) / len(r), len(r)) for r in units.values() if r]
    found: list[Majority] = []
    most = statistics.median(n for _, n in asked) if asked else 0
    for size in (s for s in SIZES if s <= most):
        good = [_more_than_half(p, size) for p, _ in asked]
        same = [
            g if p > 0.5 else 1 - g
            for g, (p, n) in zip(good, asked, strict=True)
            if p != 0.5 and n >= FEWEST
        ]
        mean = math.fsum(same) / len(same) if same else math.nan
        found.append(Majority(size, math.fsum(good) / len(good), mean))
        if mean >= ENOUGH:
            break
    return found


def _more_than_half(p: float, size: int) -> float:
    """Probability that more than half of so many independent draws are 1."""
    return math.fsum(
        math.comb(size, k) * p**k * (1 - p) ** (size - k) for k in range(size // 2 + 1, size + 1)
    )
