"""Tables of suites on the screen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text as Rich

from priscian.catalogue import FURTHER
from priscian.runs import Result, SuitesSummary
from priscian.runs.kinds.suites import SgScore, SuiteScore
from priscian.runs.show import counted

FEW = 14
"""Up to this many suites are shown one by one; more are shown by circuit only."""


def suites_table(data: str, results: Sequence[Result]) -> Table:
    """SG score, circuits and, if there are few, suites; in per cent with 95 % intervals."""
    made = Table(
        title=f"{data}: syntactic generalization", title_justify="left", title_style="bold"
    )
    made.add_column("")
    made.add_column("n", justify="right")
    made.add_column("chance", justify="right", style="dim")
    for result in results:
        made.add_column(result.model, justify="right")
    summaries = [r.expect(SuitesSummary) for r in results]
    few = len(summaries[0].suites) <= FEW
    rows = [s.suites if few else s.circuits for s in summaries]
    for name in dict.fromkeys(name for row in rows for name in row):
        cells = [row.get(name) for row in rows]
        first = next(c for c in cells if c)
        made.add_row(name, f"{first.n:,}", f"{100 * first.chance:.1f}", *(_cell(c) for c in cells))
    made.add_section()
    overall = [s.sg for s in summaries]
    made.add_row(
        _headline(summaries[0]),
        f"{overall[0].n:,}",
        f"{100 * overall[0].chance:.1f}",
        *(_cell(c) for c in overall),
        style="bold",
    )
    return made


def _headline(summary: SuitesSummary) -> str:
    mean = f"mean of {counted(summary.sg.suites, 'suite')}"
    return mean if set(summary.circuits) == {FURTHER} else f"SG score ({mean})"


def _cell(cell: SuiteScore | SgScore | None) -> Rich:
    if cell is None:
        return Rich("–", style="dim")
    low, high = cell.ci
    chance = cell.chance
    colour = "green" if low > chance else "red" if high < chance else "yellow"
    text = Rich(f"{100 * cell.accuracy:5.1f}", style=colour)
    text.append(f"  {100 * low:.1f}–{100 * high:.1f}", style="dim")
    if cell.ties:
        text.append(f"  {cell.ties} tied", style="magenta")
    return text
