"""Prefix methods against full sentences."""

from __future__ import annotations

from priscian.analysis.blimp.methods import compare_methods
from priscian.reporting.boards import Board
from priscian.reporting.sections.registry import Draw, Given, board_section


@board_section("methods", kinds={"pairs"}, place=50)
def methods(board: Board, given: Given) -> list[Draw]:
    """The same pairs by each method."""
    return [Draw("methods", lambda: compare_methods(board.results).figures)]
