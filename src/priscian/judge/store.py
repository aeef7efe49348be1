"""Where a study keeps its sittings, trials and answers, in the SQL that both databases share.

A store object belongs to one thread. `transaction()` surrounds what must be kept together; nothing
is acknowledged before it has been committed (`desk`).
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from priscian.errors import StoreError
from priscian.judge.databases import Database

PersonKind = Literal["person", "test", "model"]
"""Tests are trials of the study by the researcher and by simulated people; they count nowhere."""
Timing = Literal["script", "server", "none"]
LEASE = 600.0
"""Seconds in which somebody who has not answered yet counts when lists are filled evenly."""
MOST_REVISIONS = 3
"""Later answers to one trial that are kept."""
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_ANSWER = "(sitting, position, response, time, hidden, timing, received, version)"
_COUNTED = {False: "s.kind <> 'test'", True: "1 = 1"}


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody who wants to begin: where they come from, and the list they ask for, if any.

    `session` is what the platform tells nobody else (Prolific's session, MTurk's assignment);
    `person` somebody who has shown the token of an earlier sitting.
    """

    platform: str = "none"
    identity: str = ""
    list: int = 0
    kind: PersonKind = "person"
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
    kind: PersonKind
    facts: Mapping[str, Any]


_SITTING = ", ".join(column.name for column in fields(Sitting))


@dataclass(frozen=True, slots=True)
class ShownTrial:
    """A trial of a sitting, from 1, and its answer, if there is one."""

    position: int
    item: str
    kind: str
    condition: str
    side: str
    response: str | None = None


@dataclass(frozen=True, slots=True)
class SentAnswer:
    """An answer on its way to the store; `time` and `hidden` in seconds.

    `timing` says who took the time: the page's script, or the server without it.
    """

    position: int
    response: str
    time: float | None = None
    hidden: float = 0.0
    timing: Timing = "none"


@dataclass(frozen=True, slots=True)
class StoredAnswer:
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


