"""Who gets which list: the least filled, never items that the person has met before."""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from typing import Literal

from priscian.judge.design import draw_trials
from priscian.judge.frozen import Frozen
from priscian.judge.order import Trial
from priscian.judge.records import Entry, Shown, Sitting
from priscian.judge.store import Store

Refusal = Literal["full", "done"]
_DRAW = random.SystemRandom()


def enter(store: Store, frozen: Frozen, entry: Entry) -> Sitting | Refusal:
    """A new sitting, or the one that the person is in the middle of; within a transaction.

    Somebody who has done all they may gets their last sitting back, so that a reload shows their
    code again. A place that nobody has used for a while counts as free.
    """
    store.backend.lock()
    targets = frozen.study.targets
    person = store.person(entry.platform, entry.identity)
    before = store.sittings_of(person) if entry.identity else []
    for sitting in before:
        if sitting.state == "live" and (not entry.list or sitting.list == entry.list):
            return resume(store, frozen, sitting)
        if entry.list and (sitting.list, sitting.version) == (entry.list, frozen.version):
            return sitting
    if len(before) >= targets.sittings_per_person:
        return before[-1] if before[-1].state in ("complete", "failed") else "done"
    number = _choose(store, frozen, entry, person)
    if isinstance(number, str):
        return number
    drawn = draw_trials(frozen.study, frozen.materials, frozen.plan(number), secrets.token_hex(8))
    return store.add_sitting(entry, person, frozen.version, number, shown(drawn))


def shown(trials: Sequence[Trial]) -> list[Shown]:
    """Trials with their positions from 1."""
    return [Shown(n, t.item, t.kind, t.condition, t.side) for n, t in enumerate(trials, start=1)]


def resume(store: Store, frozen: Frozen, sitting: Sitting) -> Sitting:
    """Go on with a sitting; after too long a pause it begins again."""
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
    counts = store.counts(frozen.version, 60 * targets.stale_after)
    fresh = [c for c in counts if parts[c.list] not in seen]
    if not fresh:
        return "done"
    limit = targets.sittings_per_list
    free = [c for c in fresh if not limit or c.complete + c.live < limit]
    if not free:
        return "full"
    least = min(c.complete + c.live for c in free)
    return _DRAW.choice([c.list for c in free if c.complete + c.live == least])
