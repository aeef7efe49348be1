"""BLiMP's tables: accuracy by field, phenomenon or paradigm, with the paper's systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from priscian.analysis.blimp.published_rows import published_notes, published_systems, starred
from priscian.analysis.intervals import set_credits
from priscian.analysis.named_results import pair_results, set_accuracies
from priscian.analysis.vega import Figure, HasFigures
from priscian.errors import DataError, UsageError
from priscian.runs import Result
from priscian.stats.bootstrap import Resample, credit_mean_interval
from priscian.stats.interval import Interval
from priscian.stats.proportions import Accuracy, mean_accuracy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

By = Literal["field", "phenomenon", "paradigm"]
HowSure = Literal["wilson", "items", "sets", "both"]
OVERALL = "overall"
MADE = {
    "wilson": "Wilson's for a paradigm, combined for means of paradigms (Zou et al. 2009)",
    "items": "10,000 bootstrap samples of items within paradigms",
    "sets": "10,000 bootstrap samples of paradigms; with fewer than ten, Student's t over "
    "paradigms; of items where there is one paradigm",
    "both": "10,000 bootstrap samples of paradigms and of their items; with fewer than ten, "
    "Student's t over paradigms",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """An accuracy; a published one has no items, ties or interval."""

    accuracy: float
    paradigms: int
    n: int | None = None
    ties: int | None = None
    ci: Interval | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found = {"accuracy": self.accuracy, "paradigms": self.paradigms}
        if self.ci is None:
            return found
        return {**found, "n": self.n, "ties": self.ties, "ci": list(self.ci)}


@dataclass(frozen=True, slots=True)
class Column:
    """A model that was scored, or a system of the paper."""

    name: str
    published: bool = False
    data: str = ""
    tie: str = ""
    """How a tie is counted."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A field, phenomenon or paradigm, or all of them; cells in the order of the columns."""

    name: str
    group: str
    """A paradigm's phenomenon."""
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class AccuracyTable(HasFigures):
    """Accuracies with notes for the reader; the last row is the mean of paradigms."""

    by: By
    method: str
    interval: HowSure
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Accuracies with their intervals."""
        from priscian.analysis.blimp.accuracy_table_figure import tables_figure

        return (tables_figure(self),)

    def records(self) -> list[dict[str, Any]]:
        """One plain row for each cell that has a value."""
        return [
            {
                "model": column.name,
                "kind": "published" if column.published else "scored",
                "level": OVERALL if row.name == OVERALL else self.by,
                "name": row.name,
                "group": row.group,
                "accuracy": cell.accuracy,
                "low": cell.ci[0] if cell.ci else None,
                "high": cell.ci[1] if cell.ci else None,
                "n": cell.n,
                "ties": cell.ties,
                "paradigms": cell.paradigms,
            }
            for row in self.rows
            for column, cell in zip(self.columns, row.cells, strict=True)
            if cell is not None
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "by": self.by,
            "method": self.method,
            "interval": MADE[self.interval],
            "columns": [
                {"name": c.name, "published": c.published, "data": c.data} for c in self.columns
            ],
            "rows": {
                row.name: {
                    column.name: cell.as_dict()
                    for column, cell in zip(self.columns, row.cells, strict=True)
                    if cell is not None
                }
                for row in self.rows
            },
            "notes": list(self.notes),
        }


def accuracy_table(
    results: Sequence[Result],
    by: By | None = None,
    *,
    method: str = "full",
    baselines: Sequence[str] | None = None,
    interval: HowSure = "wilson",
    seed: int = 0,
) -> AccuracyTable:
    """Every model's accuracy in every class, and the mean of its paradigms.

    `by` is phenomenon if the data have phenomena, else paradigm. `baselines` names systems of the
    paper (all of them if left out); a cell of theirs is filled only where they were tested on all
    paradigms of its class.
    """
    named = [r for r in pair_results(results) if method in r.methods]
    if not named:
        raise DataError(f"no result by the method {method}; every run on pairs has the method full")
    level = by or ("phenomenon" if _has(named, "phenomenon") else "paradigm")
    if level != "paradigm" and not _has(named, level):
        raise UsageError(f"these data have no {level}; use --by paradigm")
    accuracies = [set_accuracies(r, method) for r in named]
    boots = [None if interval == "wilson" else _Boot.of(r, method, interval, seed) for r in named]
    classes = _classes(named, accuracies, level)
    known = published_systems(baselines) if method == "full" else {}
    known = {name: rows for name, rows in known.items() if rows.keys() & classes[OVERALL]}
    columns = (
        *(Column(r.label, False, r.data, r.summary.tie) for r in named),
        *(Column(starred(name), True, "blimp") for name in known),
    )
    rows = tuple(
        TableRow(
            name,
            _group(named, name) if level == "paradigm" and name != OVERALL else "",
            (
                *(_cell(members, a, d) for a, d in zip(accuracies, boots, strict=True)),
                *(_published_cell(members, rows) for rows in known.values()),
            ),
        )
        for name, members in classes.items()
    )
    notes = (*_data_notes(named, accuracies), *published_notes(list(known), named))
    return AccuracyTable(level, method, interval, columns, rows, notes)


@dataclass(frozen=True, slots=True)
class _Boot:
    """Credits of every item, by set, to resample."""

    credit: Mapping[str, NDArray[np.float64]]
    resample: Resample
    seed: int

    @classmethod
    def of(cls, result: Result, method: str, resample: Resample, seed: int) -> _Boot:
        return cls(set_credits(result, method), resample, seed)

    def interval(self, sets: Sequence[str]) -> Interval:
        """The interval of the mean of some sets; a single set cannot be resampled as a set."""
        drawn: Resample = self.resample if len(sets) > 1 else "items"
        found = credit_mean_interval([self.credit[name] for name in sets], drawn, self.seed)
        return found.ci


def _has(named: Sequence[Result], level: str) -> bool:
    return any(r.facts.node(name, level) for r in named for name in r.facts.sets)


def _classes(
    named: Sequence[Result], accuracies: Sequence[Mapping[str, Accuracy]], level: str
) -> dict[str, dict[str, None]]:
    """Sets of each class, in alphabetical order; all of them last."""
    found: dict[str, dict[str, None]] = {}
    every: dict[str, None] = {}
    for r, sets in zip(named, accuracies, strict=True):
        for name in sets:
            every[name] = None
            inside = name if level == "paradigm" else r.facts.node(name, level)
            if inside:
                found.setdefault(inside, {})[name] = None
    return {**dict(sorted(found.items())), OVERALL: every}


def _cell(
    members: Mapping[str, None], sets: Mapping[str, Accuracy], boot: _Boot | None
) -> Cell | None:
    here = [name for name in members if name in sets]
    if not here:
        return None
    mean = mean_accuracy([sets[name] for name in here])
    ci = mean.ci if boot is None else boot.interval(here)
    return Cell(mean.accuracy, len(here), mean.n, mean.ties, ci)


def _published_cell(members: Mapping[str, None], rows: Mapping[str, float]) -> Cell | None:
    if any(name not in rows for name in members):
        return None
    return Cell(sum(rows[name] for name in members) / len(members), len(members))


def _group(named: Sequence[Result], name: str) -> str:
    return next((g for r in named if (g := r.narrowest(name))), "")


def _data_notes(named: Sequence[Result], accuracies: Sequence[Mapping[str, Accuracy]]) -> list[str]:
    notes = []
    for r, sets in zip(named, accuracies, strict=True):
        ties = sum(a.ties for a in sets.values())
        if ties:
            n = sum(a.n for a in sets.values())
            counted = r.summary.tie
            notes.append(f"{r.label}: {ties:,} of {n:,} items tie, counted as {counted}")
    first = named[0]
    for r in named[1:]:
        same = sum(r.hashes.get(name) == h for name, h in first.hashes.items())
        if same < len(first.hashes) or len(r.hashes) > same:
            notes.append(
                f"{r.label} was not scored on all the sentences of {first.label}: they share "
                f"{same} of {len(first.hashes)} paradigms"
            )
    return notes
