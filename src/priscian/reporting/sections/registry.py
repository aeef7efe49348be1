"""How sections are registered, and how those that the runs allow are drawn.

A module of this package registers a section with a decorator:

    @board_section("distance", kinds={"pairs"}, place=40)
    def distance(board: Board, given: Given) -> list[Draw]: ...

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
from priscian.analysis.transfer.transfer import Transfer
from priscian.analysis.vega import Figure, set_apart
from priscian.catalogue import Catalogue
from priscian.errors import PriscianError
from priscian.reporting.boards import Board
from priscian.reporting.cautions import warned
from priscian.runs import Run


@dataclass(frozen=True, slots=True)
class Table:
    """A small table of a section; the first column names the row."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    below: bool = False
    """Whether it stands below the figures."""
    folded: bool = False
    """Whether it is opened by a click."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Optional figures: what they show, and how they are made; tables beside them."""

    what: str
    make: Callable[[], Sequence[Figure]]
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
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
class Section:
    """Figures under one heading, and a line for each that could not be drawn."""

    title: str
    figures: tuple[Figure, ...]
    left_out: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


EMPTY = "these results have nothing to show in it"
BOARDS = 10
"""Page sections with a smaller place come before the boards."""
BoardDraws = Callable[[Board, Given], Sequence[Draw]]
PageDraws = Callable[[Given], Sequence[Draw]]


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


def make_sections(boards: Sequence[Board], given: Given | None = None) -> list[Section]:
    """Every figure that the runs allow, board by board, with unique names."""
    given = given or Given()
    ordered = sorted(SECTIONS.all().items(), key=lambda entry: entry[1].place)
    made = _page_sections([e for e in ordered if e[1].place < BOARDS], given)
    for board in boards:
        draws = [
            draw
            for _, entry in ordered
            if isinstance(entry, _OfBoard) and board.kind in entry.kinds
            for draw in entry.draws(board, given)
        ]
        figures, reasons = _drawn(draws)
        figures = [warned(figure, board) for figure in figures]
        if len(boards) > 1:
            figures = [replace(f, name=f"{board.id}-{f.name}") for f in figures]
        made.append(Section(board.heading, tuple(figures), tuple(reasons)))
    made += _page_sections([e for e in ordered if e[1].place >= BOARDS], given)
    order = list(dict.fromkeys(r.label for board in boards for r in board.results))
    apart = iter(set_apart(figures_of(made)))
    return [
        replace(s, figures=tuple(_painted(f, order) for f in islice(apart, len(s.figures))))
        for s in made
    ]


def _page_sections(
    entries: Sequence[tuple[str, _OfBoard | _OfPage]], given: Given
) -> list[Section]:
    made = []
    for title, entry in entries:
        if isinstance(entry, _OfPage):
            own = entry.draws(given)
            figures = [figure for draw in own for figure in draw.make()]
            tables = tuple(table for draw in own for table in draw.tables)
            if figures or tables:
                made.append(Section(title, tuple(figures), tables=tables))
    return made


def _painted(figure: Figure, order: Sequence[str]) -> Figure:
    """A model looks the same in all figures of the page."""
    return replace(figure, chart=repaint(figure.chart, order))


def _drawn(draws: Sequence[Draw]) -> tuple[list[Figure], list[str]]:
    figures: list[Figure] = []
    reasons = []
    for draw in draws:
        try:
            made = draw.make()
        except PriscianError as error:
            reasons.append(f"{draw.what}: {error}")
            continue
        figures += [figure for figure in made if figure.rows]
        reasons += [f"{figure.title}: {EMPTY}" for figure in made if not figure.rows]
    return figures, reasons


def figures_of(sections: Sequence[Section]) -> Iterator[Figure]:
    """All figures, in the order of the page."""
    for section in sections:
        yield from section.figures
