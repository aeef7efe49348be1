"""Whether models, and people, find the same sets hard."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.analysis.compare.correlation import correlate
from priscian.analysis.vega import Figure
from priscian.errors import DataError
from priscian.reporting.boards import Board
from priscian.reporting.sections.registry import Draw, Given, board_section


@board_section("correlations", kinds={"pairs", "suites"}, place=30)
def correlations(board: Board, given: Given) -> list[Draw]:
    """Pearson's and Spearman's correlations over sets."""
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
