"""Two models at a time, set by set."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from priscian.analysis.compare.baseline import baseline_figure
from priscian.analysis.compare.comparison import compare_results
from priscian.analysis.vega import Figure
from priscian.reporting.boards import Board
from priscian.reporting.sections.registry import Draw, Given, board_section
from priscian.runs import Result

MOST_COMPARED = 3
"""With more models than this, one figure has all differences, and a baseline is chosen in it."""


@board_section("comparisons", kinds={"pairs", "suites"}, place=20)
def comparisons(board: Board, given: Given) -> list[Draw]:
    """All pairs of a few models; of many, one figure in which two are chosen."""
    results = board.results
    if given.curves:
        return []  # a sweep has comparisons of its own, by architecture and size
    if board.kind == "pairs" and len(results[0].summary.by_set(results[0].methods[0])) < 2:
        return []
    if len(results) > MOST_COMPARED:
        return [Draw("differences from a baseline", lambda: [baseline_figure(results)])]
    pairs = list(combinations(results, 2))
    return [_draw(number, a, b) for number, (a, b) in enumerate(pairs)]


def _draw(number: int, a: Result, b: Result) -> Draw:
    def make() -> list[Figure]:
        (figure,) = compare_results(a, b, names=(a.label, b.label)).figures
        return [replace(figure, name=f"{figure.name}-{number + 1}" if number else figure.name)]

    return Draw(f"{a.label} against {b.label}", make)
