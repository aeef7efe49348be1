"""Who is left out of an export, and why: the rules that the study declared before it began.

Times of single answers come from the browser, which can send anything. The server knows when
somebody had read the instructions and when each answer arrived, so that both are compared.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from priscian.errors import counted
from priscian.judge.frozen import Frozen
from priscian.judge.languages import names_any
from priscian.judge.store import Sitting, StoredAnswer
from priscian.judge.study import Study

CHECKS = ("check", "gold")
FAILED = "failed the comprehension questions"
SLACK = 2.0
"""Seconds by which the clock of a browser may differ from ours over a sitting."""
LEAST = 0.2
"""Seconds for each answer below which nobody can have read a sentence."""
_NUMBERS = {"yes": 1.0, "no": 0.0, "left": 0.0, "right": 1.0}


@dataclass(frozen=True, slots=True)
class Excluded:
    """Somebody, or one sitting of theirs (0 for all), and the reason."""

    person: str
    sitting: int
    reason: str
    fault: bool = False
    """Whether the reason is how they answered, not who they are or that they stopped."""


def exclusions(
    frozen: Frozen, sittings: Sequence[Sitting], answers: Sequence[StoredAnswer]
) -> list[Excluded]:
    """Every reason to leave somebody out; models are never left out."""
    rules = frozen.study.exclusion
    people: dict[str, list[StoredAnswer]] = {}
    for answer in answers:
        if answer.kind == "person" and answer.role != "practice":
            people.setdefault(answer.person, []).append(answer)
    found: list[Excluded] = []
    for person, given in people.items():
        found += [Excluded(person, 0, reason, fault=True) for reason in _of_answers(frozen, given)]
    pace = paces(sittings, answers)
    own: dict[str, list[Sitting]] = {}
    for sitting in sittings:
        if sitting.kind == "person":
            own.setdefault(sitting.person, []).append(sitting)
    for person, mine in own.items():
        if rules.native:
            abouts: list[Mapping[str, str]] = [s.facts.get("about") or {} for s in mine]
            said = [str(about.get("native_languages", "")) for about in abouts]
            if not any(names_any(answer, rules.native) for answer in said):
                given_any = any(answer.strip() for answer in said)
                reason = "native language" if given_any else "native language not given"
                found.append(Excluded(person, 0, reason))
        for n, sitting in enumerate(mine, start=1):
            reasons = _of_pace(frozen, pace[sitting.id])
            if not rules.incomplete and sitting.state == "failed":
                reasons.append(FAILED)
            found += [Excluded(person, sitting.id, reason, fault=True) for reason in reasons]
            if rules.incomplete and sitting.state != "complete":
                found.append(Excluded(person, sitting.id, "incomplete"))
            if rules.repeated and n > frozen.study.targets.sittings_per_person:
                found.append(Excluded(person, sitting.id, "repeated", fault=True))
    return found


def _of_answers(frozen: Frozen, given: Sequence[StoredAnswer]) -> list[str]:
    """Reasons by all the answers of a person."""
    study, rules, found = frozen.study, frozen.study.exclusion, []
    failed = sum(
        a.role in CHECKS and not passed(study, frozen.materials[a.item].answer, a.side, a.response)
        for a in given
    )
    if rules.failed_checks and failed >= rules.failed_checks:
        found.append(f"failed {counted(failed, 'attention check')}")
    main = [a for a in given if a.role not in CHECKS]
    times = [a.time for a in main if a.time is not None]
    if rules.median_time_below and times and statistics.median(times) < rules.median_time_below:
        found.append(f"median time below {rules.median_time_below:g} s")
    if rules.shortest_time_below and times and min(times) < rules.shortest_time_below:
        found.append(f"an answer below {rules.shortest_time_below:g} s")
    scale = study.task != "choice"
    if rules.flat and scale and len(main) > 1 and len({float_of(a.response) for a in main}) == 1:
        found.append("the same answer throughout")
    return found


def passed(study: Study, answer: str, side: str, response: str) -> bool:
    """Whether the response to a check or a gold sentence is the right one.

    `answer` is good for a pair; 2, yes, or a range such as 5-7 for one sentence.
    """
    if study.task == "choice":
        return response == side
    if study.task == "binary":
        return response == {"1": "yes", "0": "no"}.get(answer.lower(), answer.lower())
    low, dash, high = answer.partition("-")
    number = float(response)
    if not dash:
        return number == float(low)
    return (not low or number >= float(low)) and (not high or number <= float(high))


def float_of(response: str) -> float:
    """A response as a number: yes is 1, no is 0."""
    return _NUMBERS[response] if response in _NUMBERS else float(response)


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


def paces(sittings: Iterable[Sitting], answers: Iterable[StoredAnswer]) -> dict[int, Pace]:
    """The pace of every sitting, by its number.

    A sitting is not plausible if some of its answers say that they took longer than there was time
    before they arrived, or if there was less than a fifth of a second for each of them.
    """
    given: dict[int, list[StoredAnswer]] = {}
    for answer in answers:
        given.setdefault(answer.sitting, []).append(answer)
    found = {}
    for sitting in sittings:
        own = sorted(given.get(sitting.id, ()), key=lambda a: a.received)
        spent = list(accumulate((a.time or 0.0) + a.hidden for a in own))
        begun, total, plausible = sitting.facts.get("read"), None, None
        if own and sitting.kind != "model" and isinstance(begun, int | float):
            total = own[-1].received - begun
            in_time = all(s <= a.received - begun + SLACK for s, a in zip(spent, own, strict=True))
            plausible = in_time and total >= LEAST * len(own)
        said = spent[-1] if spent else 0.0
        found[sitting.id] = Pace(total, said, one_side(own), plausible)
    return found


def one_side(answers: Sequence[StoredAnswer]) -> float | None:
    """The share of the side that was chosen more often; only of forced choices between items."""
    sides = Counter(
        a.response
        for a in answers
        if a.role in ("item", "filler") and a.response in ("left", "right")
    )
    return max(sides.values()) / sides.total() if sides else None


def _of_pace(frozen: Frozen, pace: Pace) -> list[str]:
    """Reasons by the time of a whole sitting, and by the sides of its answers."""
    rules, found = frozen.study.exclusion, []
    least, most = rules.total_time_below, rules.one_side_above
    if least and pace.total is not None and pace.total < least:
        found.append(f"all answers in less than {least:g} s")
    if most and pace.one_side is not None and pace.one_side > most:
        found.append(f"more than {100 * most:g} % of the answers on one side")
    if rules.implausible and pace.plausible is False:
        found.append("times that cannot be true")
    return found


def kept(answers: Sequence[StoredAnswer], excluded: Sequence[Excluded]) -> list[StoredAnswer]:
    """The answers of those who are not left out."""
    people = {e.person for e in excluded if not e.sitting}
    sittings = {e.sitting for e in excluded if e.sitting}
    return [a for a in answers if a.person not in people and a.sitting not in sittings]
