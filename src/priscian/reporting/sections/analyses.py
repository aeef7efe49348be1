"""The sections that analyses bring themselves: their figures for the results that they pick."""

from __future__ import annotations

from priscian.analysis.registry import Analysis, Section, analysis_sections
from priscian.reporting.boards import Board
from priscian.reporting.cautions import enough
from priscian.reporting.sections.registry import Draw, Given, board_section, page_section


def _add(entry: Analysis, about: Section) -> None:
    def of_board(board: Board, given: Given) -> list[Draw]:
        results = about.pick(board.results)
        draw = Draw(about.title, lambda: entry.function(enough(results)).figures)
        return [draw] if results else []

    def of_page(given: Given) -> list[Draw]:
        results = about.pick([result for run in given.runs for result in run.results])
        return [Draw(about.title, lambda: entry.function(results).figures)] if results else []

    if about.kinds:
        board_section(about.title, kinds=about.kinds, place=about.place)(of_board)
    else:
        page_section(about.title, place=about.place)(of_page)


for _entry in analysis_sections():
    if _entry.section is not None:
        _add(_entry, _entry.section)
