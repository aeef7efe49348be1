"""Lists by Latin square, and the order of each sitting.

Items are dealt to parts of equal size, one for each sitting. Each part has as many lists as items
have conditions, and list l shows the n-th item in condition (n + l) mod k. Forced choices have two
lists for each part, with the sides exchanged, so that sides are balanced for every item. The order
of a sitting is drawn from a seed, under rules about neighbours.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from priscian.errors import DataError, UnknownNameError
from priscian.files import read_table
from priscian.judge.items import Kind, Material, by_set
from priscian.judge.study import Order, Study

SIDES = ("left", "right")
TRIES = 200
"""Orders of a sitting that are tried."""


class PlannedTrial(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
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


class TrialList(msgspec.Struct, frozen=True, kw_only=True):
    """A list: its number from 1, the part of the items that it shows, and its trials."""

    number: int
    part: int
    trials: tuple[PlannedTrial, ...]


def trial_of(material: Material, shape: str, choice: bool) -> PlannedTrial:
    """A trial in a condition, or of a choice with the good sentence on a side.

    An item without a set of its own stands for itself in rules about sets.
    """
    own = material.id if material.set == material.kind else material.set
    place = {"side": shape} if choice else {"condition": shape}
    return PlannedTrial(item=material.id, kind=material.kind, set=own, **place)


def make_lists(study: Study, items: Sequence[Material]) -> list[TrialList]:
    """Every list of a study, numbered from 1."""
    if not items:
        raise DataError("items: none were found; name a source or table that has some")
    choice = study.task == "choice"
    if not choice and study.items.table:
        _same_conditions(items)
    sizes = {2: items[0]} if choice else {len(item.conditions): item for item in items}
    number = study.lists.number or math.lcm(*sizes)
    for size, item in sorted(sizes.items()):
        if number % size:
            last = number - number % size + 1
            what = "2 sides" if choice else f"{size} conditions"
            raise DataError(
                f"list {last} cannot be balanced: {number} lists are not a multiple of the {what} "
                f"of item {item.id}; set lists.number to a multiple of {size}, or to 0"
            )
    # parts of equal size, ±1; the items of a set go to different parts as far as they can
    rng = random.Random(f"{study.seed}/parts")
    groups = list(by_set(items).values())
    rng.shuffle(groups)
    for group in groups:
        rng.shuffle(group)
    dealt = [item for group in groups for item in group]
    parts = math.ceil(len(items) / (study.lists.per_sitting or len(items)))
    made: list[TrialList] = []
    for part in range(parts):
        for turn in range(number):
            trials = []
            for n, material in enumerate(dealt[part::parts], start=turn):
                shapes = SIDES if choice else tuple(material.conditions)
                trials.append(trial_of(material, shapes[n % len(shapes)], choice))
            made.append(TrialList(number=len(made) + 1, part=part + 1, trials=tuple(trials)))
    return made


def _same_conditions(items: Sequence[Material]) -> None:
    """Refuse an item that lacks a condition that the others of its set have."""
    sets = by_set(items)
    counts = {
        name: Counter(c for m in members for c in m.conditions) for name, members in sets.items()
    }
    for item in items:
        for condition, count in counts[item.set].items():
            if condition not in item.conditions and count > 1 and item.set != item.kind:
                raise DataError(
                    f"item {item.id} has no condition {condition!r}, which others of {item.set} "
                    "have; add it, or give the item a set of its own"
                )


def read_lists(file: Path, study: Study, materials: Mapping[str, Material]) -> list[TrialList]:
    """Lists of the user's own: rows of list, item, and condition or side."""
    choice = study.task == "choice"
    found: dict[str, list[PlannedTrial]] = {}
    for line, row in read_table(file, needs=("list", "item")):
        item = str(row["item"]).strip()
        if item not in materials:
            raise DataError(f"{file}:{line}: {UnknownNameError('item', item, materials)}")
        material = materials[item]
        shape = str(row.get("side" if choice else "condition") or "").strip()
        if choice and shape not in SIDES:
            raise DataError(
                f"{file}:{line}: the side is {shape!r}; write left or right, the side of the "
                "good sentence"
            )
        shape = shape or next(iter(material.conditions))
        if not choice and shape not in material.conditions:
            raise DataError(
                f"{file}:{line}: item {item} has no condition {shape!r}; it has "
                f"{', '.join(material.conditions)}"
            )
        trial = trial_of(material, shape, choice)
        found.setdefault(str(row["list"]).strip(), []).append(trial)
    parts: dict[frozenset[str], int] = {}
    plans = []
    for number, trials in enumerate(found.values(), start=1):
        if len({t.item for t in trials}) < len(trials):
            raise DataError(f"{file}: list {number} has an item twice; delete one of the rows")
        part = parts.setdefault(frozenset(t.item for t in trials), len(parts) + 1)
        plans.append(TrialList(number=number, part=part, trials=tuple(trials)))
    return plans


