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
FEWEST = 30
"""Fewest items for figures that divide them further, by length, distance or method."""


def limits(runs: Sequence[Run]) -> list[str]:
    """A line for each run of which only the first items of each set were scored."""
    found = []
    for run in runs:
        limit = run.info.request.limit
        if limit is None:
            continue
        name = f" of {run.path.name}" if len(runs) > 1 and run.path else ""
        few = " Most intervals are wide." if limit < FEW_ITEMS else ""
        found.append(
            f"The numbers{name} are for the first {counted(limit, 'item')} of each set "
            f"(--limit {limit}), not for the whole data.{few}"
        )
    return found


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
