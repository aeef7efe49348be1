"""What a study has collected: sittings and answers of people and models, checked for damage."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TypeVar

from priscian.errors import StoreError
from priscian.judge.frozen import Frozen
from priscian.judge.store import Sitting, Store, StoredAnswer

T = TypeVar("T", Sitting, StoredAnswer)


@dataclass(frozen=True, slots=True)
class Collected:
    """Sittings and answers to one version of a study, and answers to every version."""

    sittings: list[Sitting]
    answers: list[StoredAnswer]
    everything: list[StoredAnswer]
    revisions: list[StoredAnswer]
    """Answers to every version that do not count."""
    tests: int
    """Test sittings of this version, which are left out everywhere."""


def collect(store: Store, frozen: Frozen, tests: bool = False) -> Collected:
    """Read what is there; an answer that cannot be one is an error, since its row is damaged.

    Tests are left out, or are as if they were people's.
    """
    sittings = [s for s in store.sittings(tests=True) if s.version == frozen.version]
    everything = [_as_people(a) for a in store.answers(tests)]
    revisions = [_as_people(a) for a in store.revisions(tests)]
    answers = [a for a in everything if a.version == frozen.version]
    for answer in answers:
        problem = _damage(frozen, answer)
        if problem:
            raise StoreError(
                f"the answer to trial {answer.position} of sitting {answer.sitting} is damaged "
                f"({problem}); restore the database from a backup"
            )
    real = [_as_people(s) for s in sittings if tests or s.kind != "test"]
    return Collected(real, answers, everything, revisions, len(sittings) - len(real))


def _as_people(row: T) -> T:
    return replace(row, kind="person") if row.kind == "test" else row


@dataclass(frozen=True, slots=True)
class Gathered:
    """How much there is of one version: of people, of models and of tests."""

    version: int
    people: int
    sittings: int
    complete: int
    answers: int
    models: int
    """Answers of models."""
    tests: int
    """Test sittings."""


def gathered(store: Store) -> list[Gathered]:
    """How much there is of each version, the oldest first."""
    sittings, answers = store.sittings(tests=True), store.answers()
    found = []
    for version, _ in store.versions():
        own = [s for s in sittings if s.version == version]
        people = [s for s in own if s.kind == "person"]
        kinds = Counter(a.kind for a in answers if a.version == version)
        found.append(
            Gathered(
                version=version,
                people=len({s.person for s in people}),
                sittings=len(people),
                complete=sum(s.state == "complete" for s in people),
                answers=kinds["person"],
                models=kinds["model"],
                tests=sum(s.kind == "test" for s in own),
            )
        )
    return found


def _damage(frozen: Frozen, answer: StoredAnswer) -> str:
    """What is wrong with a stored answer; nothing if it can be one."""
    task, material = frozen.study.task, frozen.materials.get(answer.item)
    if material is None:
        return f"no item {answer.item!r}"
    if task == "choice" and answer.side not in ("left", "right"):
        return f"side {answer.side!r}"
    if task != "choice" and answer.condition not in material.conditions:
        return f"no condition {answer.condition!r} of item {answer.item!r}"
    response: object = answer.response  # of a database that may be damaged
    if task in ("choice", "binary"):
        possible = response in (("left", "right") if task == "choice" else ("yes", "no"))
    else:  # a scale may have had any number of points
        number = _number(response)
        possible = 0 < number < math.inf and (task == "magnitude" or number.is_integer())
    if not possible:
        return f"response {response!r}"
    for time in (answer.time, answer.hidden, answer.received):
        if time is not None and not (isinstance(time, float | int) and math.isfinite(time)):
            return f"time {time!r}"
    return ""


def _number(response: object) -> float:
    try:
        return float(response) if isinstance(response, str) else math.nan
    except ValueError:
        return math.nan
