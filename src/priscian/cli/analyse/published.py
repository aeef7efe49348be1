"""`priscian analyse published`: means of a released table of accuracies by paradigm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from priscian.cli.output import print_json
from priscian.runs.show import counted


def published_command(
    file: Path,
    /,
    *,
    json_: Annotated[bool, Parameter(name="--json")] = False,
) -> None:
    """Unweighted means over paradigms, by phenomenon and overall, of a table like BLiMP's.

    Example:
      priscian analyse published blimp/models_summary.jsonl

    Parameters
    ----------
    file
        JSONL with UID, linguistics_term and a share of right choices for each system.
    json_
        Print JSON.
    """
    from priscian import analyse

    found = analyse.published(file)
    if json_:
        print_json(found.as_dict())
        return
    from rich.table import Table

    from priscian.cli.screen import out

    means = {system: found.means(system) for system in found.accuracies}
    made = Table(title=counted(len(found.phenomena), "paradigm"), title_justify="left")
    made.add_column("")
    for system in means:
        made.add_column(system, justify="right")
    groups = sorted({name for column in means.values() for name in column} - {"overall"})
    for group in (*groups, "overall"):
        if group == "overall":
            made.add_section()
        made.add_row(
            group,
            *(f"{100 * m[group]:.1f}" if group in m else "" for m in means.values()),
            style="bold" if group == "overall" else "",
        )
    out().print(made)
