"""Suites and their versions with an intervening modifier."""

from __future__ import annotations

from priscian.analysis.sg.stability import analyse_stability
from priscian.reporting.boards import Board
from priscian.reporting.sections.registry import Draw, Given, board_section


@board_section("modifiers", kinds={"suites"}, place=15)
def modifiers(board: Board, given: Given) -> list[Draw]:
    """Accuracy without and with a modifier."""
    return [Draw("stability under modifiers", lambda: analyse_stability(board.results).figures)]
