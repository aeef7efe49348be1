"""Sections of a board: accuracy, circuits, comparisons, correlations, graded judgements.

An analysis that brings a section of its own is registered here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

from priscian.analysis.blimp.accuracy_table import By, tables
from priscian.analysis.compare.baseline import baseline_figure
from priscian.analysis.compare.comparison import compare_results
from priscian.analysis.compare.correlation import correlate
from priscian.analysis.registry import Analysis, Section, analysis_sections
from priscian.analysis.sg.circuits import analyse_sg_runs
from priscian.analysis.sg.stability import analyse_stability
from priscian.analysis.vega import Figure
from priscian.errors import DataError, counted
from priscian.reporting.boards import Board
from priscian.reporting.sections import Draw, ReportData, board_section, page_section
from priscian.runs import Result

MOST_BY_SET = 8
"""With more models, sets are seen in the heat map: a figure of them all is too tall to read."""
MOST_COMPARED = 3
"""With more models than this, one figure has all differences, and a baseline is chosen in it."""
FEWEST = 30
"""Fewest items for figures that divide them further, by length, distance or method."""
LEVELS: tuple[By, ...] = ("field", "phenomenon")


@board_section("accuracy", kinds={"pairs"}, place=10)
def accuracy(board: Board, given: ReportData) -> list[Draw]:
    """One figure for each level of the taxonomy, and one for the sets."""
    results = board.results
    method = results[0].methods[0]
    known = {level for r in results for level in r.levels}
    levels: list[By] = [level for level in LEVELS if level in known]
    if len(results[0].summary.by_set(method)) > 1 and len(results) <= MOST_BY_SET:
        levels.append("paradigm")
    draws = []
    for by in levels:
        table = partial(tables, results, by, method=method)
        name = board.unit if by == "paradigm" else by
        draws.append(Draw(f"accuracy by {name}", lambda table=table: table().figures))  # type: ignore[misc]
    return draws


@board_section("circuits", kinds={"suites"}, place=10)
def circuits(board: Board, given: ReportData) -> list[Draw]:
    """One figure of circuits, one of suites."""
    return [Draw("accuracy by circuit and suite", lambda: analyse_sg_runs(board.results).figures)]


@board_section("modifiers", kinds={"suites"}, place=15)
def modifiers(board: Board, given: ReportData) -> list[Draw]:
    """Accuracy of suites without and with an intervening modifier."""
    return [Draw("stability under modifiers", lambda: analyse_stability(board.results).figures)]


@board_section("comparisons", kinds={"pairs", "suites"}, place=20)
def comparisons(board: Board, given: ReportData) -> list[Draw]:
    """All pairs of a few models; of many, one figure in which two are chosen."""
    results = board.results
    if given.curves:
        return []  # a sweep has comparisons of its own, by architecture and size
    if board.kind == "pairs" and len(results[0].summary.by_set(results[0].methods[0])) < 2:
        return []
    if len(results) > MOST_COMPARED:
        return [Draw("differences from a baseline", lambda: [baseline_figure(results)])]

    def compare(number: int, a: Result, b: Result) -> list[Figure]:
        (figure,) = compare_results(a, b, names=(a.label, b.label)).figures
        return [replace(figure, name=f"{figure.name}-{number + 1}" if number else figure.name)]

    return [
        Draw(f"{a.label} against {b.label}", partial(compare, number, a, b))
        for number, (a, b) in enumerate(combinations(results, 2))
    ]


@board_section("correlations", kinds={"pairs", "suites"}, place=30)
def correlations(board: Board, given: ReportData) -> list[Draw]:
    """Whether models, and people, find the same sets hard."""
    results = board.results
    method = results[0].methods[0] if board.kind == "pairs" else "full"
    if board.kind == "pairs" and len(results[0].summary.by_set(method)) < 2:
        return []

    def make() -> Sequence[Figure]:
        found = correlate(results, method=method, names=[r.label for r in results])
        if all(cell.pearson is None for cell in found.cells):
            raise DataError(next((cell.why for cell in found.cells), "there is one model"))
        return found.figures

    return [Draw("correlations", make)]


@board_section("graded judgements", kinds={"pairs", "suites", "labels"}, place=90)
def graded(board: Board, given: ReportData) -> list[Draw]:
    """People's ratings against models' scores, for data with ratings whose files still exist."""
    data = board.results[0].data if board.results else ""
    if data not in given.graded and data not in given.graded_problems:
        return []

    def make() -> Sequence[Figure]:
        if data not in given.graded:
            raise DataError(given.graded_problems[data])
        return given.graded[data].figures

    return [Draw("graded judgements", make)]


def _add(entry: Analysis, about: Section) -> None:
    def of_board(board: Board, given: ReportData) -> list[Draw]:
        results = about.pick(board.results)

        def make() -> Sequence[Figure]:
            n = max((r.summary.headline.n for r in results), default=0)
            if n < FEWEST:
                raise DataError(f"{counted(n, 'item')} are too few; score {FEWEST} or more")
            return entry.function(results).figures

        return [Draw(about.title, make)] if results else []

    def of_page(given: ReportData) -> list[Draw]:
        results = about.pick([result for run in given.runs for result in run.results])
        return [Draw(about.title, lambda: entry.function(results).figures)] if results else []

    if about.kinds:
        board_section(about.title, kinds=about.kinds, place=about.place)(of_board)
    else:
        page_section(about.title, place=about.place)(of_page)


for _entry in analysis_sections():
    if _entry.section is not None:
        _add(_entry, _entry.section)
