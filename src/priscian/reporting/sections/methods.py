"""Prefix methods against full sentences."""

from __future__ import annotations

from priscian.analysis.blimp.methods import compare_methods
from priscian.reporting.boards import Board
from priscian.reporting.cautions import enough
from priscian.reporting.sections.registry import Draw, Given, board_section

WHOLE = "score"
"""The measure of scores that were computed elsewhere, one for each sentence."""


@board_section("methods", kinds={"pairs"}, place=50)
def methods(board: Board, given: Given) -> list[Draw]:
    """The same pairs by each method; scores of whole sentences have no prefixes."""
    results = [r for r in board.results if r.summary.measure != WHOLE]
    return [Draw("methods", lambda: compare_methods(enough(results)).figures)] if results else []
