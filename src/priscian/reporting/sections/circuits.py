"""Scores of suites, by circuit and one by one."""

from __future__ import annotations

from priscian.analysis.sg.circuits import analyse_sg_runs
from priscian.reporting.boards import Board
from priscian.reporting.sections.registry import Draw, Given, board_section


@board_section("circuits", kinds={"suites"}, place=10)
def circuits(board: Board, given: Given) -> list[Draw]:
    """One figure of circuits, one of suites."""
    return [Draw("accuracy by circuit and suite", lambda: analyse_sg_runs(board.results).figures)]
