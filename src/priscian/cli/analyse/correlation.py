"""`priscian analyse correlation`: models with each other and with people, over paradigms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.cli.output import FLAT, Output, show

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.compare.correlation import Coefficient, Correlations


def correlation_command(
    *runs: Path,
    method: str = "full",
    models_only: Annotated[bool, Parameter(name="--no-published")] = False,
    output: Annotated[Output, FLAT] = Output(),  # noqa: B008
) -> None:
    """Pearson's and Spearman's correlations of accuracies over paradigms or suites.

    Models on BLiMP's paradigms are also compared with the paper's systems and people.

    Examples:
      priscian analyse correlation runs/first runs/second
      priscian analyse correlation runs/first --no-published --json

    Parameters
    ----------
    runs
        Run folders.
    method
        full, one_prefix or two_prefix, for pairs.
    models_only
        Leave out the systems and people of the BLiMP paper.
    """
    from priscian import analyse

    found = analyse.correlation(runs, method=method, published=not models_only)
    tables: list[Table] = []
    notes: list[str] = []
    for kind, correlations in found.items():
        tables += [_matrix(kind, correlations, how) for how in _HOW]
        tables.append(_pairs(correlations))
        notes += [f"{c.a} and {c.b}: {c.why}" for c in correlations.cells if c.why]
    if any(c.published for c in found.values()):
        notes.append("* published, on BLiMP's own data (Warstadt et al. 2020)")
    notes.append("95 % intervals: Fisher's for r, Bonett and Wright's for ρ")
    show(found, found.as_dict(), output, tables, notes)


_HOW: tuple[Coefficient, ...] = ("pearson", "spearman")


def _matrix(kind: str, found: Correlations, how: Coefficient) -> Table:
    from rich.table import Table

    from priscian.analysis.compare.correlation import NAMES

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
