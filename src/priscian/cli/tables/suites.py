"""Tables of suites on the screen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text as Rich

from priscian.analysis.standing import OVERALL, guess_intervals
from priscian.catalogue import FURTHER
from priscian.cli.tables.scores import score_cell
from priscian.runs import Result, SuitesSummary
from priscian.runs.kinds.suites import SgScore, SuiteScore
from priscian.runs.show import counted
from priscian.stats.interval import Interval

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
    guess = [{} if few else guess_intervals(r) for r in results]
    for name in dict.fromkeys(name for row in rows for name in row):
        cells = [row.get(name) for row in rows]
        first = next(c for c in cells if c)
        shown = (_cell(c, own.get(name)) for c, own in zip(cells, guess, strict=True))
        made.add_row(name, f"{first.n:,}", f"{100 * first.chance:.1f}", *shown)
    made.add_section()
    overall = [s.sg for s in summaries]
    made.add_row(
        _headline(summaries[0]),
        f"{overall[0].n:,}",
        f"{100 * overall[0].chance:.1f}",
        *(_cell(c, guess_intervals(r).get(OVERALL)) for c, r in zip(overall, results, strict=True)),
        style="bold",
    )
    return made


def _headline(summary: SuitesSummary) -> str:
    mean = f"mean of {counted(summary.sg.suites, 'suite')}"
    return mean if set(summary.circuits) == {FURTHER} else f"SG score ({mean})"


def _cell(cell: SuiteScore | SgScore | None, guess: Interval | None) -> Rich:
    return Rich("–", style="dim") if cell is None else score_cell(cell, cell.chance, guess)
