"""A sitting: who gets which list, which page comes next, what a trial shows, what an answer is.

A list goes to whoever comes when it is the least filled, and never has items that they met before.
"""

from __future__ import annotations

import random
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from priscian.files import whole_number
from priscian.judge.design import PlannedTrial, draw_trials
from priscian.judge.frozen import Frozen
from priscian.judge.items import BAD, GOOD
from priscian.judge.store import Arrival, PersonKind, SentAnswer, ShownTrial, Sitting, Store, Timing
from priscian.judge.study import Study

Refusal = Literal["full", "held", "done", "paused"]
"""Why somebody cannot begin: everything is collected; all places are held at the moment; they have
done all they may; the study was frozen anew after the server was started."""
Step = Literal["instructions", "comprehension", "trial", "about", "end", "failed"]
LONGEST_TIME = 86_400.0
MOST_TRIALS = 10**6
_DRAW = random.SystemRandom()
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff\ufffd]")
_SPACES = re.compile("[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def enter(store: Store, frozen: Frozen, arrival: Arrival) -> Sitting | Refusal:
    """A new sitting, or the one that the person is in the middle of; within a transaction.

    Somebody who has done all they may gets their last sitting back, so that a reload shows their
    code again; but only if it is surely theirs, since an id alone can be guessed.
    """
    store.backend.lock()
    if (frozen.version, frozen.hash) not in store.versions():
        return "paused"
    targets = frozen.study.targets
    person = arrival.person or store.person(arrival.platform, arrival.identity, arrival.kind)
    before = store.sittings_of(person) if arrival.identity or arrival.person else []
    for sitting in before:
        if sitting.state == "live" and (not arrival.list or sitting.list == arrival.list):
            if arrival.session != sitting.facts.get("session", ""):  # MTurk: another assignment
                store.note(sitting.id, arrival.facts)
            return resume(store, frozen, sitting)
        if arrival.list and (sitting.list, sitting.version) == (arrival.list, frozen.version):
            return sitting if _is_theirs(arrival, sitting) else "done"
    if before and len(before) >= targets.sittings_per_person:
        return before[-1] if _is_theirs(arrival, before[-1]) else "done"
    number = _choose(store, frozen, arrival, person)
    if isinstance(number, str):
        return number
    drawn = draw_trials(frozen.study, frozen.materials, frozen.plan(number), secrets.token_hex(8))
    return store.add_sitting(arrival, person, frozen.version, number, shown(drawn))


def go_again(store: Store, frozen: Frozen, sitting: Sitting) -> Sitting | Refusal:
    """One more sitting of somebody who has finished one: other items, and no question twice."""
    return enter(store, frozen, _again(sitting))


def can_go_again(store: Store, frozen: Frozen, sitting: Sitting) -> bool:
    """Whether `go_again` would give somebody a new sitting."""
    if len(store.sittings_of(sitting.person)) >= frozen.study.targets.sittings_per_person:
        return False
    return isinstance(_choose(store, frozen, _again(sitting), sitting.person), int)


def _again(sitting: Sitting) -> Arrival:
    known = {k: sitting.facts[k] for k in ("device", "understood", "about") if k in sitting.facts}
    kind: PersonKind = "test" if sitting.kind == "test" else "person"
    return Arrival(kind=kind, facts=known, person=sitting.person)


def _is_theirs(arrival: Arrival, sitting: Sitting) -> bool:
    """Whether somebody who comes in has shown more than an id that others may know."""
    return bool(
        arrival.person or (arrival.session and arrival.session == sitting.facts.get("session"))
    )


def shown(trials: Sequence[PlannedTrial]) -> list[ShownTrial]:
    """Trials with their positions from 1."""
    return [
        ShownTrial(n, t.item, t.kind, t.condition, t.side) for n, t in enumerate(trials, start=1)
    ]


def resume(store: Store, frozen: Frozen, sitting: Sitting) -> Sitting:
    """Go on with a sitting, as this transaction has read it; after a long pause it begins again."""
    if store.now() - sitting.seen > 60 * frozen.study.targets.resume_within:
        store.restart(sitting.id)
    store.touch(sitting.id)
    return sitting


def _choose(store: Store, frozen: Frozen, arrival: Arrival, person: str) -> int | Refusal:
    targets = frozen.study.targets
    parts = store.parts(frozen.version)
    if arrival.list:
        return arrival.list if arrival.list in parts else "full"
    seen = {part for version, part in store.parts_seen(person) if version == frozen.version}
    counts = store.counts(frozen.version, 60 * targets.stale_after, arrival.kind)
    fresh = [c for c in counts if parts[c.list] not in seen]
    if not fresh:
        return "done"
    limit = 0 if arrival.kind == "test" else targets.sittings_per_list
    free = [c for c in fresh if not limit or c.complete + c.live < limit]
    if not free:
        return "full" if all(c.complete >= limit for c in fresh) else "held"
    busy = {c.list: c.complete + c.live + c.waiting for c in free}
    return _DRAW.choice([number for number, n in busy.items() if n == min(busy.values())])


@dataclass(frozen=True, slots=True)
class At:
    """Where somebody is: their sitting, the version of the study that it began with, its trials."""

    sitting: Sitting
    frozen: Frozen
    trials: list[ShownTrial]
    identity: str

    @property
    def unanswered(self) -> list[ShownTrial]:
        """The trials that are left."""
        return [t for t in self.trials if t.response is None]

    @property
    def step(self) -> Step:
        """The page that comes next."""
        study, facts = self.frozen.study, self.sitting.facts
        if self.sitting.state in ("failed", "complete"):
            return "failed" if self.sitting.state == "failed" else "end"
        if not facts.get("read"):
            return "instructions"
        if study.checks.comprehension and not facts.get("understood"):
            return "comprehension"
        if self.unanswered:
            return "trial"
        return "about" if study.demographics and "about" not in facts else "end"


def takes_answers(study: Study, sitting: Sitting) -> bool:
    """Whether a sitting is at its trials or beyond: instructions read, questions understood."""
    if sitting.state == "failed" or not sitting.facts.get("read"):
        return False
    return bool(sitting.facts.get("understood") or not study.checks.comprehension)


def display(frozen: Frozen, trial: ShownTrial, total: int) -> dict[str, Any]:
    """What a trial shows; nothing that says which answer is expected."""
    material = frozen.materials[trial.item]
    if frozen.study.task == "choice":
        pair = [material.conditions[GOOD], material.conditions[BAD]]
        sentences = pair if trial.side == "left" else pair[::-1]
    else:
        sentences = [material.conditions[trial.condition]]
    return {
        "position": trial.position,
        "total": total,
        "practice": trial.kind == "practice",
        "sentences": sentences,
    }


def seal(sentences: Sequence[str]) -> str:
    """A short hash of what a trial shows, which the page computes of what is on the screen.

    FNV-1a over UTF-16 (`seal` in judge.js), without what cannot be seen.

    >>> seal(["A dog.", "Dogs a."]) == seal([" A  dog.", "Dogs \u00ada."]), seal(["A dog"])
    (True, '997c2ace')
    """
    plain = "\n".join(_SPACES.sub(" ", _UNSEEN.sub("", s)).strip(" ") for s in sentences)
    found = 0x811C9DC5
    for unit in memoryview(plain.encode("utf-16-le")).cast("H"):
        found = (found ^ unit) * 0x01000193 & 0xFFFFFFFF
    return f"{found:x}"


def response_of(study: Study, said: object) -> str | None:
    """An answer as it is stored, or None if the task does not allow it.

    >>> study = Study(name="x", task="magnitude", items=None)
    >>> response_of(study, " 12,50 "), response_of(study, "-1")
    ('12.50', None)
    """
    text = str(said).strip() if isinstance(said, str | int | float) else ""
    if study.task == "choice":
        return text if text in ("left", "right") else None
    if study.task == "binary":
        return text if text in ("yes", "no") else None
    if study.task == "likert":
        points = {str(n) for n in range(1, study.scale.points + 1)}
        return text if text in points else None
    # a positive decimal with a comma or a point
    plain = text.replace(",", ".").replace(" ", "").replace("\u00a0", "")
    if not plain.isascii() or len(plain) > 20 or not plain.replace(".", "", 1).isdigit():
        return None
    return plain if 0 < float(plain) < 10**12 else None


def form_answer(study: Study, form: Mapping[str, str], now: float) -> SentAnswer | None:
    """The answer of a form; without the script the server's clock has the time."""
    response = response_of(study, form.get("answer", ""))
    position = whole_number(form.get("position", ""), MOST_TRIALS)
    if response is None or position is None:
        return None
    time = _seconds(form.get("time"))
    timing: Timing = "script"
    if time is None:
        begun = _number(form.get("shown"))
        time = None if begun is None else _seconds(now - begun)
        timing = "none" if time is None else "server"
    return SentAnswer(position, response, time, _seconds(form.get("hidden")) or 0.0, timing)


def json_answer(study: Study, row: object) -> SentAnswer | None:
    """An answer that the outbox sends."""
    if not isinstance(row, Mapping):
        return None
    position = row.get("position")
    response = response_of(study, row.get("response"))
    if response is None or type(position) is not int or not 1 <= position < MOST_TRIALS:
        return None
    time = _seconds(row.get("time"))
    timing: Timing = "none" if time is None else "script"
    return SentAnswer(position, response, time, _seconds(row.get("hidden")) or 0.0, timing)


def _number(said: object) -> float | None:
    try:
        return float(said) if isinstance(said, str | int | float) else None
    except (ValueError, OverflowError):
        return None


def _seconds(said: object) -> float | None:
    """A time that can be true, or None."""
    number = _number(said)
    return number if number is not None and 0 <= number <= LONGEST_TIME else None
