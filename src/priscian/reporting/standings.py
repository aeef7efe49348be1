"""The top of the page: models against benchmarks in one table, and who leads, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from priscian.analysis.compare.comparison import Comparison, compare_results
from priscian.errors import PriscianError, counted
from priscian.reporting.boards import Board, Cell
from priscian.reporting.headline import Headline
from priscian.runs import Result

MOST_CARDS = 4
"""Up to so many models have a paragraph each."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A column: a headline score on some data."""

    name: str
    data: str


@dataclass(frozen=True, slots=True)
class Place:
    """A model's score on a benchmark; `best` marks the highest."""

    cell: Cell
    best: bool


@dataclass(frozen=True, slots=True)
class Standings:
    """Models × benchmarks, and a sentence for each benchmark with several models."""

    columns: tuple[Benchmark, ...]
    rows: tuple[tuple[str, tuple[Place | None, ...]], ...]
    leads: tuple[str, ...]
    shared: str = ""
    """The beginning of all names that is not repeated."""


def standings(boards: Sequence[Board], lines: Sequence[Headline]) -> Standings:
    """The table of all headline scores, and who leads on each board."""
    columns = tuple(dict.fromkeys(Benchmark(s.name, s.data) for line in lines for s in line.scores))
    cells = {(line.model, Benchmark(s.name, s.data)): s.cell for line in lines for s in line.scores}
    best = {
        column: max(c.accuracy for (_, where), c in cells.items() if where == column)
        for column in columns
    }
    several = len(lines) > 1
    rows = tuple(
        (
            line.label,
            tuple(
                Place(cell, several and cell.accuracy == best[column] and not cell.tied)
                if (cell := cells.get((line.model, column))) is not None
                else None
                for column in columns
            ),
        )
        for line in lines
    )
    leads = tuple(said for board in boards if (said := leader(board)))
    first = lines[0] if lines else None
    shared = first.model.removesuffix(first.label) if first else ""
    return Standings(columns, rows, leads, shared)


def leader(board: Board) -> str:
    """Who leads on a board, by how much, and whether it is significant; empty for one model."""
    ordered = sorted(board.results, key=lambda r: -r.overall)
    if len(ordered) < 2:
        return ""
    first, second = ordered[:2]
    if first.overall == second.overall:
        return f"{first.label} and {second.label} are level on {board.name}, {_share(first)}."
    start = f"{first.label} leads on {board.name} with {_share(first)}"
    try:
        found = compare_results(first, second, names=(first.label, second.label))
    except PriscianError:
        points = 100 * (first.overall - second.overall)
        return (
            f"{start}, {points:.1f} points above {second.label}; they were scored on different "
            "items, so the difference is not tested."
        )
    if found.overlap.complete:
        return f"{start}, {_by_how_much(found)}"
    return (
        f"{first.label} has the highest accuracy on {board.name}, {_share(first)}. On the "
        f"{counted(found.overlap.shared, 'item')} that {second.label} has too, it is "
        f"{_by_how_much(found)}"
    )


def _share(result: Result) -> str:
    return f"{100 * result.overall:.1f} %"


def _by_how_much(found: Comparison) -> str:
    difference, (low, high) = found.overall.difference, found.overall.ci
    sure = low > 0 or high < 0
    says = "significant at 5 %" if sure else "not significant: the interval includes 0"
    side = "above" if difference >= 0 else "below"
    return (
        f"{abs(100 * difference):.1f} points {side} {found.b} (95 % interval {_points(low)} to "
        f"{_points(high)}): {says}."
    )


def _points(share: float) -> str:
    return f"{100 * share:.1f}".replace("-", "−")
