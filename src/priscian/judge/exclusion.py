"""Who is left out of an export, and why: the rules that the study declared before it began."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from priscian.errors import counted
from priscian.judge.app.flow import passed
from priscian.judge.frozen import Frozen
from priscian.judge.languages import names_any
from priscian.judge.pace import Pace, paces
from priscian.judge.records import Given, Sitting
from priscian.judge.study import Exclusion

CHECKS = ("check", "gold")
FAILED = "failed the comprehension questions"
_NUMBERS = {"yes": 1.0, "no": 0.0, "left": 0.0, "right": 1.0}


@dataclass(frozen=True, slots=True)
class Excluded:
    """Somebody, or one sitting of theirs (0 for all), and the reason."""

    person: str
    sitting: int
    reason: str
    fault: bool = False
    """Whether the reason is how they answered, not who they are or that they stopped."""


def check_passed(frozen: Frozen, answer: Given) -> bool:
    """Whether a check or gold sentence was answered as it should be."""
    material = frozen.materials[answer.item]
    return passed(frozen.study, material.answer, answer.side, answer.response)


def exclusions(
    frozen: Frozen, sittings: Sequence[Sitting], answers: Sequence[Given]
) -> list[Excluded]:
    """Every reason to leave somebody out; models are never left out."""
    rules = frozen.study.exclusion
    people: dict[str, list[Given]] = {}
    for answer in answers:
        if answer.kind == "person" and answer.role != "practice":
            people.setdefault(answer.person, []).append(answer)
    found: list[Excluded] = []
    for person, given in people.items():
        found += [Excluded(person, 0, reason, fault=True) for reason in _of_person(frozen, given)]
    pace = paces(sittings, answers)
    own: dict[str, list[Sitting]] = {}
    for sitting in sittings:
        if sitting.kind == "person":
            own.setdefault(sitting.person, []).append(sitting)
    for person, mine in own.items():
        if rules.native:
            found += _native(person, mine, rules.native)
        for n, sitting in enumerate(mine, start=1):
            reasons = _of_pace(rules, pace[sitting.id])
            found += [Excluded(person, sitting.id, reason, fault=True) for reason in reasons]
            if rules.incomplete and sitting.state != "complete":
                found.append(Excluded(person, sitting.id, "incomplete"))
            elif sitting.state == "failed":
                found.append(Excluded(person, sitting.id, FAILED, fault=True))
            if rules.repeated and n > frozen.study.targets.sittings_per_person:
                found.append(Excluded(person, sitting.id, "repeated", fault=True))
    return found


def _of_person(frozen: Frozen, given: Sequence[Given]) -> list[str]:
    rules, found = frozen.study.exclusion, []
    failed = sum(a.role in CHECKS and not check_passed(frozen, a) for a in given)
    if rules.failed_checks and failed >= rules.failed_checks:
        found.append(f"failed {counted(failed, 'attention check')}")
    main = [a for a in given if a.role not in CHECKS]
    times = [a.time for a in main if a.time is not None]
    if rules.median_time_below and times and statistics.median(times) < rules.median_time_below:
        found.append(f"median time below {rules.median_time_below:g} s")
    if rules.shortest_time_below and times and min(times) < rules.shortest_time_below:
        found.append(f"an answer below {rules.shortest_time_below:g} s")
    scale = frozen.study.task != "choice"
    if rules.flat and scale and len(main) > 1 and len({float_of(a.response) for a in main}) == 1:
        found.append("the same answer throughout")
    return found


def _of_pace(rules: Exclusion, pace: Pace) -> list[str]:
    """Reasons by the time of a whole sitting, and by the sides of its answers."""
    found = []
    least, most = rules.total_time_below, rules.one_side_above
    if least and pace.total is not None and pace.total < least:
        found.append(f"all answers in less than {least:g} s")
    if most and pace.one_side is not None and pace.one_side > most:
        found.append(f"more than {100 * most:g} % of the answers on one side")
    if rules.implausible and pace.plausible is False:
        found.append("times that cannot be true")
    return found


def _native(person: str, sittings: Sequence[Sitting], wanted: Sequence[str]) -> list[Excluded]:
    """A reason, if nothing that somebody said of their native languages names one of these."""
    abouts: list[Mapping[str, str]] = [s.facts.get("about") or {} for s in sittings]
    said = [a["native_languages"] for a in abouts if str(a.get("native_languages", "")).strip()]
    if any(names_any(answer, wanted) for answer in said):
        return []
    return [Excluded(person, 0, "native language" if said else "native language not given")]


def float_of(response: str) -> float:
    """A response as a number: yes is 1, no is 0."""
    return _NUMBERS[response] if response in _NUMBERS else float(response)


def kept(answers: Sequence[Given], excluded: Sequence[Excluded]) -> list[Given]:
    """The answers of those who are not left out."""
    people = {e.person for e in excluded if not e.sitting}
    sittings = {e.sitting for e in excluded if e.sitting}
    return [a for a in answers if a.person not in people and a.sitting not in sittings]
