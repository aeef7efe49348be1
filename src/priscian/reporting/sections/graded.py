"""People's ratings against models' scores."""

from __future__ import annotations

from priscian.analysis.vega import Figure
from priscian.errors import DataError
from priscian.reporting.boards import Board
from priscian.reporting.sections.registry import Draw, Given, board_section


@board_section("graded judgements", kinds={"pairs", "suites", "labels"}, place=90)
def graded(board: Board, given: Given) -> list[Draw]:
    """Only for data with ratings whose files still exist."""
    data = board.results[0].data if board.results else ""
    analysis = given.graded.get(data)
    if analysis is not None:
        return [Draw("graded judgements", lambda: analysis.figures)]
    problem = given.graded_problems.get(data)
    return [Draw("graded judgements", lambda: _fail(problem))] if problem else []


def _fail(problem: str) -> list[Figure]:
    raise DataError(problem)
