"""Predictors that have nothing to do with grammar."""

from __future__ import annotations

from priscian.analysis.blimp.shallow import analyse_shallow
from priscian.reporting.boards import Board
from priscian.reporting.cautions import enough
from priscian.reporting.sections.registry import Draw, Given, board_section


@board_section("shallow predictors", kinds={"pairs"}, place=60)
def shallow(board: Board, given: Given) -> list[Draw]:
    """Accuracy by bin, and a regression on all predictors."""
    return [Draw("shallow predictors", lambda: analyse_shallow(enough(board.results)).figures)]
