"""How long a sitting took by the server's clock, beside what the page said, and whether it can be.

Times of single answers come from the browser, which can send anything. The server knows when
somebody had read the instructions and when each answer arrived.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from priscian.judge.records import Given, Sitting

SLACK = 2.0
"""Seconds by which the clock of a browser may differ from ours over a sitting."""
LEAST = 0.2
"""Seconds for each answer below which nobody can have read a sentence."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The times of one sitting in seconds, and how far its answers are on one side.

    `plausible` is None where there is nothing to compare (models, nobody has answered yet).
    """

    total: float | None
    """By the server's clock, from the instructions to the last answer."""
    said: float
    """The times that the page gave its answers, with those in a hidden tab."""
    one_side: float | None
    """The share of the more frequent side, in forced choices between items."""
    plausible: bool | None


def paces(sittings: Iterable[Sitting], answers: Iterable[Given]) -> dict[int, Pace]:
    """The pace of every sitting, by its number.

    A sitting is not plausible if some of its answers say that they took longer than there was time
    before they arrived, or if there was less than a fifth of a second for each of them.
    """
    given: dict[int, list[Given]] = {}
    for answer in answers:
        given.setdefault(answer.sitting, []).append(answer)
    return {s.id: _pace(s, given.get(s.id, [])) for s in sittings}


def _pace(sitting: Sitting, answers: Sequence[Given]) -> Pace:
    said = [(a.time or 0.0) + a.hidden for a in answers]
    begun = sitting.facts.get("read")
    if sitting.kind == "model" or not isinstance(begun, int | float) or not answers:
        return Pace(None, sum(said), one_side(answers), None)
    total = max(a.received for a in answers) - begun
    return Pace(total, sum(said), one_side(answers), _is_plausible(answers, begun))


def _is_plausible(answers: Sequence[Given], begun: float) -> bool:
    spent = 0.0
    for answer in sorted(answers, key=lambda a: a.received):
        spent += (answer.time or 0.0) + answer.hidden
        if spent > answer.received - begun + SLACK:
            return False
    return max(a.received for a in answers) - begun >= LEAST * len(answers)


def one_side(answers: Sequence[Given]) -> float | None:
    """The share of the side that was chosen more often; only of forced choices between items."""
    sides = Counter(
        a.response
        for a in answers
        if a.role in ("item", "filler") and a.response in ("left", "right")
    )
    return max(sides.values()) / sides.total() if sides else None
