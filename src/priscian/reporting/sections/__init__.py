"""How sections are registered, and how those that the runs allow are drawn.

A module of this package registers sections with a decorator:

    @board_section("distance", kinds={"pairs"}, place=40)
    def distance(board: Board, given: ReportData) -> list[Draw]: ...

A board is a table of models on one kind of data. Its figures appear under its heading in the order
of `place`; a figure that cannot be drawn is listed with the reason. A page section has a heading of
its own, before or after the boards. An analysis whose figures need nothing but results has its
section in its own module (`@analysis(…, section=…)`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from priscian.analysis.charts import repaint
from priscian.analysis.curves.curve import CurveAnalysis
from priscian.analysis.curves.sizes import Sizes
from priscian.analysis.curves.table import CurveTable
from priscian.analysis.graded.adc import AdcAnalysis
from priscian.analysis.people.study import StudyBesideModels
from priscian.analysis.result import Table
from priscian.analysis.transfer.transfer import Transfer
from priscian.analysis.vega import Figure, set_apart
from priscian.catalogue import Catalogue
from priscian.errors import PriscianError
from priscian.reporting.boards import Board
from priscian.reporting.provenance import FEW_ITEMS
from priscian.runs import Run

__all__ = [
    "SECTIONS",
    "Draw",
    "DrawnSection",
    "ReportData",
    "board_section",
    "figures_of",
    "make_sections",
    "page_section",
]


@dataclass(frozen=True, slots=True)
class Draw:
    """Optional figures: what they show, and how they are made; tables beside them."""

    what: str
    make: Callable[[], Sequence[Figure]]
    tables: Sequence[Table] = ()


@dataclass(frozen=True, slots=True)
class ReportData:
    """What a report is based on: its runs, and the other files that were read for it."""

    runs: Sequence[Run] = ()
    graded: Mapping[str, AdcAnalysis] = field(default_factory=dict)
    graded_problems: Mapping[str, str] = field(default_factory=dict)
    """Why data with ratings have no such analysis."""
    sizes: Sizes = field(default_factory=dict)
    perplexities: Mapping[str, float] = field(default_factory=dict)
    studies: Sequence[StudyBesideModels] = ()
    curves: Sequence[tuple[CurveTable, CurveAnalysis]] = ()
    """The sweeps that some of the runs belong to."""
    transfers: Sequence[Transfer] = ()


@dataclass(frozen=True, slots=True)
class DrawnSection:
    """Figures under one heading, and a line for each that could not be drawn."""

    title: str
    figures: tuple[Figure, ...]
    left_out: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


EMPTY = "these results have nothing to show in it"
BOARDS = 10
"""Page sections with a smaller place come before the boards."""
BoardDraws = Callable[[Board, ReportData], Sequence[Draw]]
PageDraws = Callable[[ReportData], Sequence[Draw]]


@dataclass(frozen=True, slots=True)
class _OfBoard:
    draws: BoardDraws
    kinds: frozenset[str]
    place: int


@dataclass(frozen=True, slots=True)
class _OfPage:
    draws: PageDraws
    place: int


SECTIONS: Catalogue[_OfBoard | _OfPage] = Catalogue("report section", "priscian.reporting.sections")


def board_section(
    name: str, *, kinds: Collection[str], place: int
) -> Callable[[BoardDraws], BoardDraws]:
    """Register figures of boards of some kinds."""

    def register(draws: BoardDraws) -> BoardDraws:
        SECTIONS.add(name, _OfBoard(draws, frozenset(kinds), place))
        return draws

    return register


def page_section(title: str, *, place: int) -> Callable[[PageDraws], PageDraws]:
    """Register figures of the whole page, under a heading of their own."""

    def register(draws: PageDraws) -> PageDraws:
        SECTIONS.add(title, _OfPage(draws, place))
        return draws

    return register


def make_sections(boards: Sequence[Board], given: ReportData | None = None) -> list[DrawnSection]:
    """Every figure that the runs allow, board by board, with unique names."""
    given = given or ReportData()
    entries = sorted(SECTIONS.all().items(), key=lambda entry: entry[1].place)
    pages = [(title, entry) for title, entry in entries if isinstance(entry, _OfPage)]
    made = [
        section
        for title, entry in pages
        if entry.place < BOARDS
        for section in _page_section(title, entry.draws(given))
    ]
    for board in boards:
        figures: list[Figure] = []
        left_out = []
        for _, entry in entries:
            if not isinstance(entry, _OfBoard) or board.kind not in entry.kinds:
                continue
            for draw in entry.draws(board, given):
                try:
                    drawn = draw.make()
                except PriscianError as error:
                    left_out.append(f"{draw.what}: {error}")
                    continue
                figures += [figure for figure in drawn if figure.rows]
                left_out += [f"{figure.title}: {EMPTY}" for figure in drawn if not figure.rows]
        start = f"{board.id}-" if len(boards) > 1 else ""
        warning = _few_items(board)
        shown = (
            replace(f, name=f"{start}{f.name}", caption=f"{f.caption}{warning}") for f in figures
        )
        made.append(DrawnSection(board.heading, tuple(shown), tuple(left_out)))
    made += [
        section
        for title, entry in pages
        if entry.place >= BOARDS
        for section in _page_section(title, entry.draws(given))
    ]
    # a model looks the same in all figures of the page
    order = list(dict.fromkeys(r.label for board in boards for r in board.results))
    painted = (
        replace(figure, chart=repaint(figure.chart, order))
        for figure in set_apart(figures_of(made))
    )
    return [replace(s, figures=tuple(islice(painted, len(s.figures)))) for s in made]


def _page_section(title: str, draws: Sequence[Draw]) -> list[DrawnSection]:
    """The section, if there is something in it."""
    figures = tuple(figure for draw in draws for figure in draw.make())
    tables = tuple(table for draw in draws for table in draw.tables)
    return [DrawnSection(title, figures, tables=tables)] if figures or tables else []


def _few_items(board: Board) -> str:
    """A warning for captions if sets have few items."""
    n = min((s.n for r in board.results for s in r.summary.by_set().values()), default=0)
    if n >= FEW_ITEMS or not board.results:
        return ""
    return (
        f" Few items: a {board.unit} has as few as {n}, so single {board.unit}s say little; look "
        "at the intervals."
    )


def figures_of(sections: Sequence[DrawnSection]) -> Iterator[Figure]:
    """All figures, in the order of the page."""
    for section in sections:
        yield from section.figures
