"""What the store of a study holds: sittings, trials, answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["person", "test", "model"]
"""Tests are trials of the study by the researcher and by simulated people; they count nowhere."""
Timing = Literal["script", "server", "none"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody who wants to begin: where they come from, and the list they ask for, if any.

    `session` is what the platform tells nobody else (Prolific's session, MTurk's assignment);
    `person` somebody who has shown the token of an earlier sitting.
    """

    platform: str = "none"
    identity: str = ""
    list: int = 0
    kind: Kind = "person"
    facts: Mapping[str, Any] = field(default_factory=dict)
    session: str = ""
    person: str = ""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One visit of one person, one trial of the study by the researcher, or a model's list."""

    id: int
    token: str
    person: str
    version: int
    list: int
    state: str
    started: float
    seen: float
    finished: float | None
    code: str
    deletion: str
    kind: Kind
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """A trial of a sitting, from 1, and its answer, if there is one."""

    position: int
    item: str
    kind: str
    condition: str
    side: str
    response: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer on its way to the store; `time` and `hidden` in seconds.

    `timing` says who took the time: the page's script, or the server without it.
    """

    position: int
    response: str
    time: float | None = None
    hidden: float = 0.0
    timing: Timing = "none"


@dataclass(frozen=True, slots=True)
class Given:
    """A stored answer with everything about it that exports need."""

    sitting: int
    person: str
    kind: str
    version: int
    list: int
    position: int
    item: str
    role: str
    condition: str
    side: str
    response: str
    time: float | None
    hidden: float
    timing: str
    received: float


@dataclass(frozen=True, slots=True)
class ListCount:
    """How many sittings of a list are complete, and how many are under way.

    `live` sittings have an answer, `waiting` ones not yet; `stale` ones have been left.
    """

    list: int
    complete: int
    live: int
    waiting: int
    stale: int
