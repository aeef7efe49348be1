"""Agreement at a distance and across attractors."""

from __future__ import annotations

from priscian.analysis.blimp.distance import analyse_distance
from priscian.reporting.boards import Board
from priscian.reporting.cautions import enough
from priscian.reporting.sections.registry import Draw, Given, board_section


@board_section("distance", kinds={"pairs"}, place=40)
def distance(board: Board, given: Given) -> list[Draw]:
    """Only for data whose sets have phenomena."""
    if not any("phenomenon" in r.levels for r in board.results):
        return []
    return [Draw("distance", lambda: analyse_distance(enough(board.results)).figures)]
