"""How a study stands: progress, agreement of its raters, and how right their majority is."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated

from msgspec import Struct

from priscian.files.convert import INLINE
from priscian.judge.collected import collect
from priscian.judge.exclusion import exclusions, float_of, kept
from priscian.judge.frozen import Frozen
from priscian.judge.store import Store, StoredAnswer
from priscian.judge.study import Task
from priscian.stats.agreement import Answers, RaterAgreement, Units, measure_agreement
from priscian.stats.sets import crossed_interval

SIZES = (1, 3, 5, 7, 9, 11, 15, 21, 31, 41)
"""Numbers of people, odd so that a majority cannot be tied."""
ENOUGH = 0.95
FEWEST = 3
"""People whose majority means something."""
ANSWERS: Mapping[Task, Answers] = {
    "choice": "choices", "binary": "categories", "likert": "scale", "magnitude": "numbers",
}  # fmt: skip
EDGES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Seconds between the bars of the histogram of response times."""
Row = tuple[object, ...]


class StudyStatus(Struct, frozen=True):
    """Progress, agreement, accuracy, times and exclusions, as rows of tables."""

    version: int
    complete: int
    live: int
    answers: int
    lists: list[Row]
    """Number, and sittings that are complete, under way, without an answer yet, and inactive."""
    target: int
    """Sittings that each list should have; 0 for no limit."""
    tests: int
    """Test sittings, which are counted nowhere else."""
    items: list[Row]
    agreement: list[Row]
    agreement_note: str
    accuracy: list[Row]
    intervals: list[tuple[float, float, float]]
    """Accuracy, lower and upper bound of each row of `accuracy`, from 0 to 1, for charts."""
    times: list[Row]
    excluded: list[Row]


def summarise(store: Store, frozen: Frozen) -> StudyStatus:
    """The state of the current version of a study."""
    found = collect(store, frozen)
    people = [s for s in found.sittings if s.kind == "person"]
    answers = [a for a in found.answers if a.kind == "person"]
    counts = store.counts(frozen.version, 60 * frozen.study.targets.stale_after)
    excluded = [e for e in exclusions(frozen, people, answers) if e.reason != "incomplete"]
    good = kept(answers, excluded)
    scored = accuracy_rows(frozen, good)
    measured = agreement_of(frozen, good, draws=50)
    by_item = Counter(a.item for a in answers if a.role == "item")
    times = [a.time for a in good if a.time is not None]
    bins = list(pairwise((0.0, *EDGES, math.inf)))
    timed = [sum(low <= t < high for t in times) for low, high in bins]
    items = [m.id for m in frozen.materials.values() if m.kind == "item"]
    return StudyStatus(
        version=frozen.version,
        complete=sum(s.state == "complete" for s in people),
        live=sum(c.live + c.waiting for c in counts),
        answers=len(answers),
        lists=[(c.list, c.complete, c.live, c.waiting, c.stale) for c in counts],
        target=frozen.study.targets.sittings_per_list,
        tests=found.tests,
        items=[(i, by_item[i]) for i in items],
        agreement=list(measured.rows()),
        agreement_note=measured.note,
        accuracy=[row for row, _ in scored],
        intervals=[interval for _, interval in scored],
        times=[
            (f"{low:g}–{high:g}" if high < math.inf else f"over {low:g}", count)
            for (low, high), count in zip(bins, timed, strict=True)
        ],
        excluded=[(e.person, e.reason) for e in excluded],
    )


def accuracy_rows(
    frozen: Frozen, answers: Sequence[StoredAnswer]
) -> list[tuple[Row, tuple[float, float, float]]]:
    """Accuracy by set, where the task and the item have a label; with an interval.

    The interval covers other people and other items.
    """
    sets: dict[str, list[tuple[str, str, float]]] = {}
    for a in answers:
        material = frozen.materials[a.item]
        label = material.labels.get(a.condition)
        if frozen.study.task == "choice":
            right = a.response == a.side
        elif frozen.study.task == "binary" and label is not None:
            right = (a.response == "yes") == label
        else:
            continue
        if a.role == "item":
            sets.setdefault(material.set, []).append((a.person, a.item, float(right)))
    rows: list[tuple[Row, tuple[float, float, float]]] = []
    for name, values in sorted(sets.items()):
        p = math.fsum(v for *_, v in values) / len(values)
        low, high = crossed_interval(values)
        shown = (name, len(values), f"{100 * p:.1f} %", f"{100 * low:.1f}–{100 * high:.1f}")
        rows.append((shown, (p, low, high)))
    return rows


