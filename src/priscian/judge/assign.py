"""Who gets which list: the least filled, never items that the person has met before."""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from typing import Literal

from priscian.judge.design import draw_trials
from priscian.judge.frozen import Frozen
from priscian.judge.order import Trial
from priscian.judge.records import Entry, Kind, Shown, Sitting
from priscian.judge.store import Store

Refusal = Literal["full", "held", "done", "paused"]
"""Why somebody cannot begin: everything is collected; all places are held at the moment; they have
done all they may; the study was frozen anew after the server was started."""
_DRAW = random.SystemRandom()


def enter(store: Store, frozen: Frozen, entry: Entry) -> Sitting | Refusal:
    """A new sitting, or the one that the person is in the middle of; within a transaction.

    Somebody who has done all they may gets their last sitting back, so that a reload shows their
    code again; but only if it is surely theirs, since an id alone can be guessed.
    """
    store.backend.lock()
    if (frozen.version, frozen.hash) not in store.versions():
        return "paused"
    targets = frozen.study.targets
    person = entry.person or store.person(entry.platform, entry.identity, entry.kind)
    before = store.sittings_of(person) if entry.identity or entry.person else []
    for sitting in before:
        if sitting.state == "live" and (not entry.list or sitting.list == entry.list):
            if entry.session != sitting.facts.get("session", ""):  # MTurk: another assignment
                store.note(sitting.id, entry.facts)
            return resume(store, frozen, sitting)
        if entry.list and (sitting.list, sitting.version) == (entry.list, frozen.version):
            return sitting if _is_theirs(entry, sitting) else "done"
    if before and len(before) >= targets.sittings_per_person:
        return before[-1] if _is_theirs(entry, before[-1]) else "done"
    number = _choose(store, frozen, entry, person)
    if isinstance(number, str):
        return number
    drawn = draw_trials(frozen.study, frozen.materials, frozen.plan(number), secrets.token_hex(8))
    return store.add_sitting(entry, person, frozen.version, number, shown(drawn))


def go_again(store: Store, frozen: Frozen, sitting: Sitting) -> Sitting | Refusal:
    """One more sitting of somebody who has finished one: other items, and no question twice."""
    return enter(store, frozen, _again(sitting))


def can_go_again(store: Store, frozen: Frozen, sitting: Sitting) -> bool:
    """Whether `go_again` would give somebody a new sitting."""
    if len(store.sittings_of(sitting.person)) >= frozen.study.targets.sittings_per_person:
        return False
    return isinstance(_choose(store, frozen, _again(sitting), sitting.person), int)


def _again(sitting: Sitting) -> Entry:
    known = {k: sitting.facts[k] for k in ("device", "understood", "about") if k in sitting.facts}
    kind: Kind = "test" if sitting.kind == "test" else "person"
    return Entry(kind=kind, facts=known, person=sitting.person)


def _is_theirs(entry: Entry, sitting: Sitting) -> bool:
    """Whether somebody who comes in has shown more than an id that others may know."""
    return bool(entry.person or (entry.session and entry.session == sitting.facts.get("session")))


def shown(trials: Sequence[Trial]) -> list[Shown]:
    """Trials with their positions from 1."""
    return [Shown(n, t.item, t.kind, t.condition, t.side) for n, t in enumerate(trials, start=1)]


def resume(store: Store, frozen: Frozen, sitting: Sitting) -> Sitting:
    """Go on with a sitting, as this transaction has read it; after a long pause it begins again."""
    if store.now() - sitting.seen > 60 * frozen.study.targets.resume_within:
        store.restart(sitting.id)
    store.touch(sitting.id)
    return sitting


def _choose(store: Store, frozen: Frozen, entry: Entry, person: str) -> int | Refusal:
    targets = frozen.study.targets
    parts = store.parts(frozen.version)
    if entry.list:
        return entry.list if entry.list in parts else "full"
    seen = {part for version, part in store.parts_seen(person) if version == frozen.version}
    counts = store.counts(frozen.version, 60 * targets.stale_after, entry.kind)
    fresh = [c for c in counts if parts[c.list] not in seen]
    if not fresh:
        return "done"
    limit = 0 if entry.kind == "test" else targets.sittings_per_list
    free = [c for c in fresh if not limit or c.complete + c.live < limit]
    if not free:
        return "full" if all(c.complete >= limit for c in fresh) else "held"
    busy = {c.list: c.complete + c.live + c.waiting for c in free}
    return _DRAW.choice([number for number, n in busy.items() if n == min(busy.values())])
