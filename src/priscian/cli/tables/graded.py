"""The table of a run on graded data: BLiMP's criterion, the ADC, correlations with people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from priscian.runs import GradedSummary, Result
from priscian.runs.kinds.graded import GradedScores
from priscian.runs.show import counted


def graded_table(data: str, results: Sequence[Result]) -> Table:
    """Table 1's layout, over all pairs."""
    rows = [(r.model, r.expect(GradedSummary).graded) for r in results]
    first = rows[0][1]
    deltas = list(first.adc)
    title = f"{data}: {counted(first.pairs, 'pair')}, z over {counted(first.sentences, 'sentence')}"
    if not deltas:
        title = f"{data}: {counted(first.pairs, 'pair')}, without ratings"
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


def _cells(graded: GradedScores, deltas: Sequence[str]) -> list[str]:
    cells = [f"{graded.blimp.accuracy:.3f}"]
    cells += [f"{graded.adc[d].accuracy:.3f}" if d in graded.adc else "" for d in deltas]
    if deltas:
        for level in ("deltas", "sentences"):
            r = graded.pearson.get(level)
            cells.append(f"{r.r:.2f}  {r.ci[0]:.2f}–{r.ci[1]:.2f}" if r else "")
    return cells
