"""Boards: models against phenomena or circuits, with the sets below each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from priscian.analysis.blimp.accuracy_tables import OVERALL, AccuracyTable, accuracy_table
from priscian.analysis.blimp.accuracy_tables import Cell as TableCell
from priscian.analysis.scored import Scored
from priscian.analysis.series import name_series, words
from priscian.reporting.source import Entry

BoardKind = Literal["pairs", "suites", "labels"]
FEW = 14
"""So many sets can be columns of their own where nothing classes them."""
STEPS = (-0.6, -0.3, -0.1, 0.1, 0.3, 0.5, 0.7, 0.9)
PEOPLE = "human*"
JOINED = {
    "filler gap": "filler–gap",
    "subject verb": "subject–verb",
    "determiner noun": "determiner–noun",
    "npi": "NPI",
}
ALL = ""
"""The one class of sets that nothing classes; it has no column of its own."""


@dataclass(frozen=True, slots=True)
class Cell:
    """An accuracy on the page; a published one has no interval."""

    accuracy: float
    chance: float
    ci: tuple[float, float] | None = None
    n: int | None = None
    ties: int | None = None

    @property
    def shade(self) -> int:
        """From 0, far below chance, over 3, at chance, to 8, all but perfect."""
        gain = self.accuracy - self.chance
        room = 1 - self.chance if gain > 0 else self.chance
        return sum(gain / room >= step for step in STEPS) if room else 3

    @property
    def at_chance(self) -> bool:
        """Whether the interval holds chance."""
        return self.ci is not None and self.ci[0] <= self.chance <= self.ci[1]

    @property
    def says(self) -> str:
        """The cell in words."""
        parts = [f"{100 * self.accuracy:.1f} %"]
        if self.ci:
            parts.append(f"interval {100 * self.ci[0]:.1f}–{100 * self.ci[1]:.1f}")
        if self.n:
            parts.append(f"n = {self.n:,}")
        if self.ties:
            parts.append(f"{self.ties:,} tied")
        return ", ".join(parts)

    def as_list(self) -> list[Any]:
        """For the page's data: accuracy, low, high, n, ties, shade, at chance."""
        low, high = self.ci or (None, None)
        return [self.accuracy, low, high, self.n, self.ties, self.shade, int(self.at_chance)]


@dataclass(frozen=True, slots=True)
class Row:
    """A model, or a system or people of the paper."""

    label: str
    published: bool
    overall: Cell | None
    classes: Mapping[str, Cell]
    sets: Mapping[str, Cell]
    marked: bool = False
    """Whether it was scored on other sentences than the first row."""

    @property
    def people(self) -> bool:
        """Whether it is about people."""
        return self.label == PEOPLE


@dataclass(frozen=True, slots=True)
class Board:
    """Results that may stand in one table, since they are about the same sets."""

    id: str
    kind: BoardKind
    name: str
    """As a headline score is called: BLiMP, SG."""
    title: str
    data: str
    size: str
    """How many items in how many sets."""
    level: str
    """What a column is: phenomenon, circuit, set."""
    unit: str
    """What a set is called: paradigm, suite, set."""
    classes: Mapping[str, tuple[str, ...]]
    """Sets of each column."""
    rows: tuple[Row, ...]
    entries: tuple[Entry, ...]
    notes: tuple[str, ...]

    @property
    def heading(self) -> str:
        """Title and data, once each."""
        return self.title if self.data in self.title else f"{self.title}, {self.data}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Classes that have a column."""
        return tuple(name for name in self.classes if name != ALL)

    @property
    def models(self) -> tuple[Row, ...]:
        """The rows that were scored here, in the order of the entries."""
        return tuple(row for row in self.rows if not row.published)

    @property
    def results(self) -> list[Scored]:
        """What the analyses read."""
        return [entry.scored for entry in self.entries]


def class_label(name: str) -> str:
    """A class or set as a heading.

    >>> class_label("filler_gap_dependency"), class_label("npi_licensing")
    ('Filler–gap dependency', 'NPI licensing')
    """
    text = words(name)
    for plain, joined in JOINED.items():
        text = text.replace(plain, joined)
    return text[:1].upper() + text[1:]


def make_boards(entries: Sequence[Entry]) -> list[Board]:
    """Results that share sets are one board; pairs first, then suites."""
    groups: list[list[Entry]] = []
    for entry in entries:
        home = next((g for g in groups if _together(g[0].scored, entry.scored)), None)
        if home is None:
            groups.append([entry])
        else:
            home.append(entry)
    order = {"pairs": 0, "graded": 1, "suites": 2}
    groups.sort(key=lambda g: ("labels" in g[0].scored.summary, order[g[0].scored.kind]))
    makers = {"suites": _suites, "labels": _labels, "pairs": _pairs}
    boards = []
    for number, members in enumerate(groups, 1):
        labels = [s.name for s in name_series([e.scored for e in members])]
        named = [Entry(n, e.scored, e.source) for n, e in zip(labels, members, strict=True)]
        boards.append(makers[_kind(members[0].scored)](f"b{number}", named))
    return boards


def _kind(scored: Scored) -> BoardKind:
    if scored.kind == "suites":
        return "suites"
    return "labels" if "labels" in scored.summary else "pairs"


