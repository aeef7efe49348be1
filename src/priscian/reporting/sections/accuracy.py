"""Accuracy by field, by phenomenon and by set."""

from __future__ import annotations

from functools import partial

from priscian.analysis.blimp.accuracy_table import By, tables
from priscian.reporting.boards import Board
from priscian.reporting.sections.registry import Draw, Given, board_section

MOST_BY_SET = 8
"""With more models, sets are seen in the heat map: a figure of them all is too tall to read."""
LEVELS: tuple[By, ...] = ("field", "phenomenon")


@board_section("accuracy", kinds={"pairs"}, place=10)
def accuracy(board: Board, given: Given) -> list[Draw]:
    """One figure for each level of the taxonomy, and one for the sets."""
    results = board.results
    method = results[0].methods[0]
    levels = {level for r in results for level in r.levels}

    def draw(by: By) -> Draw:
        what = f"accuracy by {board.unit if by == 'paradigm' else by}"
        table = partial(tables, results, by, method=method)
        return Draw(what, lambda: table().figures)

    draws = [draw(level) for level in LEVELS if level in levels]
    if len(results[0].summary.by_set(method)) > 1 and len(results) <= MOST_BY_SET:
        draws.append(draw("paradigm"))
    return draws
