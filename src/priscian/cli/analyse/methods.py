"""`priscian analyse methods`: prefix methods against full-sentence choice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.cli.analyse.shared import (
    grid,
    percent,
    points,
    print_json,
    read_results,
    tell,
    write_pictures,
)

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.blimp.methods import Methods


def methods_command(
    *runs: Path,
    figures: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """One-prefix and two-prefix choice against full sentences, on the same pairs.

    Examples:
      priscian analyse methods runs/two
      priscian analyse methods runs/two --figures pictures --json

    Parameters
    ----------
    runs
        Run folders.
    figures
        Folder for the figure.
    json_
        Print JSON.
    """
    from priscian.analysis.blimp.methods import compare_methods, methods_figure

    found = compare_methods(read_results(runs))
    write_pictures([methods_figure(found)], figures)
    if json_:
        print_json(found.as_dict())
        return
    note = "Differences are in points, over the same pairs; alike is the share judged alike."
    tell([_table(found)], [note], figures)


def _table(found: Methods) -> Table:
    made = grid(
        "Methods: accuracy in per cent",
        ["model", "method", "phenomenon", "n", "accuracy", "full", "difference", "alike"],
        left=3,
    )
    before = ("", "")
    for row in found.rows:
        if before[0] and before != (row.model, row.method):
            made.add_section()
        before = (row.model, row.method)
        made.add_row(
            row.model,
            row.method,
            row.name,
            f"{row.accuracy.n:,}",
            percent(row.accuracy.as_dict()),
            percent(row.full.as_dict()),
            points(row.difference.difference, row.difference.ci),
            f"{100 * row.same:.1f}",
            style="bold" if row.name == "overall" else None,
        )
    return made
