"""People's ratings against models' scores."""

from __future__ import annotations

from priscian.reporting.boards import Board
from priscian.reporting.sections.registry import Draw, Given, board_section


@board_section("graded judgements", kinds={"pairs", "suites", "labels"}, place=90)
def graded(board: Board, given: Given) -> list[Draw]:
    """Only for data with ratings whose files still exist."""
    analysis = given.graded.get(board.results[0].data) if board.results else None
    return [] if analysis is None else [Draw("graded judgements", lambda: analysis.figures)]