def draw_trials(
    study: Study, materials: Mapping[str, Material], plan: TrialList, seed: str
) -> list[PlannedTrial]:
    """The trials of one sitting, in order: practice, then the list with fillers and checks."""
    rng = random.Random(f"{study.seed}/{plan.number}/{seed}")
    choice, rules = study.task == "choice", study.order
    kinds: dict[Kind, list[Material]] = {}
    for material in materials.values():
        kinds.setdefault(material.kind, []).append(material)

    def drawn(kind: Kind, number: int) -> list[PlannedTrial]:
        """So many of a kind at random (0 for all), each in a random condition or on either side."""
        own = kinds.get(kind, [])
        chosen = rng.sample(own, number) if 0 < number < len(own) else own
        first = rng.randrange(2)
        return [
            trial_of(
                m, SIDES[(n + first) % 2] if choice else rng.choice(list(m.conditions)), choice
            )
            for n, m in enumerate(chosen)
        ]

    checks = [t for t in plan.trials if t.kind in ("check", "gold")]
    main = [t for t in plan.trials if t.kind in ("item", "filler")]
    if not any(t.kind == "filler" for t in main):
        main += drawn("filler", study.fillers.per_sitting)
    if not checks:
        checks = drawn("check", study.checks.instructed)
        checks += drawn("gold", study.checks.gold_per_sitting)
    planned = {t.item for t in plan.trials}
    practice = drawn("practice", study.practice.per_sitting)
    practice = [t for t in practice if t.item not in planned]
    made = arrange(practice, main, checks, rules, f"{study.seed}/{plan.number}/{seed}")
    if made is not None:
        return made
    (name, count), *_ = Counter(t.set for t in main).most_common(1)
    if (count - 1) * (rules.between_same_set + 1) + 1 > len(main):
        raise DataError(
            f"list {plan.number} cannot be ordered: it has {count} items of {name} among "
            f"{len(main)}, with {rules.between_same_set} between two of a set; lower "
            f"order.between_same_set or add fillers"
        )
    raise DataError(
        f"list {plan.number} cannot be ordered: no order keeps at most {rules.same_in_a_row} "
        f"of a condition in a row; raise order.same_in_a_row or add fillers"
    )


def arrange(
    practice: Sequence[PlannedTrial],
    main: Sequence[PlannedTrial],
    checks: Sequence[PlannedTrial],
    rules: Order,
    seed: str,
) -> list[PlannedTrial] | None:
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
    main: Sequence[PlannedTrial], rules: Order, rng: random.Random, careful: bool
) -> list[PlannedTrial] | None:
    """One order, trial by trial; `careful` takes the set of which most is left more often."""
    left = list(main)
    rng.shuffle(left)
    counts = Counter(t.set for t in left)
    shapes = Counter(t.shape for t in left)
    ordered: list[PlannedTrial] = []
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


def _spread(
    ordered: list[PlannedTrial], checks: Sequence[PlannedTrial], rng: random.Random
) -> list[PlannedTrial]:
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
