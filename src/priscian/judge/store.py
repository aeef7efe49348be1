"""Where a study keeps its answers: the store's methods, in the SQL that SQLite and Postgres share.

A store object belongs to one thread. `transaction()` surrounds what must be kept together; nothing
is acknowledged before it has been committed (`desk`).
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from priscian.errors import StoreError
from priscian.judge.records import Answer, Entry, Given, ListCount, Shown, Sitting

SCHEMA = 1
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_SITTING = (
    "id, token, person, version, list, state, started, seen, finished, code, deletion, kind, facts"
)
_COUNTED = {False: "s.kind <> 'test'", True: "1 = 1"}


class Backend(Protocol):
    """What differs between databases."""

    name: str

    def run(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]: ...
    def transaction(self) -> AbstractContextManager[None]: ...
    def savepoint(self) -> AbstractContextManager[None]: ...
    def lock(self) -> None: ...
    def backup(self, target: Path) -> None: ...
    def scrub(self) -> None: ...
    def close(self) -> None: ...


def random_code(letters: int = 10) -> str:
    """A code that can be read aloud: no 0, O, 1, I or L."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(letters))


def _facts(row: Sequence[Any]) -> Mapping[str, Any]:
    """The facts of a sitting's row, which are JSON."""
    try:
        found = json.loads(row[-1])
    except (ValueError, TypeError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise StoreError(
            f"the facts of sitting {row[0]} are damaged; restore the database from a backup"
        )
    return found


class Store:
    """Sittings, trials and answers of one study."""

    def __init__(self, backend: Backend, now: Callable[[], float] = time.time) -> None:
        self.backend = backend
        self.now = now

    def close(self) -> None:
        """Give the connection back."""
        self.backend.close()

    # ------------------------------------------------------------ settings and versions

    def setting(self, key: str) -> str:
        """A setting, or nothing: admin's hash, whether the study is paused."""
        rows = self.backend.run("SELECT value FROM settings WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    def put(self, key: str, value: str) -> None:
        """Keep a setting."""
        self.backend.run(
            "INSERT INTO settings (key, value) VALUES (?, ?) "
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def versions(self) -> list[tuple[int, str]]:
        """Number and hash of every version, the oldest first."""
        rows = self.backend.run("SELECT version, hash FROM studies ORDER BY version")
        return [(int(v), str(h)) for v, h in rows]

    def body(self, version: int) -> str:
        """The frozen study of a version, as JSON."""
        rows = self.backend.run("SELECT body FROM studies WHERE version = ?", (version,))
        if not rows:
            raise StoreError(f"no version {version} of the study in the store")
        return str(rows[0][0])

    def add_version(self, version: int, sha: str, body: str, lists: Mapping[int, int]) -> None:
        """Keep a version of the study, and the part of the items that each list shows."""
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

    def counts(self, version: int, stale_after: float) -> list[ListCount]:
        """Complete, live and stale sittings of every list; models are not counted."""
        rows = self.backend.run(
            "SELECT l.number, "
            "COALESCE(SUM(CASE WHEN s.state = 'complete' THEN 1 ELSE 0 END), 0), "
            "COALESCE(SUM(CASE WHEN s.state = 'live' AND s.seen >= ? THEN 1 ELSE 0 END), 0), "
            "COALESCE(SUM(CASE WHEN s.state = 'live' AND s.seen < ? THEN 1 ELSE 0 END), 0) "
            "FROM lists l LEFT JOIN sittings s ON s.version = l.version AND s.list = l.number "
            "AND s.kind = 'person' WHERE l.version = ? GROUP BY l.number ORDER BY l.number",
            (self.now() - stale_after, self.now() - stale_after, version),
        )
        return [ListCount(*map(int, row)) for row in rows]

    def person(self, platform: str, identity: str) -> str:
        """The pseudonym of somebody; the same for the same id of a platform."""
        fresh = secrets.token_hex(6)
        if not identity:
            return fresh
        rows = self.backend.run(
            "INSERT INTO identities (platform, identity, person) VALUES (?, ?, ?) "
            "ON CONFLICT (platform, identity) DO UPDATE SET platform = excluded.platform "
            "RETURNING person",
            (platform, identity, fresh),
        )
        return str(rows[0][0])

    def identity(self, person: str) -> str:
        """The id of somebody on their platform, or nothing."""
        rows = self.backend.run("SELECT identity FROM identities WHERE person = ?", (person,))
        return str(rows[0][0]) if rows else ""

    def sittings_of(self, person: str) -> list[Sitting]:
        """Everything that somebody has begun."""
        return self._sittings("WHERE person = ? ORDER BY id", (person,))

    def sitting(self, token: str) -> Sitting | None:
        """The sitting of a token."""
        found = self._sittings("WHERE token = ?", (token,))
        return found[0] if found else None

    def sittings(self, tests: bool = False) -> list[Sitting]:
        """Every sitting, in the order they began; tests only if they are asked for."""
        return self._sittings(f"WHERE {_COUNTED[tests]} ORDER BY id", ())

    def _sittings(self, where: str, values: Sequence[object]) -> list[Sitting]:
        rows = self.backend.run(f"SELECT {_SITTING} FROM sittings s {where}", values)
        return [Sitting(*(*row[:-1], _facts(row))) for row in rows]

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
        self, entry: Entry, person: str, version: int, number: int, trials: Sequence[Shown]
    ) -> Sitting:
        """A new sitting with its trials in their order."""
        token = secrets.token_urlsafe(16)  # 128 bits
        rows = self.backend.run(
            "INSERT INTO sittings (token, person, version, list, state, started, seen, code, "
            "deletion, kind, facts) VALUES (?, ?, ?, ?, 'live', ?, ?, '', ?, ?, ?) RETURNING id",
            (token, person, version, number, self.now(), self.now(), random_code(12),
             entry.kind, json.dumps(dict(entry.facts))),
        )  # fmt: skip
        sitting = int(rows[0][0])
        for trial in trials:
            self.backend.run(
                "INSERT INTO trials (sitting, position, item, kind, condition, side) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (sitting, trial.position, trial.item, trial.kind, trial.condition, trial.side),
            )
        found = self.sitting(token)
        assert found is not None
        return found

    def touch(self, sitting: int) -> None:
        """Somebody is still there."""
        self.backend.run("UPDATE sittings SET seen = ? WHERE id = ?", (self.now(), sitting))

    def note(self, sitting: int, facts: Mapping[str, Any], state: str = "") -> None:
        """Keep facts about a sitting (consent, tries, demographics), and a change of state."""
        rows = self.backend.run("SELECT facts FROM sittings WHERE id = ?", (sitting,))
        merged = {**json.loads(rows[0][0]), **facts}
        self.backend.run(
            "UPDATE sittings SET facts = ?, state = COALESCE(NULLIF(?, ''), state), seen = ? "
            "WHERE id = ?",
            (json.dumps(merged), state, self.now(), sitting),
        )

    # ------------------------------------------------------------ trials and answers

    def trials(self, sitting: int) -> list[Shown]:
        """The trials of a sitting in order, each with its answer."""
        rows = self.backend.run(
            "SELECT t.position, t.item, t.kind, t.condition, t.side, a.response FROM trials t "
            "LEFT JOIN answers a ON a.sitting = t.sitting AND a.position = t.position "
            "WHERE t.sitting = ? ORDER BY t.position",
            (sitting,),
        )
        return [Shown(*row) for row in rows]

    def last_position(self, sitting: int) -> int:
        """The position of a sitting's last trial; the first is 1."""
        rows = self.backend.run("SELECT MAX(position) FROM trials WHERE sitting = ?", (sitting,))
        return int(rows[0][0] or 0)

    def answer(self, sitting: int, version: int, answer: Answer) -> bool:
        """Keep an answer; the first one wins, another one becomes a revision.

        The same answer sent again, after a lost acknowledgement, changes nothing.
        """
        values = (sitting, answer.position, answer.response, answer.time, answer.hidden,
                  answer.timing, self.now(), version)  # fmt: skip
        columns = "(sitting, position, response, time, hidden, timing, received, version)"
        rows = self.backend.run(
            f"INSERT INTO answers {columns} VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (sitting, position) DO NOTHING RETURNING position",
            values,
        )
        if rows:
            return True
        before = self.backend.run(
            "SELECT response FROM answers WHERE sitting = ? AND position = ?",
            (sitting, answer.position),
        )
        if before[0][0] != answer.response:
            self.backend.run(
                f"INSERT INTO revisions {columns} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values
            )
        return False

    def restart(self, sitting: int) -> None:
        """Begin a sitting again: what was answered is kept as revisions."""
        columns = "sitting, position, response, time, hidden, timing, received, version"
        self.backend.run(
            f"INSERT INTO revisions ({columns}) SELECT {columns} FROM answers WHERE sitting = ?",
            (sitting,),
        )
        self.backend.run("DELETE FROM answers WHERE sitting = ?", (sitting,))
        self.event(sitting, "restart")

    def finish(self, sitting: int, code: str) -> str:
        """The completion code, if every trial has its answer; else nothing."""
        open_trials = self.backend.run(
            "SELECT COUNT(*) FROM trials t LEFT JOIN answers a ON a.sitting = t.sitting "
            "AND a.position = t.position WHERE t.sitting = ? AND a.sitting IS NULL",
            (sitting,),
        )
        if int(open_trials[0][0]):
            return ""
        rows = self.backend.run(
            "UPDATE sittings SET state = 'complete', finished = COALESCE(finished, ?), "
            "code = CASE WHEN code = '' THEN ? ELSE code END WHERE id = ? RETURNING code",
            (self.now(), code, sitting),
        )
        return str(rows[0][0])

    def answers(self, tests: bool = False) -> Iterator[Given]:
        """Every answer with its trial and sitting, by sitting and position."""
        return self._given("answers", tests)

    def revisions(self, tests: bool = False) -> Iterator[Given]:
        """Later answers to a trial, which do not count, and those before a sitting began again."""
        return self._given("revisions", tests)

    def _given(self, table: str, tests: bool) -> Iterator[Given]:
        for row in self.backend.run(
            "SELECT a.sitting, s.person, s.kind, a.version, s.list, a.position, t.item, t.kind, "
            "t.condition, t.side, a.response, a.time, a.hidden, a.timing, a.received "
            f"FROM {table} a JOIN sittings s ON s.id = a.sitting "
            "JOIN trials t ON t.sitting = a.sitting AND t.position = a.position "
            f"WHERE {_COUNTED[tests]} "
            "ORDER BY a.sitting, a.position, a.received"
        ):
            yield Given(*row)

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
