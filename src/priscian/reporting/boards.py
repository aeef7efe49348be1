"""Boards: models against phenomena or circuits, with the sets below each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from priscian.analysis.blimp.accuracy_table import AccuracyCell, AccuracyTable, tables
from priscian.analysis.blimp.published_rows import PEOPLE
from priscian.analysis.named_results import name_results, short_names, words
from priscian.analysis.result import OVERALL
from priscian.analysis.standing import Standing, guess_intervals, mostly_tied, standing
from priscian.runs import Result
from priscian.runs.facts import Score
from priscian.runs.result import labelled
from priscian.runs.show import counted

BoardKind = Literal["pairs", "suites", "labels"]
FEW = 14
"""Largest number of sets without classes that get columns of their own."""
AT_CHANCE = 3
"""The shade of a cell at chance."""
STEPS = (-0.6, -0.3, -0.1, 0.1, 0.3, 0.5, 0.7, 0.9)
ORDER = ("pairs", "graded", "suites", "labels")
LABELS = "share of labels that a threshold on the score gets right; it is chosen in-domain"
ALL = ""
"""The class of all sets without classes; it has no column of its own."""


@dataclass(frozen=True, slots=True)
class Cell:
    """An accuracy on the page; a published one has no interval."""

    accuracy: float
    chance: float
    ci: tuple[float, float] | None = None
    n: int | None = None
    ties: int | None = None
    guess_ci: tuple[float, float] | None = None
    """As wide as the interval of a model that guesses, if `ci` covers other sets."""

    @property
    def tied(self) -> bool:
        """Whether more than half of the items tie: the model says little, for or against."""
        return mostly_tied(self.ties, self.n)

    @property
    def shown(self) -> str:
        """The cell's text: per cent right, or how many items tie."""
        if not self.tied:
            return f"{100 * self.accuracy:.0f}"
        if self.ties == self.n:
            return "tied"
        share = 100 * (self.ties or 0) / (self.n or 1)
        return f"{min(99, max(51, round(share)))} % tied"

    @property
    def shade(self) -> int:
        """From 0 (far below chance) through 3 (at chance) to 8 (almost perfect)."""
        if self.tied:
            return AT_CHANCE
        gain = self.accuracy - self.chance
        room = 1 - self.chance if gain > 0 else self.chance
        return sum(gain / room >= step for step in STEPS) if room else AT_CHANCE

    @property
    def standing(self) -> Standing:
        """How the score stands to chance."""
        return standing(self.chance, self.guess_ci or self.ci, self.ties, self.n)

    @property
    def at_chance(self) -> bool:
        """Whether the interval includes chance."""
        return self.standing in ("at chance", "unsure")

    @property
    def says(self) -> str:
        """The cell in words."""
        if self.tied and self.ties == self.n:
            return f"all {counted(self.n or 0, 'item')} tied"
        parts = [f"{100 * self.accuracy:.1f} %"]
        if self.ci:
            parts.append(f"interval {100 * self.ci[0]:.1f}–{100 * self.ci[1]:.1f}")
        if self.n:
            parts.append(f"n = {self.n:,}")
        if self.ties:
            parts.append(f"{self.ties:,} tied")
        return ", ".join(parts)

    def as_list(self) -> list[Any]:
        """For the page's data: accuracy, low, high, n, ties, shade, standing, text."""
        low, high = self.ci or (None, None)
        return [
            self.accuracy, low, high, self.n, self.ties, self.shade, self.standing, self.shown,
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """A model, or one of the paper's systems, or people."""

    label: str
    published: bool
    overall: Cell | None
    classes: Mapping[str, Cell]
    sets: Mapping[str, Cell]
    marked: bool = False
    """Whether it was scored on different sentences than the first row."""

    @property
    def people(self) -> bool:
        """Whether it is about people."""
        return self.label == PEOPLE

    def cell(self, name: str) -> Cell | None:
        """The cell of a class; of an empty name, the overall score."""
        return self.classes.get(name) if name else self.overall


@dataclass(frozen=True, slots=True)
class Board:
    """Results that can share a table, since they are about the same sets."""

    id: str
    kind: BoardKind
    name: str
    """The name of its headline score: BLiMP, SG."""
    title: str
    data: str
    size: str
    """The numbers of items and sets, in words."""
    level: str
    """What a column is: phenomenon, circuit, set."""
    unit: str
    """The word for a set: paradigm, suite, set."""
    classes: Mapping[str, tuple[str, ...]]
    """Sets of each column."""
    rows: tuple[Row, ...]
    results: tuple[Result, ...]
    notes: tuple[str, ...]

    @property
    def heading(self) -> str:
        """Title and data, once each."""
        return self.title if self.data in self.title else f"{self.title}, {self.data}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Classes that have a column."""
        return tuple(name for name in self.classes if name != ALL)

    def chance(self, name: str = "") -> float | None:
        """The chance level of a column, or overall; it is the same for every model."""
        cells = (row.cell(name) for row in self.models)
        return next((cell.chance for cell in cells if cell is not None), None)

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Sets by the levels above their class, such as the paradigms of a field."""
        found: dict[str, dict[str, None]] = {}
        for result in self.results:
            for name, path in result.taxonomy.items():
                for group in path[:-1]:
                    if group not in self.classes:
                        found.setdefault(group, {})[name] = None
        return {name: tuple(members) for name, members in sorted(found.items())}

    @property
    def models(self) -> tuple[Row, ...]:
        """The rows that were scored here, in the order of the results."""
        return tuple(row for row in self.rows if not row.published)


def class_label(name: str) -> str:
    """A class or set as a heading.

    >>> class_label("filler_gap_dependency"), class_label("npi_licensing")
    ('Filler–gap dependency', 'NPI licensing')
    """
    text = words(name)
    return text[:1].upper() + text[1:]


def make_boards(results: Sequence[Result]) -> list[Board]:
    """Results that share sets are one board; pairs first, then suites, then other kinds."""
    groups: list[list[Result]] = []
    for result in results:
        home = next((g for g in groups if _together(g[0], result)), None)
        if home is None:
            groups.append([result])
        else:
            home.append(result)
    groups.sort(key=lambda g: ORDER.index(g[0].kind) if g[0].kind in ORDER else len(ORDER))
    makers = {"pairs": _pairs, "graded": _pairs, "suites": _suites}
    short = short_names([result.model for result in results])
    return [
        makers.get(members[0].kind, _sentences)(f"b{number}", _named(members, short))
        for number, members in enumerate(groups, 1)
    ]


def _named(results: Sequence[Result], short: Mapping[str, str]) -> list[Result]:
    """Results with unique labels; of many models, without the beginning that all names share."""
    named = name_results(results)
    return labelled(named, [short[r.model] + r.label.removeprefix(r.model) for r in named])


def _together(a: Result, b: Result) -> bool:
    return a.kind == b.kind and bool(a.taxonomy.keys() & b.taxonomy.keys())


def _marks(results: Sequence[Result]) -> list[bool]:
    first = results[0].hashes
    return [r.hashes != first for r in results]


# ---------------------------------------------------------------- minimal pairs


def _pairs(number: str, results: list[Result]) -> Board:
    method = next(iter(results[0].methods))
    by_set = tables(results, "paradigm", method=method)
    table = tables(results, method=method)
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
        f"{counted(count, 'pair')} in {counted(len(names), unit)}",
        "phenomenon" if classed else "set",
        unit,
        {k: tuple(v) for k, v in classes.items()} or {ALL: tuple(names)},
        _table_rows(table, by_set, _marks(results)),
        tuple(results),
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


def _cell(cell: AccuracyCell | None) -> Cell | None:
    if cell is None:
        return None
    return Cell(cell.accuracy, 0.5, cell.ci, cell.n, cell.ties)


# ---------------------------------------------------------------- suites and labels


def _plain(score: Score, guess: tuple[float, float] | None = None) -> Cell:
    chance = float(getattr(score, "chance", 0.5))
    return Cell(score.accuracy, chance, score.ci, score.n, score.ties, guess)


def _suites(number: str, results: list[Result]) -> Board:
    classes: dict[str, dict[str, None]] = {}
    rows = []
    for result, marked in zip(results, _marks(results), strict=True):
        sets = {name: _plain(score) for name, score in result.summary.by_set().items()}
        for name in sets:
            classes.setdefault(result.narrowest(name) or "other", {})[name] = None
        guess = guess_intervals(result)
        by_class = result.summary.by_class()
        circuits = {name: _plain(score, guess.get(name)) for name, score in by_class.items()}
        overall = _plain(result.summary.headline, guess.get(ALL))
        rows.append(Row(result.label, False, overall, circuits, sets, marked))
    known = {name for row in rows for name in row.sets}
    count = max(row.overall.n or 0 for row in rows if row.overall)
    data = ", ".join(dict.fromkeys(r.data for r in results))
    return Board(
        number,
        "suites",
        "SG",
        "Syntactic generalization",
        data,
        f"{counted(count, 'item')} in {counted(len(known), 'suite')}",
        "circuit",
        "suite",
        {k: tuple(sorted(v)) for k, v in sorted(classes.items())},
        tuple(rows),
        tuple(results),
        tuple(line for r in results for line in r.summary.problems),
    )


def _sentences(number: str, results: list[Result]) -> Board:
    """Labelled sentences, and any kind of data without a board of its own."""
    rows: list[Row] = []
    names: dict[str, None] = {}
    for result, marked in zip(results, _marks(results), strict=True):
        sets = {name: _plain(score) for name, score in result.summary.by_set().items()}
        names |= dict.fromkeys(sets)
        overall = _plain(result.summary.headline)
        rows.append(Row(result.label, False, overall, sets, sets, marked))
    data = ", ".join(dict.fromkeys(r.data for r in results))
    labels = results[0].kind == "labels"
    return Board(
        number,
        "labels",
        data,
        "Labelled sentences" if labels else class_label(results[0].kind),
        data,
        f"{max(row.overall.n or 0 for row in rows if row.overall):,} "
        + ("sentences" if labels else "items"),
        "set",
        "set",
        {name: (name,) for name in names},
        tuple(rows),
        tuple(results),
        (LABELS,) if labels else (),
    )
