"""What a reader must know before the numbers: parts of data, few items, missing comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from priscian.analysis.vega import Figure
from priscian.errors import DataError
from priscian.reporting.boards import Board
from priscian.runs import GradedSummary, Result, Run
from priscian.runs.show import counted

FEW_ITEMS = 20
"""With fewer items in a set, its figure carries a warning: an interval spans 40 points or more."""
NAMED = 3
"""Runs that a warning names; of more it gives the number."""
FEWEST = 30
"""Fewest items for figures that divide them further, by length, distance or method."""


def limits(runs: Sequence[Run]) -> list[str]:
    """A line for each limit, if only the first items of each set were scored in some runs."""
    limited: dict[int, list[str]] = {}
    for run in runs:
        limit = run.info.request.limit
        if limit is not None:
            limited.setdefault(limit, []).append(run.path.name if run.path else "a run")
    found = []
    for limit, names in limited.items():
        name = "" if len(names) == len(runs) else f" of {_listed(names)}"
        few = " Most intervals are wide." if limit < FEW_ITEMS else ""
        found.append(
            f"The numbers{name} are for the first {counted(limit, 'item')} of each set "
            f"(--limit {limit}), not for the whole data.{few}"
        )
    return found


def _listed(names: Sequence[str]) -> str:
    """A few names, and how many more there are."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {counted(more, 'more run')}" if more > 0 else "")


def smallest_set(results: Sequence[Result]) -> int:
    """The number of items in the smallest set of some results."""
    return min((s.n for r in results for s in r.summary.by_set().values()), default=0)


def warned(figure: Figure, board: Board) -> Figure:
    """The figure, with a warning in its caption if sets have few items."""
    n = smallest_set(board.results)
    if n >= FEW_ITEMS or not board.results:
        return figure
    says = (
        f" Few items: a {board.unit} has as few as {n}, so single {board.unit}s say little; look "
        "at the intervals."
    )
    return replace(figure, caption=figure.caption + says)


def enough(results: Sequence[Result]) -> Sequence[Result]:
    """The results, if they have enough items to be divided further; else a DataError."""
    n = max((r.summary.headline.n for r in results), default=0)
    if n < FEWEST:
        raise DataError(f"{counted(n, 'item')} are too few; score {FEWEST} or more")
    return results


def about_adc(results: Sequence[Result], problems: Mapping[str, str]) -> str:
    """On how many sentences the ADC rests, where figures of it are missing and why."""
    parts = []
    rated = {r.data: r.summary for r in results if isinstance(r.summary, GradedSummary)}
    for data, summary in rated.items():
        if summary.graded.adc:
            parts.append(
                f"On {data}: {counted(summary.graded.rated_pairs, 'pair')}, standard deviations "
                f"over {counted(summary.graded.sentences, 'sentence')}."
            )
        if data in problems:
            parts.append(f"Its figures are missing: {problems[data]}.")
    return " ".join(parts)
