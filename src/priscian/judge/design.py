"""Lists by Latin square: which item each list shows, in which condition or on which side.

Items are dealt to parts of equal size, one for each sitting. Each part has as many lists as items
have conditions, and list l shows the n-th item in condition (n + l) mod k. Forced choices have two
lists for each part, with the sides exchanged, so that sides are balanced for every item.
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
from priscian.judge.items import Material
from priscian.judge.order import Trial, arrange, impossible
from priscian.judge.study import Study

SIDES = ("left", "right")


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A list: its number from 1, the part of the items that it shows, and its trials."""

    number: int
    part: int
    trials: tuple[Trial, ...]


def trial_of(material: Material, *, condition: str = "", side: str = "") -> Trial:
    """A trial; an item without a set of its own stands for itself in rules about sets."""
    own = material.id if material.set == material.kind else material.set
    return Trial(item=material.id, kind=material.kind, set=own, condition=condition, side=side)


def make_lists(study: Study, items: Sequence[Material]) -> list[Plan]:
    """Every list of a study, numbered from 1."""
    if not items:
        raise DataError("items: none were found; name a source or table that has some")
    choice = study.task == "choice"
    if not choice and study.items.table:
        _same_conditions(items)
    number = _number_of_lists(study, items)
    parts = _deal(study, items)
    plans: list[Plan] = []
    for part, members in enumerate(parts, start=1):
        for turn in range(number):
            trials = [_turned(m, n + turn, choice) for n, m in enumerate(members)]
            plans.append(Plan(number=len(plans) + 1, part=part, trials=tuple(trials)))
    return plans


def _turned(material: Material, turn: int, choice: bool) -> Trial:
    if choice:
        return trial_of(material, side=SIDES[turn % 2])
    names = list(material.conditions)
    return trial_of(material, condition=names[turn % len(names)])


def _same_conditions(items: Sequence[Material]) -> None:
    """Refuse an item that lacks a condition that the others of its set have."""
    sets: dict[str, Counter[str]] = {}
    for item in items:
        sets.setdefault(item.set, Counter()).update(list(item.conditions))
    for item in items:
        if item.set == item.kind:
            continue
        for condition, count in sets[item.set].items():
            if condition not in item.conditions and count > 1:
                raise DataError(
                    f"item {item.id} has no condition {condition!r}, which others of {item.set} "
                    "have; add it, or give the item a set of its own"
                )


def _number_of_lists(study: Study, items: Sequence[Material]) -> int:
    choice = study.task == "choice"
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
    return number


def _deal(study: Study, items: Sequence[Material]) -> list[list[Material]]:
    """Parts of equal size, ±1; the items of a set go to different parts as far as they can."""
    per = study.lists.per_sitting or len(items)
    number = math.ceil(len(items) / per)
    rng = random.Random(f"{study.seed}/parts")
    sets: dict[str, list[Material]] = {}
    for item in items:
        sets.setdefault(item.set, []).append(item)
    groups = list(sets.values())
    rng.shuffle(groups)
    for group in groups:
        rng.shuffle(group)
    dealt = [item for group in groups for item in group]
    return [dealt[part::number] for part in range(number)]


def read_lists(file: Path, study: Study, materials: Mapping[str, Material]) -> list[Plan]:
    """Lists of the user's own: rows of list, item, and condition or side."""
    found: dict[str, list[Trial]] = {}
    for line, row in read_table(file, needs=("list", "item")):
        item = str(row["item"]).strip()
        if item not in materials:
            raise DataError(f"{file}:{line}: {UnknownNameError('item', item, materials)}")
        material = materials[item]
        condition = str(row.get("condition") or "").strip()
        side = str(row.get("side") or "").strip()
        if study.task == "choice":
            if side not in SIDES:
                raise DataError(
                    f"{file}:{line}: the side is {side!r}; write left or right, the side of the "
                    "good sentence"
                )
            trial = trial_of(material, side=side)
        else:
            condition = condition or next(iter(material.conditions))
            if condition not in material.conditions:
                raise DataError(
                    f"{file}:{line}: item {item} has no condition {condition!r}; it has "
                    f"{', '.join(material.conditions)}"
                )
            trial = trial_of(material, condition=condition)
        found.setdefault(str(row["list"]).strip(), []).append(trial)
    parts: dict[frozenset[str], int] = {}
    plans = []
    for number, trials in enumerate(found.values(), start=1):
        if len({t.item for t in trials}) < len(trials):
            raise DataError(f"{file}: list {number} has an item twice; delete one of the rows")
        part = parts.setdefault(frozenset(t.item for t in trials), len(parts) + 1)
        plans.append(Plan(number=number, part=part, trials=tuple(trials)))
    return plans


def draw_trials(
    study: Study, materials: Mapping[str, Material], plan: Plan, seed: str
) -> list[Trial]:
    """The trials of one sitting, in order: practice, then the list with fillers and checks."""
    rng = random.Random(f"{study.seed}/{plan.number}/{seed}")
    kinds: dict[str, list[Material]] = {}
    for material in materials.values():
        kinds.setdefault(material.kind, []).append(material)
    planned = {t.item for t in plan.trials}
    own_checks = [t for t in plan.trials if t.kind in ("check", "gold")]
    main = [t for t in plan.trials if t.kind in ("item", "filler")]
    if not any(t.kind == "filler" for t in main):
        main += _some(study, kinds.get("filler", []), study.fillers.per_sitting, rng)
    checks = own_checks or [
        *_some(study, kinds.get("check", []), study.checks.instructed, rng),
        *_some(study, kinds.get("gold", []), study.checks.gold_per_sitting, rng),
    ]
    practice = _some(study, kinds.get("practice", []), study.practice.per_sitting, rng)
    practice = [t for t in practice if t.item not in planned]
    made = arrange(practice, main, checks, study.order, f"{study.seed}/{plan.number}/{seed}")
    if made is None:
        raise impossible(plan.number, main, study.order)
    return made


def _some(
    study: Study, materials: Sequence[Material], number: int, rng: random.Random
) -> list[Trial]:
    """So many materials drawn at random, each in a condition or on a side drawn at random."""
    chosen = rng.sample(list(materials), number) if 0 < number < len(materials) else materials
    first = rng.randrange(2)
    return [
        trial_of(m, side=SIDES[(n + first) % 2])
        if study.task == "choice"
        else trial_of(m, condition=rng.choice(list(m.conditions)))
        for n, m in enumerate(chosen)
    ]
