"""The top of the page: models against benchmarks in one table, and who leads, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from priscian.analysis.compare.comparison import (
    CompareOptions,
    Comparison,
    compare_results,
)
from priscian.analysis.intervals import covered
from priscian.analysis.standing import mostly_tied
from priscian.errors import PriscianError, counted
from priscian.reporting.boards import Board, Cell
from priscian.reporting.headline import Headline
from priscian.runs import Result

NAMED = 3
"""Models that a sentence names; of more it gives the number."""
MOST_CARDS = 4
"""Up to this many models have a paragraph each."""


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
    best: dict[Benchmark, float] = {}
    for column in columns:
        shares = [c.accuracy for (_, at), c in cells.items() if at == column and not c.tied]
        if len(shares) > 1:
            best[column] = max(shares)
    rows = tuple(
        (
            line.label,
            tuple(
                Place(cell, cell.accuracy == best.get(column) and not cell.tied)
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
    """Who leads on a board, by how much, and whether it is significant; empty for one model.

    A model most of whose items tie is not compared: its score is that of the tie rule.
    """
    if len(board.results) < 2:
        return ""
    tied = [r for r in board.results if mostly_tied(*_ties(r))]
    others = sorted((r for r in board.results if r not in tied), key=lambda r: -r.overall)
    said = [_lead(board, others)] if others else []
    return " ".join([*said, *([_not_compared(board, tied)] if tied else [])])


def _lead(board: Board, ordered: Sequence[Result]) -> str:
    first = ordered[0]
    if len(ordered) == 1:
        return f"{first.label} has {_share(first)} on {board.name}."
    second = ordered[1]
    if first.overall == second.overall:
        return f"{first.label} and {second.label} are level on {board.name}, {_share(first)}."
    start = f"{first.label} leads on {board.name} with {_share(first)}"
    try:
        found = _compared(first, second)
    except PriscianError:
        points = 100 * (first.overall - second.overall)
        other = "they were scored on different items, so " * (first.hashes != second.hashes)
        return (
            f"{start}, {points:.1f} points above {second.label}; {other}the difference is not "
            "tested."
        )
    if found.overlap.complete:
        return f"{start}, {_by_how_much(found, board.unit, first, second)}"
    return (
        f"{first.label} has the highest accuracy on {board.name}, {_share(first)}. On the "
        f"{counted(found.overlap.shared, 'item')} that {second.label} has too, it is "
        f"{_by_how_much(found, board.unit, first, second)}"
    )


def _ties(result: Result) -> tuple[int, int]:
    return result.summary.headline.ties, result.summary.headline.n


def _not_compared(board: Board, tied: Sequence[Result]) -> str:
    parts = [f"{r.label} ({_ties(r)[0]:,} of {_ties(r)[1]:,})" for r in tied[:NAMED]]
    parts += [counted(len(tied) - NAMED, "other")] if len(tied) > NAMED else []
    names = " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
    return f"Not compared on {board.name}, since most items tie: {names}."


def _compared(first: Result, second: Result, resample: str | None = None) -> Comparison:
    options = CompareOptions(resample=resample)
    return compare_results(first, second, options, names=(first.label, second.label))


def _share(result: Result) -> str:
    return f"{100 * result.overall:.1f} %"


def _by_how_much(found: Comparison, unit: str, first: Result, second: Result) -> str:
    """The difference with the intervals that the scores have: for other items, and other sets."""
    wider = found.overall
    if wider.resample == "items" and wider.sets > 1:
        wider = _compared(first, second, "both").overall
    intervals = list(dict.fromkeys([found.overall, wider]))
    ranges = [
        f"{_points(d.ci[0])} to {_points(d.ci[1])} for {covered(d.resample, unit)}"
        for d in intervals
    ]
    sure = [d.ci[0] > 0 or d.ci[1] < 0 for d in intervals]
    if all(sure):
        says = "significant at 5 %"
    elif sure[0]:
        says = f"significant at 5 % on these {unit}s, but not for other {unit}s"
    else:
        says = "not significant: the interval includes 0"
    difference = found.overall.difference
    side = "above" if difference >= 0 else "below"
    return (
        f"{abs(100 * difference):.1f} points {side} {found.b} (95 % interval "
        f"{', '.join(ranges)}): {says}."
    )


def _points(share: float) -> str:
    return f"{100 * share:.1f}".replace("-", "−")
