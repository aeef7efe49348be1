"""The order of one sitting: drawn from a seed, under rules about neighbours."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import msgspec

from priscian.errors import DataError
from priscian.judge.items import Kind
from priscian.judge.study import Order

TRIES = 200


class Trial(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One trial of a sitting: what is shown, in which condition, or on which side the good one."""

    item: str
    kind: Kind
    set: str
    condition: str = ""
    side: str = ""

    @property
    def shape(self) -> str:
        """What may not come too often in a row: the condition, or the side of the good one."""
        return self.condition or self.side


def arrange(
    practice: Sequence[Trial],
    main: Sequence[Trial],
    checks: Sequence[Trial],
    rules: Order,
    seed: str,
) -> list[Trial] | None:
    """Practice first, then the trials under the rules with the checks spread among them.

    None if no order was found. Checks stand between trials, so they never break a rule.
    """
    rng = random.Random(seed)
    for attempt in range(TRIES):
        ordered = _attempt(main, rules, rng, careful=attempt >= TRIES // 4)
        if ordered is not None:
            first = list(practice)
            rng.shuffle(first)
            return [*first, *_spread(ordered, checks, rng)]
    return None


def _attempt(
    main: Sequence[Trial], rules: Order, rng: random.Random, careful: bool
) -> list[Trial] | None:
    """One order, trial by trial; `careful` takes the set of which most is left more often."""
    left = list(main)
    rng.shuffle(left)
    counts = Counter(t.set for t in left)
    shapes = Counter(t.shape for t in left)
    ordered: list[Trial] = []
    gap, row = rules.between_same_set, rules.same_in_a_row
    while left:
        recent = {t.set for t in ordered[-gap:]} if gap else set()
        tail = {t.shape for t in ordered[-row:]} if row and len(ordered) >= row else set()
        barred = next(iter(tail)) if len(tail) == 1 and len(shapes) > 1 else None
        allowed = [
            i for i, t in enumerate(left) if t.set not in recent and t.shape != barred
        ]  # a shape that all trials share bars nothing
        if not allowed:
            return None
        chosen = allowed[0]
        if careful:
            chosen = max(allowed, key=lambda i: (counts[left[i].set], shapes[left[i].shape]))
        trial = left.pop(chosen)
        counts[trial.set] -= 1
        shapes[trial.shape] -= 1
        ordered.append(trial)
    return ordered


def _spread(ordered: list[Trial], checks: Sequence[Trial], rng: random.Random) -> list[Trial]:
    """Checks one to a stretch of equal length, at a random place of it, never at its beginning."""
    if not checks:
        return ordered
    drawn = list(checks)
    rng.shuffle(drawn)
    size = len(ordered) / len(drawn)
    places = []
    for n in range(len(drawn)):
        start, end = int(n * size), int((n + 1) * size)
        places.append(rng.randint(min(start + 1, end), end))
    made = list(ordered)
    for place, check in sorted(zip(places, drawn, strict=True), key=lambda p: -p[0]):
        made.insert(place, check)
    return made


def broken_rules(trials: Sequence[Trial], rules: Order) -> list[str]:
    """What an order breaks, in words; empty if it keeps every rule."""
    found = []
    kinds = [t.kind == "practice" for t in trials]
    if kinds != sorted(kinds, reverse=True):
        found.append("practice does not come first")
    main = [(n, t) for n, t in enumerate(trials) if t.kind in ("item", "filler")]
    last: dict[str, int] = {}
    for n, trial in main:
        if trial.set in last and n - last[trial.set] <= rules.between_same_set:
            found.append(f"{trial.set} at {last[trial.set] + 1} and {n + 1}")
        last[trial.set] = n
    shapes = [t.shape if t.kind in ("item", "filler") else None for t in trials]
    row = rules.same_in_a_row
    if row and len({s for s in shapes if s is not None}) > 1:
        for n in range(len(shapes) - row):
            window = shapes[n : n + row + 1]
            if window[0] is not None and len(set(window)) == 1:
                found.append(f"{window[0]} {row + 1} times in a row at {n + 1}")
    return found


def impossible(list_number: int, main: Sequence[Trial], rules: Order) -> DataError:
    """The error for a list of which no order keeps the rules."""
    (name, count), *_ = Counter(t.set for t in main).most_common(1)
    need = (count - 1) * (rules.between_same_set + 1) + 1
    if need > len(main):
        return DataError(
            f"list {list_number} cannot be ordered: it has {count} items of {name} among "
            f"{len(main)}, with {rules.between_same_set} between two of a set; lower "
            f"order.between_same_set or add fillers"
        )
    return DataError(
        f"list {list_number} cannot be ordered: no order keeps at most {rules.same_in_a_row} "
        f"of a condition in a row; raise order.same_in_a_row or add fillers"
    )
