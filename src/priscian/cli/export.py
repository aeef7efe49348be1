"""`priscian export`: a run in the file formats of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from priscian.bridges.exports import export
from priscian.runs import load_run
from priscian.runs.record import EXPORTS


def export_command(
    run: Path,
    *,
    format_: Annotated[
        Literal["lm-eval", "babylm", "syntaxgym", "csv"], Parameter(name=("--format", "-f"))
    ],
    out: Path | None = None,
) -> None:
    """Write a run as lm-evaluation-harness results, BabyLM predictions, evaluated suites or CSV.

    Examples:
      priscian export runs/two --format csv
      priscian export runs/two --format lm-eval --out results/

    Parameters
    ----------
    run
        A run folder.
    format_
        lm-eval, babylm, syntaxgym or csv.
    out
        Folder to write to; by default RUN/export/FORMAT.
    """
    made = export(load_run(run), format_, out or run / EXPORTS / format_)
    for path in made[:5]:
        print(path)
    if len(made) > 5:
        print(f"… and {len(made) - 5} more")
