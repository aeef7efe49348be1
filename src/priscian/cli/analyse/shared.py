"""What analyses of runs share on the command line: reading, figures, tables, JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.vega import Figure
    from priscian.runs import Result, Run


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """The runs, with a note for each that was not finished."""
    from priscian.cli.open_results import open_runs

    if not paths:
        raise UsageError("name at least one run folder, as priscian score --out made it")
    return open_runs(paths)


def read_results(paths: Sequence[Path]) -> list[Result]:
    """All results of some runs."""
    return [result for run in read_runs(paths) for result in run.results]


def write_pictures(figures: Sequence[Figure], folder: Path | None) -> None:
    """Every figure as SVG, PNG, PDF and CSV, where a folder is given."""
    if folder is not None:
        from priscian.analysis.vega import write_figures

        write_figures(figures, folder)


def print_json(found: object) -> None:
    """One line of JSON."""
    print(json.dumps(found, ensure_ascii=False, allow_nan=False))


def tell(tables: Sequence[Table], notes: Sequence[str], folder: Path | None) -> None:
    """Tables, what is to be said of them, and where the figures are."""
    from priscian.cli.screen import out

    console = out()
    for made in tables:
        console.print(made)
    for note in notes:
        print(note)
    if folder is not None:
        print(f"Figures written to {folder}")


def grid(title: str, columns: Sequence[str], left: int = 1) -> Table:
    """An empty table; all but the first columns are set to the right."""
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
    """`+3.1  +1.2–+5.0`: a difference in percentage points."""
    text = f"{100 * difference:+.1f}"
    return text + (f"  {100 * ci[0]:+.1f} to {100 * ci[1]:+.1f}" if ci is not None else "")
