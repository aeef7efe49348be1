"""How a study stands: for the researcher's page and `judge status`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from priscian.judge.agreement import agreement_of
from priscian.judge.collected import collect
from priscian.judge.exclusion import exclusions, kept
from priscian.judge.frozen import Frozen
from priscian.judge.records import Given
from priscian.judge.store import Store
from priscian.stats.sets import crossed_interval

EDGES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Summary:
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

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def summarise(store: Store, frozen: Frozen) -> Summary:
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
    items = [m.id for m in frozen.materials.values() if m.kind == "item"]
    return Summary(
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
        times=time_rows(good),
        excluded=[(e.person, e.reason) for e in excluded],
    )


def right(frozen: Frozen, answer: Given) -> bool | None:
    """Whether an answer agrees with the label, where the task and the item allow it."""
    if frozen.study.task == "choice":
        return answer.response == answer.side
    label = frozen.materials[answer.item].labels.get(answer.condition)
    if label is None or frozen.study.task != "binary":
        return None
    return (answer.response == "yes") == label


def accuracy_rows(
    frozen: Frozen, answers: Sequence[Given]
) -> list[tuple[Row, tuple[float, float, float]]]:
    """Accuracy against the labels by set, with an interval that covers other people and items."""
    sets: dict[str, list[tuple[str, str, float]]] = {}
    for a in answers:
        said = right(frozen, a) if a.role == "item" else None
        if said is not None:
            name = frozen.materials[a.item].set
            sets.setdefault(name, []).append((a.person, a.item, float(said)))
    rows: list[tuple[Row, tuple[float, float, float]]] = []
    for name, values in sorted(sets.items()):
        p = math.fsum(v for *_, v in values) / len(values)
        low, high = crossed_interval(values)
        shown = (name, len(values), f"{100 * p:.1f} %", f"{100 * low:.1f}–{100 * high:.1f}")
        rows.append((shown, (p, low, high)))
    return rows


def time_rows(answers: Sequence[Given]) -> list[Row]:
    """A histogram of response times: how many answers took up to so many seconds."""
    times = [a.time for a in answers if a.time is not None]
    rows: list[Row] = []
    for low, high in zip((0.0, *EDGES), (*EDGES, math.inf), strict=True):
        count = sum(low <= t < high for t in times)
        rows.append((f"{low:g}–{high:g}" if high < math.inf else f"over {low:g}", count))
    return rows
