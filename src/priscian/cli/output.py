"""Shared by commands: flattened options, JSON, tables, paths of figures."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from priscian.cli.screen import out

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.result import AnalysisResult
    from priscian.analysis.result import Table as AnalysisTable

OVERALL = "overall"
FLAT = Parameter(name="*")
"""A record of options whose fields are options of the command."""
Flag = Annotated[bool, Parameter(negative="")]
"""An option without its opposite."""


@dataclass(frozen=True, slots=True)
class Output:
    """Where the results of an analysis go.

    Parameters
    ----------
    figures
        Folder for the figures, as SVG, PNG and PDF, with their data as CSV.
    json
        Print JSON.
    """

    figures: Path | None = None
    json: bool = False


def print_json(found: object) -> None:
    """Print one line of JSON; NaN and infinity become null."""
    print(json.dumps(_finite(found), ensure_ascii=False, allow_nan=False))


def _finite(found: object) -> object:
    if isinstance(found, float):
        return found if math.isfinite(found) else None
    if isinstance(found, Mapping):
        return {name: _finite(value) for name, value in found.items()}
    return [_finite(value) for value in found] if isinstance(found, list | tuple) else found


def print_result(found: AnalysisResult, output: Output, **view: Any) -> None:
    """Write figures if requested, then print JSON, or tables and findings."""
    if output.figures is not None:
        found.write_figures(output.figures)
    if output.json:
        print_json(found.as_dict())
        return
    console = out()
    for table in found.tables(**view):
        if not table.folded:
            console.print(rich_table(table))
    for line in found.findings:
        print(line)
    if output.figures is not None:
        print(f"Figures written to {output.figures}")


def rich_table(table: AnalysisTable) -> Table:
    """A table for the terminal; rows of means are bold."""
    made = grid(table.title, table.columns, table.names)
    for row in table.rows:
        if row is None:
            made.add_section()
        else:
            means = any(cell.startswith(OVERALL) for cell in row[: table.names])
            made.add_row(*row, style="bold" if means else None)
    return made


def grid(title: str, columns: Sequence[str], left: int = 1) -> Table:
    """An empty table; all but the first columns are aligned to the right."""
    from rich.table import Table

    made = Table(title=title, title_justify="left", title_style="bold", min_width=len(title))
    for number, column in enumerate(columns):
        made.add_column(column, justify="left" if number < left else "right")
    return made