def _together(a: Scored, b: Scored) -> bool:
    return (_kind(a), a.kind) == (_kind(b), b.kind) and bool(a.taxonomy.keys() & b.taxonomy.keys())


def _marks(entries: Sequence[Entry]) -> list[bool]:
    first = entries[0].scored.hashes
    return [dict(e.scored.hashes) != dict(first) for e in entries]


# ---------------------------------------------------------------- minimal pairs


def _pairs(number: str, entries: list[Entry]) -> Board:
    results = [e.scored for e in entries]
    method = next(iter(results[0].methods))
    by_set = accuracy_table(results, "paradigm", method=method)
    table = accuracy_table(results, method=method)
    blimp = any(column.published for column in by_set.columns)
    classed = table.by == "phenomenon"
    unit = "paradigm" if classed else "set"
    names = [row.name for row in by_set.rows if row.name != OVERALL]
    if classed:
        classes: dict[str, list[str]] = {}
        for row in by_set.rows:
            if row.name != OVERALL:
                classes.setdefault(row.group or "other", []).append(row.name)
    else:
        classes = {name: [name] for name in names} if 1 < len(names) <= FEW else {}
    kept = {row.name for row in table.rows}
    classes = {k: v for k, v in sorted(classes.items()) if k in kept}
    count = max((c.n or 0) for c in by_set.rows[-1].cells if c)
    data = ", ".join(dict.fromkeys(r.data for r in results))
    return Board(
        number,
        "pairs",
        "BLiMP" if blimp else data,
        "Minimal pairs" if blimp else f"Minimal pairs: {words(data)}",
        data,
        f"{count:,} pairs in {len(names)} {unit}{'s' * (len(names) > 1)}",
        "phenomenon" if classed else "set",
        unit,
        {k: tuple(v) for k, v in classes.items()} or {ALL: tuple(names)},
        _table_rows(table, by_set, _marks(entries)),
        tuple(entries),
        table.notes,
    )


def _table_rows(table: AccuracyTable, by_set: AccuracyTable, marks: list[bool]) -> tuple[Row, ...]:
    rows = []
    for index, column in enumerate(table.columns):
        cells = {row.name: _cell(row.cells[index]) for row in table.rows}
        sets = {row.name: _cell(row.cells[index]) for row in by_set.rows}
        rows.append(
            Row(
                column.name,
                column.published,
                cells.pop(OVERALL),
                {k: v for k, v in cells.items() if v},
                {k: v for k, v in sets.items() if v and k != OVERALL},
                not column.published and marks[index],
            )
        )
    return tuple(rows)


def _cell(cell: TableCell | None) -> Cell | None:
    if cell is None:
        return None
    return Cell(cell.accuracy, 0.5, cell.ci, cell.n, cell.ties)


# ---------------------------------------------------------------- suites and labels


def _plain(cell: Mapping[str, Any], key: str = "accuracy") -> Cell:
    return Cell(
        cell[key], cell.get("chance", 0.5), (cell["ci"][0], cell["ci"][1]), cell["n"], cell["ties"]
    )


def _suites(number: str, entries: list[Entry]) -> Board:
    classes: dict[str, dict[str, None]] = {}
    rows = []
    for entry, marked in zip(entries, _marks(entries), strict=True):
        summary = entry.scored.summary
        sets = {name: _plain(cell) for name, cell in summary["suites"].items()}
        for name in sets:
            classes.setdefault(entry.scored.narrowest(name) or "other", {})[name] = None
        circuits = {name: _plain(cell) for name, cell in summary["circuits"].items()}
        overall = _plain(summary["sg"], "score")
        rows.append(Row(entry.label, False, overall, circuits, sets, marked))
    known = {name for row in rows for name in row.sets}
    count = max(row.overall.n or 0 for row in rows if row.overall)
    data = ", ".join(dict.fromkeys(e.scored.data for e in entries))
    return Board(
        number,
        "suites",
        "SG",
        "Syntactic generalization",
        data,
        f"{count:,} items in {len(known)} suites",
        "circuit",
        "suite",
        {k: tuple(sorted(v)) for k, v in sorted(classes.items())},
        tuple(rows),
        tuple(entries),
        tuple(line for e in entries for line in e.scored.summary.get("failed", ())),
    )


def _labels(number: str, entries: list[Entry]) -> Board:
    rows: list[Row] = []
    names: dict[str, None] = {}
    for entry, marked in zip(entries, _marks(entries), strict=True):
        summary = next(iter(entry.scored.summary["methods"].values()))
        sets = {name: _plain(cell) for name, cell in summary["paradigms"].items()}
        names |= dict.fromkeys(sets)
        rows.append(Row(entry.label, False, _plain(summary["overall"]), sets, sets, marked))
    data = ", ".join(dict.fromkeys(e.scored.data for e in entries))
    return Board(
        number,
        "labels",
        data,
        "Labelled sentences",
        data,
        f"{max(row.overall.n or 0 for row in rows if row.overall):,} sentences",
        "set",
        "set",
        {name: (name,) for name in names},
        tuple(rows),
        tuple(entries),
        ("share of labels that a threshold on the score gets right; it is chosen in-domain",),
    )
