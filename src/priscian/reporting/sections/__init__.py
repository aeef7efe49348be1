"""Sections of the report: one file each, entered by a decorator; a new file is a new section."""

from priscian.reporting.sections.registry import (
    Draw,
    Given,
    Section,
    board_section,
    figures_of,
    make_sections,
    page_section,
)

__all__ = [
    "Draw",
    "Given",
    "Section",
    "board_section",
    "figures_of",
    "make_sections",
    "page_section",
]
