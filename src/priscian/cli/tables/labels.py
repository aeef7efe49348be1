"""The table of a run on labelled sentences: threshold and Matthews' correlation by split."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from priscian.metrics.labels import matthews_text
from priscian.runs import LabelsSummary, Result


def label_table(data: str, results: Sequence[Result]) -> Table:
    """Models as rows, splits as columns."""
    rows = [(r.model, r.expect(LabelsSummary).labels) for r in results]
    first = rows[0][1]
    title = f"{data}: Matthews' correlation with experts' labels"
    made = Table(title=title, title_justify="left", title_style="bold", min_width=len(title))
    made.add_column("model")
    made.add_column("threshold", justify="right")
    for name, found in first.sets.items():
        mark = "*" if name == first.chosen_on else ""
        made.add_column(f"{name}{mark}, n = {found.n:,}", justify="right")
    for model, labels in rows:
        cells = (matthews_text(found.mcc, found.ci) for found in labels.sets.values())
        made.add_row(model, f"{labels.threshold:.4g}", *cells)
    made.caption = "* the threshold was chosen here, for the highest correlation"
    return made