def units_of(frozen: Frozen, answers: Sequence[StoredAnswer]) -> dict[str, dict[str, float]]:
    """Ratings of items by unit and rater: 1 for the good sentence of a pair; sentences by id."""
    choice = frozen.study.task == "choice"
    units: dict[str, dict[str, float]] = {}
    for a in answers:
        if a.role not in ("item", "filler"):
            continue
        if choice:
            unit, value = a.item, float(a.response == a.side)
        else:
            unit = frozen.materials[a.item].sentence_id(a.condition)
            value = float_of(a.response)
            if frozen.study.task == "magnitude":
                value = math.log(value / frozen.study.scale.modulus)
        units.setdefault(unit, {})[a.person] = value
    return units


def agreement_of(
    frozen: Frozen, answers: Sequence[StoredAnswer], draws: int = 200
) -> RaterAgreement:
    """Every measure of the answers of people to the items and fillers of a study."""
    return measure_agreement(units_of(frozen, answers), ANSWERS[frozen.study.task], draws)


class Majority(Struct, frozen=True):
    """What the majority of so many people chooses, as means over pairs."""

    people: int
    good: float
    """How often it is the good sentence. For one person, the accuracy of people."""
    same: float
    """How often it is what the majority of everybody chose; NaN where nobody can say."""


def majorities(units: Units) -> list[Majority]:
    """Majorities of forced choices, up to a size that is `ENOUGH` like everybody's.

    So many people are drawn with replacement from those who judged a pair, so that the number who
    choose the good sentence is binomial. No size is larger than the median number of people of a
    pair. What everybody chose counts where at least three people judged a pair and they are not
    split in half.

    >>> majorities({"a": {"x": 1.0, "y": 1.0, "z": 1.0}})
    [Majority(people=1, good=1.0, same=1.0)]
    """
    asked = [(math.fsum(r.values()) / len(r), len(r)) for r in units.values() if r]
    found: list[Majority] = []
    most = statistics.median(n for _, n in asked) if asked else 0
    for size in (s for s in SIZES if s <= most):
        good = [_more_than_half(p, size) for p, _ in asked]
        same = [
            g if p > 0.5 else 1 - g
            for g, (p, n) in zip(good, asked, strict=True)
            if p != 0.5 and n >= FEWEST
        ]
        mean = math.fsum(same) / len(same) if same else math.nan
        found.append(Majority(size, math.fsum(good) / len(good), mean))
        if mean >= ENOUGH:
            break
    return found


def _more_than_half(p: float, size: int) -> float:
    """Probability that more than half of so many independent draws are 1."""
    return math.fsum(
        math.comb(size, k) * p**k * (1 - p) ** (size - k) for k in range(size // 2 + 1, size + 1)
    )


class PeopleAgreement(Struct, frozen=True):
    """How far people agree, and for forced choices how right their majority is."""

    measured: Annotated[RaterAgreement, INLINE]
    majorities: list[Majority]
    people_needed: int | None
    """How many give the majority of everybody in `ENOUGH` of the pairs; None if more than those."""


def people_agreement(store: Store, frozen: Frozen) -> PeopleAgreement | None:
    """The agreement of those who are not excluded; None if there is no answer."""
    found = collect(store, frozen)
    people = [a for a in found.answers if a.kind == "person"]
    good = kept(people, exclusions(frozen, found.sittings, people))
    if not good:
        return None
    sizes = majorities(units_of(frozen, good)) if frozen.study.task == "choice" else []
    needed = next((m.people for m in sizes if m.same >= ENOUGH), None)
    return PeopleAgreement(agreement_of(frozen, good), sizes, needed)
