"""Sections of the report: one file each, registered by a decorator."""

from priscian.reporting.sections.registry import (
    Draw,
    Given,
    Section,
    Table,
    board_section,
    figures_of,
    make_sections,
    page_section,
)

__all__ = [
    "Draw",
    "Given",
    "Section",
    "Table",
    "board_section",
    "figures_of",
    "make_sections",
    "page_section",
]
