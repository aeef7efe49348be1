"""The table of a run on graded data: BLiMP's criterion, the ADC, correlations with people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from priscian.runs import Result


def graded_table(data: str, results: Sequence[Result]) -> Table | None:
    """Table 1's layout, over all pairs; nothing if the data are not graded."""
    rows = [(r.model, r.summary["graded"]) for r in results if "graded" in r.summary]
    if not rows:
        return None
    deltas = list(rows[0][1].get("adc", ()))
    first = rows[0][1]
    title = f"{data}: {first['pairs']:,} pairs, z over {first['sentences']:,} sentences"
    if not deltas:
        title = f"{data}: {first['pairs']:,} pairs, without ratings"
    made = Table(title=title, min_width=len(title), title_justify="left", title_style="bold")
    made.add_column("model")
    made.add_column("BLiMP", justify="right")
    for delta in deltas:
        made.add_column(f"ADC, δ = {delta}", justify="right")
    if deltas:
        for level in ("r, differences", "r, sentences"):
            made.add_column(level, justify="right")
    for model, graded in rows:
        made.add_row(model, *_cells(graded, deltas))
    return made


def _cells(graded: dict[str, Any], deltas: Sequence[str]) -> list[str]:
    cells = [f"{graded['blimp']['accuracy']:.3f}"]
    cells += [f"{graded['adc'][d]['accuracy']:.3f}" for d in deltas]
    if deltas:
        for level in ("deltas", "sentences"):
            r = graded.get("pearson", {}).get(level)
            cells.append(f"{r['r']:.2f}  {r['ci'][0]:.2f}–{r['ci'][1]:.2f}" if r else "")
    return cells
