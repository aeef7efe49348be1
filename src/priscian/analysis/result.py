"""What an analysis returns: a record with tables, figures and findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from priscian.analysis.vega import HasFigures
from priscian.runs.choose import Choice

Runs = Choice | Iterable[Choice]
"""Run folders, runs in memory or results."""
OVERALL = "overall"


class Table(Struct, frozen=True):
    """A table to be read: its cells are text, None in place of a row is a rule."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...] | None, ...]
    note: str = ""
    names: int = 1
    """How many columns have names, and begin at the left; the others have numbers."""
    below: bool = False
    """On a page: whether it stands below the figures."""
    folded: bool = False
    """On a page: whether it is opened by a click. Not printed."""


def percent(cell: Any) -> str:
    """`71.2  68.1–74.3`, and how many ties: a score with an interval, if it has one."""
    text = f"{100 * cell.accuracy:.1f}"
    if cell.ci is not None:
        text += f"  {100 * cell.ci[0]:.1f}–{100 * cell.ci[1]:.1f}"
    return text + (f"  {cell.ties} tied" if getattr(cell, "ties", None) else "")


def points(difference: float, ci: Sequence[float] | None = None) -> str:
    """`+3.1  +1.2 to +5.0`: a difference in percentage points."""
    text = f"{100 * difference:+.1f}"
    return text + (f"  {100 * ci[0]:+.1f} to {100 * ci[1]:+.1f}" if ci is not None else "")


class AnalysisResult(Struct, HasFigures, frozen=True):
    """What an analysis has found."""

    def tables(self) -> list[Table]:
        """What is printed."""
        raise NotImplementedError

    @property
    def findings(self) -> Sequence[str]:
        """Sentences that the numbers support, and what a reader must know."""
        return ()

    def formatted(self, form: str) -> str:
        """The tables as text of some form, for the analyses that have `formats`."""
        raise NotImplementedError
