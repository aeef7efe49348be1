"""One self-contained page about what models know, and its tables as Markdown and LaTeX."""

from __future__ import annotations

from priscian.reporting.make_report import ReportOptions, report, report_tables
from priscian.reporting.page import Page, build_page
from priscian.reporting.tables import markdown_tables, tex_tables

__all__ = [
    "Page",
    "ReportOptions",
    "build_page",
    "markdown_tables",
    "report",
    "report_tables",
    "tex_tables",
]
