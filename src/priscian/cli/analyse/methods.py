"""`priscian analyse methods`: prefix methods against full-sentence choice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from priscian.cli.output import FLAT, Output, grid, percent, points, show

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.blimp.methods import Methods


def methods_command(
    *runs: Path,
    output: Annotated[Output, FLAT] = Output(),  # noqa: B008
) -> None:
    """One-prefix and two-prefix choice against full sentences, on the same pairs.

    Examples:
      priscian analyse methods runs/two
      priscian analyse methods runs/two --figures pictures --json

    Parameters
    ----------
    runs
        Run folders.
    """
    from priscian import analyse

    found = analyse.methods(runs)
    note = (
        "Differences are a method minus full, in points, over the same pairs; same is the share of "
        "pairs that both judge the same."
    )
    show(found, found.as_dict(), output, [_table(found)], [note])


def _table(found: Methods) -> Table:
    made = grid(
        "Methods: accuracy in per cent",
        ["model", "method", "phenomenon", "n", "accuracy", "full", "difference", "same"],
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
