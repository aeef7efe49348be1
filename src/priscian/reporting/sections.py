"""Which figures the runs allow, and why the others are not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from priscian.analysis.blimp.accuracy_tables import accuracy_table, tables_figure
from priscian.analysis.blimp.correlation import correlate, correlation_figure
from priscian.analysis.blimp.distance import analyse_distance, distance_figure
from priscian.analysis.blimp.methods import compare_methods, methods_figure
from priscian.analysis.blimp.shallow import analyse_shallow
from priscian.analysis.blimp.shallow_figures import regression_figure, shallow_figure
from priscian.analysis.compare.comparison import compare
from priscian.analysis.compare.comparison_figure import compare_figure
from priscian.analysis.graded import adc_figures
from priscian.analysis.graded.adc import AdcAnalysis
from priscian.analysis.sg.circuits import analyse_sg_runs, circuits_figure, suites_figure
from priscian.analysis.sg.stability import analyse_stability, stability_figure
from priscian.analysis.vega import Figure
from priscian.errors import DataError, PriscianError
from priscian.reporting.boards import Board
from priscian.runs import Result

MOST_COMPARED = 3
"""With more models than this each is compared with the first alone."""

Draw = Callable[[], list[Figure]]


@dataclass(frozen=True, slots=True)
class Section:
    """Figures under one heading, and a line for each that could not be drawn."""

    title: str
    figures: tuple[Figure, ...]
    left_out: tuple[str, ...]


def make_sections(
    boards: Sequence[Board],
    graded: Mapping[str, AdcAnalysis] | None = None,
    extra: Sequence[Section] = (),
) -> list[Section]:
    """Every figure that the runs allow, board by board, with names of their own."""
    made = []
    for board in boards:
        plans = {"pairs": _of_pairs, "suites": _of_suites, "labels": _of_labels}[board.kind](board)
        for analysis in [(graded or {}).get(e.data) for e in board.results[:1]]:
            if analysis is not None:
                plans = [*plans, ("graded judgements", _adc(analysis))]
        figures, reasons = [], []
        for what, draw in plans:
            try:
                figures += draw()
            except PriscianError as error:
                reasons.append(f"{what}: {error}")
        if len(boards) > 1:
            figures = [replace(f, name=f"{board.id}-{f.name}") for f in figures]
        made.append(Section(board.heading, tuple(figures), tuple(reasons)))
    return [*made, *extra]


def _of_pairs(board: Board) -> list[tuple[str, Draw]]:
    results = board.results
    method = next(iter(results[0].methods))
    levels = {level for r in results for level in r.levels}
    plans: list[tuple[str, Draw]] = []
    for level in ("field", "phenomenon"):
        if level in levels:
            plans.append(
                (f"accuracy by {level}", lambda by=level: [_table(results, by, method)])  # type: ignore[misc]
            )
    if len(results[0].summary.by_set(method)) > 1:
        plans.append((f"accuracy by {board.unit}", lambda: [_table(results, "paradigm", method)]))
        plans += _comparisons(board)
        plans.append(("correlations", lambda: _correlations(results, method)))
    if "phenomenon" in levels:
        plans.append(("distance", lambda: [distance_figure(analyse_distance(results))]))
    plans.append(("methods", lambda: [methods_figure(compare_methods(results))]))
    plans.append(("shallow predictors", lambda: _shallow(results)))
    return plans


def _of_suites(board: Board) -> list[tuple[str, Draw]]:
    results = board.results

    def scores() -> list[Figure]:
        found = analyse_sg_runs(results)
        return [circuits_figure(found), suites_figure(found)]

    return [
        ("accuracy by circuit and suite", scores),
        ("stability to modifiers", lambda: [stability_figure(analyse_stability(results))]),
        *_comparisons(board),
        ("correlations", lambda: _correlations(results, "full")),
    ]


def _of_labels(board: Board) -> list[tuple[str, Draw]]:
    return []


def _table(results: Sequence[Result], by: str, method: str) -> Figure:
    return tables_figure(accuracy_table(results, by, method=method))  # type: ignore[arg-type]


def _comparisons(board: Board) -> list[tuple[str, Draw]]:
    """Two models at a time: all pairs of few, else each against the first."""
    results = board.results
    pairs = list(combinations(results, 2))
    if len(results) > MOST_COMPARED:
        pairs = [(results[0], other) for other in results[1:]]

    def draw(number: int) -> list[Figure]:
        a, b = pairs[number]
        figure = compare_figure(compare(a, b, names=(a.label, b.label)))
        return [replace(figure, name=f"{figure.name}-{number + 1}" if number else figure.name)]

    return [
        (f"{a.label} against {b.label}", lambda number=n: draw(number))  # type: ignore[misc]
        for n, (a, b) in enumerate(pairs)
    ]


def _correlations(results: Sequence[Result], method: str) -> list[Figure]:
    found = correlate(results, method=method)
    if all(cell.pearson is None for cell in found.cells):
        raise DataError(next((cell.why for cell in found.cells), "there is one model"))
    return [correlation_figure(found), correlation_figure(found, "spearman")]


def _shallow(results: Sequence[Result]) -> list[Figure]:
    found = analyse_shallow(results)
    return [shallow_figure(found), regression_figure(found)]


def _adc(analysis: AdcAnalysis) -> Draw:
    return lambda: [draw(analysis) for draw in adc_figures.FIGURES]


def figures_of(sections: Sequence[Section]) -> Iterator[Figure]:
    """All figures, in the order of the page."""
    for section in sections:
        yield from section.figures
