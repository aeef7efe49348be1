"""What the store of a study holds: sittings, trials, answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["live", "complete", "failed", "full"]
Timing = Literal["script", "server", "none"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody who wants to begin: where they come from, and the list they ask for, if any."""

    platform: str = "none"
    identity: str = ""
    list: int = 0
    kind: str = "person"
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sitting:
    """One visit of one person, or one model that answers a list."""

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
    kind: str
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
    """How many sittings of a list are complete, and how many are under way."""

    list: int
    complete: int
    live: int
    stale: int
