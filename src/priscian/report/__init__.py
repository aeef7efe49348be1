"""One self-contained page of what models know, and the same as Markdown and LaTeX tables."""

from __future__ import annotations

from priscian.report.formats import markdown_tables, tex_tables
from priscian.report.page import Page, build_page
from priscian.report.source import Entry, Source

__all__ = ["Entry", "Page", "Source", "build_page", "markdown_tables", "tex_tables"]
