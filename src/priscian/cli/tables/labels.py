"""The table of a run on labelled sentences: threshold and Matthews' correlation by split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from priscian.runs import Result


def label_table(data: str, results: Sequence[Result]) -> Table | None:
    """Models as rows, splits as columns; nothing if the data have no labels."""
    rows = [(r.model, r.summary["labels"]) for r in results if "labels" in r.summary]
    if not rows:
        return None
    first = rows[0][1]
    title = f"{data}: Matthews' correlation with experts' labels"
    made = Table(title=title, title_justify="left", title_style="bold", min_width=len(title))
    made.add_column("model")
    made.add_column("threshold", justify="right")
    for name, found in first["sets"].items():
        mark = "*" if name == first["chosen_on"] else ""
        made.add_column(f"{name}{mark}, n = {found['n']:,}", justify="right")
    for model, labels in rows:
        made.add_row(model, f"{labels['threshold']:.4g}", *map(cell, labels["sets"].values()))
    made.caption = "* the threshold was chosen here, for the highest correlation"
    return made


def cell(found: Mapping[str, Any]) -> str:
    """A correlation and its interval, or why there is none."""
    if found["mcc"] is None:
        return "one label"
    if found["ci"] is None:
        return f"{found['mcc']:.3f}  – (all called alike)"
    return f"{found['mcc']:.3f}  {found['ci'][0]:.2f}–{found['ci'][1]:.2f}"
