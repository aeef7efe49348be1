"""Boards: models against phenomena or circuits, with the sets below each cell; as a figure, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from priscian.analysis.blimp.accuracy_table import tables
from priscian.analysis.blimp.published_rows import PEOPLE
from priscian.analysis.charts import inline, tips
from priscian.analysis.named_results import name_results, short_names, words
from priscian.analysis.paper import TURNS
from priscian.analysis.result import OVERALL
from priscian.analysis.standing import Standing, guess_intervals, mostly_tied, standing
from priscian.analysis.vega import SCHEMA, Chart, Figure
from priscian.errors import counted
from priscian.runs import Result
from priscian.runs.facts import Score
from priscian.runs.result import labelled

BoardKind = Literal["pairs", "suites", "labels"]
FEW = 14
"""Largest number of sets without classes that get columns of their own."""
AT_CHANCE = 3
"""The shade of a cell at chance."""
STEPS = (-0.6, -0.3, -0.1, 0.1, 0.3, 0.5, 0.7, 0.9)
ORDER = ("pairs", "graded", "suites", "labels")
SHADES = ("#ad4a17", "#e2955f", "#f5d2b4", "#efece4", "#d6e6ec", "#abd0de", "#74b3ca", "#1f7799",
          "#0a5373")  # fmt: skip
"""From far below chance over chance to perfect, as on the page."""
DARK = (0, 7, 8)
"""Shades that white text is written on."""
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
class BoardRow:
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
    rows: tuple[BoardRow, ...]
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
    def models(self) -> tuple[BoardRow, ...]:
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
    """Results that share sets are one board; pairs first, then suites, then other kinds.

    Their labels are unique; of many models, without the beginning that all names share.
    """
    groups: list[list[Result]] = []
    for result in results:
        for group in groups:
            first = group[0]
            if first.kind == result.kind and first.taxonomy.keys() & result.taxonomy.keys():
                group.append(result)
                break
        else:
            groups.append([result])
    groups.sort(key=lambda g: ORDER.index(g[0].kind) if g[0].kind in ORDER else len(ORDER))
    makers = {"pairs": _pairs, "graded": _pairs, "suites": _suites}
    short = short_names([result.model for result in results])
    boards = []
    for number, group in enumerate(groups, 1):
        named = name_results(group)
        labels = [short[r.model] + r.label.removeprefix(r.model) for r in named]
        make = makers.get(group[0].kind, _sentences)
        boards.append(make(f"b{number}", labelled(named, labels)))
    return boards


def _other_items(results: Sequence[Result]) -> list[bool]:
    """Which results are on other sentences than the first."""
    return [r.hashes != results[0].hashes for r in results]


def _pairs(number: str, results: list[Result]) -> Board:
    method = next(iter(results[0].methods))
    by_set = tables(results, "paradigm", method=method)
    table = tables(results, method=method)
    blimp = any(column.published for column in by_set.columns)
    classed = table.by == "phenomenon"
    unit = "paradigm" if classed else "set"
    sets = [row for row in by_set.rows if row.name != OVERALL]
    classes: dict[str, list[str]] = {}
    for row in sets:
        if classed:
            classes.setdefault(row.group or "other", []).append(row.name)
        elif 1 < len(sets) <= FEW:
            classes[row.name] = [row.name]
    kept = {row.name for row in table.rows}
    classes = {name: own for name, own in sorted(classes.items()) if name in kept}
    count = max((c.n or 0) for c in by_set.rows[-1].cells if c)
    data = ", ".join(dict.fromkeys(r.data for r in results))
    marks = _other_items(results)
    rows = []
    for index, column in enumerate(table.columns):
        of_classes, of_sets = (
            {
                row.name: Cell(cell.accuracy, 0.5, cell.ci, cell.n, cell.ties)
                for row in shown.rows
                if (cell := row.cells[index]) is not None
            }
            for shown in (table, by_set)
        )
        overall = of_classes.pop(OVERALL, None)
        of_sets.pop(OVERALL, None)
        marked = not column.published and marks[index]
        rows.append(BoardRow(column.name, column.published, overall, of_classes, of_sets, marked))
    return Board(
        number,
        "pairs",
        "BLiMP" if blimp else data,
        "Minimal pairs" if blimp else f"Minimal pairs: {words(data)}",
        data,
        f"{counted(count, 'pair')} in {counted(len(sets), unit)}",
        "phenomenon" if classed else "set",
        unit,
        {k: tuple(v) for k, v in classes.items()} or {ALL: tuple(row.name for row in sets)},
        tuple(rows),
        tuple(results),
        table.notes,
    )


def _cell(score: Score, guess: tuple[float, float] | None = None) -> Cell:
    chance = float(getattr(score, "chance", 0.5))
    return Cell(score.accuracy, chance, score.ci, score.n, score.ties, guess)


def _suites(number: str, results: list[Result]) -> Board:
    classes: dict[str, dict[str, None]] = {}
    rows = []
    for result, marked in zip(results, _other_items(results), strict=True):
        sets = {name: _cell(score) for name, score in result.summary.by_set().items()}
        for name in sets:
            classes.setdefault(result.narrowest(name) or "other", {})[name] = None
        guess = guess_intervals(result)
        by_class = result.summary.by_class()
        circuits = {name: _cell(score, guess.get(name)) for name, score in by_class.items()}
        overall = _cell(result.summary.headline, guess.get(ALL))
        rows.append(BoardRow(result.label, False, overall, circuits, sets, marked))
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
    rows: list[BoardRow] = []
    names: dict[str, None] = {}
    for result, marked in zip(results, _other_items(results), strict=True):
        sets = {name: _cell(score) for name, score in result.summary.by_set().items()}
        names |= dict.fromkeys(sets)
        overall = _cell(result.summary.headline)
        rows.append(BoardRow(result.label, False, overall, sets, sets, marked))
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


def heat_figure(board: Board) -> Figure:
    """The heat map for a paper: per cent right of every row of a board, overall and by class."""
    columns = {"": "Overall", **{name: class_label(name) for name in board.columns}}
    rows = [
        {
            "model": row.label,
            "column": shown,
            "shown": "tied" if cell.tied else cell.shown,
            "accuracy": cell.accuracy,
            "low": cell.ci[0] if cell.ci else None,
            "high": cell.ci[1] if cell.ci else None,
            "n": cell.n,
            "ties": cell.ties,
            "shade": cell.shade,
        }
        for row in board.rows
        for name, shown in columns.items()
        if (cell := row.cell(name)) is not None
    ]
    caption = f"Per cent right on {board.heading}: {board.size}. Colours count from chance"
    if any(row["shown"] == "tied" for row in rows):
        caption += "; tied: more than half of the items tie, so there is no verdict"
    if any(row.published for row in board.rows):
        caption += "; * published figures on BLiMP's own sentences"
    models = [row.label for row in board.rows]
    names = {"type": "nominal", "title": None}
    axis = {"labelLimit": 300, "domain": False, "ticks": False}
    shade = {
        "field": "shade",
        "type": "ordinal",
        "legend": None,
        "scale": {"domain": list(range(len(SHADES))), "range": list(SHADES)},
    }
    white = " || ".join(f"datum.shade === {n}" for n in DARK)
    chart: Chart = {
        "$schema": SCHEMA,
        "usermeta": {TURNS: len(columns) > len(models)},
        "width": {"step": 40},
        "height": {"step": 24},
        "data": inline(rows),
        "encoding": {
            "x": {"field": "column", "sort": list(columns.values()), **names,
                  "axis": {**axis, "orient": "top", "labelAngle": -45}},
            "y": {"field": "model", "sort": models, **names, "axis": axis},
            "tooltip": tips("model", "column", "accuracy:.1%", "low:.1%", "high:.1%", "n:,",
                            "ties:,"),
        },
        "layer": [
            {"mark": {"type": "rect", "stroke": "white"}, "encoding": {"color": shade}},
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    "text": {"field": "shown", "type": "nominal"},
                    "color": {"condition": {"test": white, "value": "white"}, "value": "#1d1c1a"},
                },
            },
        ],
    }  # fmt: skip
    name, title = f"{board.id}-heat-map", f"Heat map, {board.heading}"
    return Figure(name, title, f"{caption}.", chart, rows)
