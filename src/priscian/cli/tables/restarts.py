"""Tables of classifiers' restarts on CoLA, beside the published rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from priscian.datasets.cola import OUT_TEST

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.graded.cola import FeatureRange, RestartRow, RestartsAnalysis

CHOSEN = {"dev": "in-domain dev", "paper": "test (as the paper)"}


def print_restarts(found: RestartsAnalysis, features: str) -> None:
    """Restarts on the out-of-domain test set; then one kind of feature, or none."""
    from priscian.cli.screen import out

    console = out()
    console.print(_table(found))
    for line in found.notes:
        print(line)
    if features != "none":
        console.print(_features(found, features))


def _table(found: RestartsAnalysis) -> Table:
    from rich.table import Table

    title = "CoLA, out-of-domain test: Matthews' correlation over restarts"
    made = Table(title=title, title_justify="left", title_style="bold", min_width=len(title))
    made.add_column("model")
    for name in ("restarts", "collapsed", "mean (sd)", "95 %", "unseen", "highest", "ensemble"):
        made.add_column(name, justify="right")
    made.add_column("chosen on, or source")
    for row in (*found.rows, *found.published):
        made.add_row(*_cells(row))
    return made


def _cells(row: RestartRow) -> list[str]:
    return [
        row.model,
        str(row.restarts or ""),
        "" if row.source else str(row.collapsed),
        f"{row.mean:.3f}" + ("" if row.sd is None else f" ({row.sd:.3f})"),
        f"{row.ci[0]:.2f}–{row.ci[1]:.2f}" if row.ci else "",
        f"{row.unseen[OUT_TEST].mean:.3f}" if OUT_TEST in row.unseen else "",
        f"{row.max:.3f}",
        f"{row.ensemble:.3f}",
        row.source or CHOSEN.get(row.select, row.select),
    ]


def _features(found: RestartsAnalysis, kind: str) -> Table:
    from rich.table import Table

    models = found.features[kind]
    made = Table(title=f"by {kind} feature", title_justify="left", title_style="bold")
    made.add_column("feature")
    made.add_column("n", justify="right")
    for name in models:
        made.add_column(name, justify="right")
    first = next(iter(models.values()))
    for feature, cell in first.items():
        made.add_row(feature, str(cell.n), *(_range(m[feature]) for m in models.values()))
    return made


def _range(cell: FeatureRange) -> str:
    if cell.mean is None or cell.range is None:
        return "–"
    low, high = cell.range
    return f"{cell.mean:.2f}" + ("" if low == high else f"  {low:.2f}–{high:.2f}")
