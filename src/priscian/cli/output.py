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
    from priscian.analysis.vega import HasFigures

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


def show(
    found: HasFigures, facts: object, output: Output, tables: Sequence[Table], notes: Sequence[str]
) -> None:
    """Write figures if requested, then print JSON, or tables and notes."""
    if output.figures is not None:
        found.write_figures(output.figures)
    if output.json:
        print_json(facts)
        return
    console = out()
    for made in tables:
        console.print(made)
    for note in notes:
        print(note)
    if output.figures is not None:
        print(f"Figures written to {output.figures}")


def print_result(found: AnalysisResult, output: Output, **view: Any) -> None:
    """Write figures if requested, then print JSON, or tables and findings."""
    tables = [] if output.json else [t for t in found.tables(**view) if not t.folded]
    facts = found.as_dict() if output.json else None
    show(found, facts, output, list(map(rich_table, tables)), found.findings)


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


def percent(cell: dict[str, Any]) -> str:
    """`71.2  68.1–74.3`, and how many ties."""
    text = f"{100 * cell['accuracy']:.1f}"
    if "ci" in cell:
        text += f"  {100 * cell['ci'][0]:.1f}–{100 * cell['ci'][1]:.1f}"
    return text + (f"  {cell['ties']} tied" if cell.get("ties") else "")


def points(difference: float, ci: Sequence[float] | None = None) -> str:
    """`+3.1  +1.2 to +5.0`: a difference in percentage points."""
    text = f"{100 * difference:+.1f}"
    return text + (f"  {100 * ci[0]:+.1f} to {100 * ci[1]:+.1f}" if ci is not None else "")