def random_code(letters: int = 10) -> str:
    """A code that can be read aloud: no 0, O, 1, I or L."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(letters))


class Store:
    """Sittings, trials and answers of one study."""

    def __init__(self, backend: Database, now: Callable[[], float] = time.time) -> None:
        self.backend = backend
        self.now = now

    def close(self) -> None:
        """Close the connection."""
        self.backend.close()

    def _text(self, sql: str, *values: object) -> str:
        """The first cell of the first row, or nothing."""
        rows = self.backend.run(sql, values)
        return str(rows[0][0]) if rows else ""

    # ------------------------------------------------------------ settings and versions

    def setting(self, key: str) -> str:
        """A setting, or nothing: admin's hash, whether the study is paused."""
        return self._text("SELECT value FROM settings WHERE key = ?", key)

    def put(self, key: str, value: str) -> None:
        """Keep a setting."""
        self.backend.run(
            "INSERT INTO settings (key, value) VALUES (?, ?) "
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def test_key(self) -> str:
        """What the address of a test has, so that only the researcher can begin one."""
        if not self.setting("test"):
            self.put("test", secrets.token_urlsafe(12))
        return self.setting("test")

    def versions(self) -> list[tuple[int, str]]:
        """Number and hash of every version, the oldest first."""
        rows = self.backend.run("SELECT version, hash FROM studies ORDER BY version")
        return [(int(v), str(h)) for v, h in rows]

    def body(self, version: int) -> str:
        """The frozen study of a version, as JSON."""
        found = self._text("SELECT body FROM studies WHERE version = ?", version)
        if not found:
            raise StoreError(f"no version {version} of the study in the store")
        return found

    def add_version(self, version: int, sha: str, body: str, lists: Mapping[int, int]) -> None:
        """Keep a version of the study, and the part of the items that each list shows.

        Tests of a version that is replaced are deleted: they saw another study.
        """
        if sha not in (known for number, known in self.versions() if number == version):
            self.clear_tests(version)
        self.backend.run(
            "INSERT INTO studies (version, hash, body, created) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (version) DO UPDATE SET hash = excluded.hash, body = excluded.body",
            (version, sha, body, self.now()),
        )
        self.backend.run("DELETE FROM lists WHERE version = ?", (version,))
        for number, part in lists.items():
            self.backend.run(
                "INSERT INTO lists (version, number, part) VALUES (?, ?, ?)",
                (version, number, part),
            )

    # ------------------------------------------------------------ sittings

    def counts(
        self, version: int, stale_after: float, kind: PersonKind = "person"
    ) -> list[ListCount]:
        """How many sittings of every list there are in which state; only those of one kind."""
        now = self.now()
        rows = self.backend.run(
            "SELECT list, CASE WHEN state <> 'live' THEN state WHEN seen <= released OR seen < "
            "CASE WHEN answered = 1 THEN ? ELSE ? END THEN 'stale' WHEN answered = 1 THEN 'live' "
            "ELSE 'waiting' END AS at, COUNT(*) FROM (SELECT list, state, seen, released, "
            "CASE WHEN EXISTS (SELECT 1 FROM answers a WHERE a.sitting = s.id) THEN 1 ELSE 0 END "
            "AS answered FROM sittings s WHERE version = ? AND kind = ?) AS own GROUP BY list, at",
            (now - stale_after, now - min(stale_after, LEASE), version, kind),
        )
        found = {(int(number), str(at)): int(count) for number, at, count in rows}
        states = ("complete", "live", "waiting", "stale")
        return [
            ListCount(number, *(found.get((number, at), 0) for at in states))
            for number in sorted(self.parts(version))
        ]

    def release(self, version: int) -> int:
        """Give away the places of all who are under way; who answers again has one again."""
        rows = self.backend.run(
            "UPDATE sittings SET released = ? WHERE version = ? AND state = 'live' "
            "AND kind = 'person' AND seen > released RETURNING id",
            (self.now(), version),
        )
        return len(rows)

    def person(self, platform: str, identity: str, kind: PersonKind = "person") -> str:
        """The pseudonym of somebody; the same for the same id of a platform."""
        fresh = secrets.token_hex(6)
        if kind == "test":
            return f"test-{fresh}"
        if not identity:
            return fresh
        return self._text(
            "INSERT INTO identities (platform, identity, person) VALUES (?, ?, ?) "
            "ON CONFLICT (platform, identity) DO UPDATE SET platform = excluded.platform "
            "RETURNING person",
            platform, identity, fresh,
        )  # fmt: skip

    def identity(self, person: str) -> str:
        """The id of somebody on their platform, or nothing."""
        return self._text("SELECT identity FROM identities WHERE person = ?", person)

    def sittings_of(self, person: str) -> list[Sitting]:
        """Everything that somebody has begun."""
        return self._sittings("person = ?", person)

    def sitting(self, token: str) -> Sitting | None:
        """The sitting of a token."""
        return next(iter(self._sittings("token = ?", token)), None)

    def sittings(self, tests: bool = False) -> list[Sitting]:
        """Every sitting, in the order they began; tests only if they are asked for."""
        return self._sittings(_COUNTED[tests])

    def clear_tests(self, version: int = 0) -> int:
        """Delete every test, or those of one version; how many there were."""
        rows = self.backend.run(
            "SELECT id FROM sittings WHERE kind = 'test' AND (version = ? OR ? = 0)",
            (version, version),
        )
        for (sitting,) in rows:
            self.remove(sitting)
        return len(rows)

    def _sittings(self, where: str, *values: object) -> list[Sitting]:
        found = []
        for *row, said in self.backend.run(
            f"SELECT {_SITTING} FROM sittings s WHERE {where} ORDER BY id", values
        ):
            try:
                facts = json.loads(said)
            except (ValueError, TypeError, RecursionError):
                facts = None
            if not isinstance(facts, dict):
                raise StoreError(
                    f"the facts of sitting {row[0]} are damaged; restore the database from a backup"
                )
            found.append(Sitting(*(*row, facts)))
        return found

    def parts_seen(self, person: str) -> set[tuple[int, int]]:
        """Version and part of every list that somebody has begun."""
        rows = self.backend.run(
            "SELECT s.version, l.part FROM sittings s JOIN lists l ON l.version = s.version "
            "AND l.number = s.list WHERE s.person = ?",
            (person,),
        )
        return {(int(v), int(p)) for v, p in rows}

    def parts(self, version: int) -> dict[int, int]:
        """The part of the items that each list shows."""
        rows = self.backend.run("SELECT number, part FROM lists WHERE version = ?", (version,))
        return {int(n): int(p) for n, p in rows}

    def add_sitting(
        self, arrival: Arrival, person: str, version: int, number: int, trials: Sequence[ShownTrial]
    ) -> Sitting:
        """A new sitting with its trials in their order."""
        token = secrets.token_urlsafe(16)  # 128 bits
        self.backend.run(
            "INSERT INTO sittings (token, person, version, list, state, started, seen, code, "
            "deletion, kind, facts) VALUES (?, ?, ?, ?, 'live', ?, ?, '', ?, ?, ?)",
            (token, person, version, number, self.now(), self.now(), random_code(12),
             arrival.kind, json.dumps(dict(arrival.facts))),
        )  # fmt: skip
        (sitting,) = self._sittings("token = ?", token)
        for trial in trials:
            self.backend.run(
                "INSERT INTO trials (sitting, position, item, kind, condition, side) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (sitting.id, trial.position, trial.item, trial.kind, trial.condition, trial.side),
            )
        return sitting

    def touch(self, sitting: int) -> None:
        """Update the time at which a sitting was last seen."""
        self.backend.run("UPDATE sittings SET seen = ? WHERE id = ?", (self.now(), sitting))

    def note(self, sitting: int, facts: Mapping[str, Any], state: str = "") -> None:
        """Keep facts about a sitting (consent, tries, demographics), and a change of state."""
        known = self._text("SELECT facts FROM sittings WHERE id = ?", sitting)
        merged = {**json.loads(known), **facts}
        self.backend.run(
            "UPDATE sittings SET facts = ?, state = COALESCE(NULLIF(?, ''), state), seen = ? "
            "WHERE id = ?",
            (json.dumps(merged), state, self.now(), sitting),
        )

    # ------------------------------------------------------------ trials and answers

    def trials(self, sitting: int) -> list[ShownTrial]:
        """The trials of a sitting in order, each with its answer."""
        rows = self.backend.run(
            "SELECT t.position, t.item, t.kind, t.condition, t.side, a.response FROM trials t "
            "LEFT JOIN answers a ON a.sitting = t.sitting AND a.position = t.position "
            "WHERE t.sitting = ? ORDER BY t.position",
            (sitting,),
        )
        return [ShownTrial(*row) for row in rows]

    def trial(self, sitting: int, position: int) -> ShownTrial | None:
        """One trial of a sitting, without its answer."""
        rows = self.backend.run(
            "SELECT position, item, kind, condition, side FROM trials "
            "WHERE sitting = ? AND position = ?",
            (sitting, position),
        )
        return ShownTrial(*rows[0]) if rows else None

    def answer(self, sitting: int, version: int, answer: SentAnswer) -> bool:
        """Keep an answer; the first one wins, another one becomes a revision, up to a few.

        The same answer sent again, after a lost acknowledgement, changes nothing.
        """
        values = (sitting, answer.position, answer.response, answer.time, answer.hidden,
                  answer.timing, self.now(), version)  # fmt: skip
        if self.backend.run(
            f"INSERT INTO answers {_ANSWER} VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (sitting, position) DO NOTHING RETURNING position",
            values,
        ):
            return True
        given, *later = [
            said
            for table in ("answers", "revisions")
            for (said,) in self.backend.run(
                f"SELECT response FROM {table} WHERE sitting = ? AND position = ?",
                (sitting, answer.position),
            )
        ]
        if answer.response not in (given, *later) and len(later) < MOST_REVISIONS:
            self.backend.run(
                f"INSERT INTO revisions {_ANSWER} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values
            )
        return False

    def restart(self, sitting: int) -> None:
        """Begin a sitting again: what was answered is kept as revisions."""
        columns = _ANSWER.strip("()")
        self.backend.run(
            f"INSERT INTO revisions {_ANSWER} SELECT {columns} FROM answers WHERE sitting = ?",
            (sitting,),
        )
        self.backend.run("DELETE FROM answers WHERE sitting = ?", (sitting,))
        self.event(sitting, "restart")

    def finish(self, sitting: int, code: str) -> str:
        """The completion code, if every trial has its answer; else nothing."""
        if self.backend.run(
            "SELECT 1 FROM trials t LEFT JOIN answers a ON a.sitting = t.sitting "
            "AND a.position = t.position WHERE t.sitting = ? AND a.sitting IS NULL LIMIT 1",
            (sitting,),
        ):
            return ""
        return self._text(
            "UPDATE sittings SET state = 'complete', finished = COALESCE(finished, ?), "
            "code = CASE WHEN code = '' THEN ? ELSE code END "
            "WHERE id = ? AND state <> 'failed' RETURNING code",
            self.now(), code, sitting,
        )  # fmt: skip

    def answers(self, tests: bool = False, table: str = "answers") -> list[StoredAnswer]:
        """Every answer with its trial and sitting, by sitting and position."""
        rows = self.backend.run(
            "SELECT a.sitting, s.person, s.kind, a.version, s.list, a.position, t.item, t.kind, "
            "t.condition, t.side, a.response, a.time, a.hidden, a.timing, a.received "
            f"FROM {table} a JOIN sittings s ON s.id = a.sitting "
            "JOIN trials t ON t.sitting = a.sitting AND t.position = a.position "
            f"WHERE {_COUNTED[tests]} ORDER BY a.sitting, a.position, a.received"
        )
        return [StoredAnswer(*row) for row in rows]

    def revisions(self, tests: bool = False) -> list[StoredAnswer]:
        """Later answers to a trial, which do not count, and those before a sitting began again."""
        return self.answers(tests, "revisions")

    def event(self, sitting: int | None, what: str, detail: str = "") -> None:
        """Note something that happened."""
        self.backend.run(
            "INSERT INTO events (sitting, at, what, detail) VALUES (?, ?, ?, ?)",
            (sitting, self.now(), what, detail),
        )

    # ------------------------------------------------------------ privacy

    def remove(self, sitting: int) -> None:
        """Delete a sitting with everything in it."""
        for table in ("answers", "revisions", "trials", "events"):
            self.backend.run(f"DELETE FROM {table} WHERE sitting = ?", (sitting,))
        self.backend.run("DELETE FROM sittings WHERE id = ?", (sitting,))

    def forget(self, code: str) -> int:
        """Delete everything about the person of a platform id or deletion code; how many sittings.

        Call `backend.scrub()` after the transaction, so that no byte is left in a file.
        """
        people = self.backend.run(
            "SELECT person FROM identities WHERE identity = ? "
            "UNION SELECT person FROM sittings WHERE deletion = ?",
            (code, code),
        )
        gone = 0
        for (person,) in people:
            for sitting in self.sittings_of(person):
                self.remove(sitting.id)
                gone += 1
            self.backend.run("DELETE FROM identities WHERE person = ?", (person,))
        return gone
