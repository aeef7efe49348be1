"""`priscian analyse correlation`: models with each other and with people, over paradigms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.blimp.correlation import Coefficient, Correlations
    from priscian.runs import Result


def correlation_command(
    *runs: Path,
    method: str = "full",
    published: bool = True,
    figures: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Pearson's and Spearman's correlations of accuracies over paradigms or suites.

    The paper's systems and its people are set beside models that were judged on BLiMP's paradigms.

    Examples:
      priscian analyse correlation runs/first runs/second
      priscian analyse correlation runs/first --no-published --json

    Parameters
    ----------
    runs
        Run folders.
    method
        full, one_prefix or two_prefix, for pairs.
    published
        Set the rows of the BLiMP paper beside the models.
    figures
        Folder for the heat maps, as SVG, PNG and PDF, with their data.
    json_
        Print JSON.
    """
    from priscian.analysis.blimp.correlation import correlate, correlation_figure
    from priscian.cli.open_results import open_runs

    if not runs:
        raise UsageError("no runs; name the folders that priscian score --out made")
    results = [r for run in open_runs(list(runs)) for r in run.results]
    beside = None if published else ()
    found = {
        kind: correlate(members, method=method, beside=beside)
        for kind, members in _by_kind(results).items()
    }
    if figures is not None:
        from dataclasses import replace

        from priscian.analysis.vega import write_figures

        drawn = [(k, correlation_figure(c, how)) for k, c in found.items() for how in _HOW]
        if len(found) > 1:
            drawn = [(kind, replace(f, name=f"{f.name}-{kind}")) for kind, f in drawn]
        write_figures([f for _, f in drawn], figures)
    if json_:
        print(json.dumps({kind: c.as_dict() for kind, c in found.items()}, ensure_ascii=False))
        return
    for kind, correlations in found.items():
        _print(kind, correlations)
    if figures is not None:
        print(f"Written to {figures}")


_HOW: tuple[Coefficient, ...] = ("pearson", "spearman")


def _by_kind(results: list[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for result in results:
        kind = "suites" if result.kind == "suites" else "pairs"
        found.setdefault(kind, []).append(result)
    return found


def _print(kind: str, found: Correlations) -> None:
    from priscian.cli.screen import out

    console = out()
    for how in _HOW:
        console.print(_matrix(kind, found, how))
    if found.published:
        print("* published, on BLiMP's own data (Warstadt et al. 2020)")
    for cell in found.cells:
        if cell.why:
            print(f"{cell.a} and {cell.b}: {cell.why}")
    console.print(_pairs(found))
    print("95 % intervals: Fisher's for r, Bonett and Wright's for ρ")


def _matrix(kind: str, found: Correlations, how: Coefficient) -> Table:
    from rich.table import Table

    from priscian.analysis.blimp.correlation import NAMES

    matrix = found.matrix(how)
    made = Table(title=f"{kind}: {NAMES[how]}", title_justify="left", title_style="bold")
    made.add_column("")
    for number in range(1, len(matrix) + 1):
        made.add_column(str(number), justify="right")
    for number, (name, row) in enumerate(matrix.items(), start=1):
        made.add_row(f"{number} {name}", *("" if r is None else f"{r:.2f}" for r in row.values()))
    return made


def _pairs(found: Correlations) -> Table:
    from rich.table import Table

    made = Table()
    for name in ("", ""):
        made.add_column(name)
    for name in ("sets", "r", "95 %", "ρ", "95 %"):
        made.add_column(name, justify="right")
    for cell in found.cells:
        if cell.pearson is None or cell.spearman is None:
            continue
        if cell.a in found.published and cell.b in found.published:
            continue
        made.add_row(
            cell.a,
            cell.b,
            str(cell.n),
            *(
                part
                for c in (cell.pearson, cell.spearman)
                for part in (f"{c.r:.2f}", f"{c.ci[0]:.2f} to {c.ci[1]:.2f}")
            ),
        )
    return made
