"""The top of the page: models against benchmarks, who leads, and what stands out, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from priscian.analysis.compare.comparison import CompareOptions, Comparison, compare_results
from priscian.analysis.intervals import covered
from priscian.analysis.named_results import short_names
from priscian.analysis.standing import mostly_tied
from priscian.errors import PriscianError, counted
from priscian.reporting.boards import Board, BoardRow, Cell, class_label
from priscian.runs import GradedSummary, Result

SHOWN = 3
"""Classes, or models, that a sentence names; of more it gives the number."""
MOST_CARDS = 4
"""Up to this many models have a paragraph each."""
RULE = (
    "Below chance: the 95 % interval of a phenomenon or circuit is below chance. At chance: it "
    "includes chance and reaches at most ten points to either side. Cannot be told from chance: it "
    "includes chance and reaches further, so more items are needed. For circuits and SG this "
    "interval is as wide as that of a model that guesses on the same items; the one that is shown "
    "covers other suites and is wider. Strong: the interval that is shown begins above the model's "
    "own mean. Weak: it ends below that mean, and the class is above chance. Where more than half "
    "of the items tie there is no verdict. The three clearest of each are named. Intervals are not "
    "corrected for the number of classes: of twelve equal classes, one stands out by chance in "
    "nearly every other report."
)
WORDS = {
    "strong": "strong on",
    "weak": "weak on",
    "at chance": "at chance on",
    "unsure": "cannot be told from chance on",
    "below": "below chance on",
    "tied": "mostly tied on",
}


@dataclass(frozen=True, slots=True)
class NamedScore:
    """A headline score with its interval."""

    name: str
    data: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class Headline:
    """A model's line at the top."""

    model: str
    label: str
    """The model's name, of many without the beginning that all share."""
    scores: tuple[NamedScore, ...]
    words: tuple[str, ...]


def headlines(boards: Sequence[Board]) -> list[Headline]:
    """One line per model, in the order in which they were scored."""
    found: dict[str, tuple[list[NamedScore], list[str]]] = {}
    for board in boards:
        several = len({result.data for result in board.results}) > 1
        for result, row in zip(board.results, board.models, strict=True):
            scores, said = found.setdefault(result.model, ([], []))
            if row.overall is not None:
                scores.append(NamedScore(board.name, result.data, row.overall))
            if isinstance(result.summary, GradedSummary):  # the ADC at its strictest δ, if rated
                for delta, adc in list(result.summary.graded.adc.items())[:1]:
                    share = Cell(adc.accuracy, 0.0, adc.ci, adc.n, 0)
                    scores.append(NamedScore(f"ADC, δ = {delta}", result.summary.data, share))
            sentence = describe(row, len(board.columns))
            if sentence:
                where = f"{board.name} {result.data}" if several else board.name
                said.append(f"{where}: {sentence}" if several or len(boards) > 1 else sentence)
    short = short_names(list(found))
    return [
        Headline(model, short[model], tuple(scores), tuple(said))
        for model, (scores, said) in found.items()
    ]


def describe(row: BoardRow, classes: int) -> str:
    """How classes stand to chance and to the mean, by intervals; empty if nothing stands out."""
    if row.overall is None or classes < 2:
        return ""
    mean = row.overall.accuracy
    compared = not row.overall.tied
    found: dict[str, list[tuple[float, str]]] = {how: [] for how in WORDS}
    for name, cell in row.classes.items():
        if cell.ci is None:
            continue
        low, high = cell.ci
        away = abs(cell.accuracy - cell.chance)
        if cell.standing == "above":
            if not compared:
                continue
            if low > mean:
                found["strong"].append((mean - cell.accuracy, name))
            elif high < mean:
                found["weak"].append((cell.accuracy - mean, name))
        else:
            found[cell.standing].append((-away if cell.standing == "below" else away, name))
    said = [
        f"{WORDS[how]} {_listed([name for _, name in sorted(names)])}"
        for how, names in found.items()
        if names
    ]
    if not compared:
        said.insert(0, f"most items tie, {row.overall.ties:,} of {row.overall.n:,}")
    return ", ".join(said)


def _listed(names: Sequence[str]) -> str:
    """Phenomena or circuits as written inside a sentence."""
    texts = [class_label(name) for name in names[:SHOWN]]
    shown = [text if text[:2].isupper() else text.lower() for text in texts]
    if len(names) > SHOWN:
        more = len(names) - SHOWN
        shown.append("one more" if more == 1 else f"{more} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A column: a headline score on some data."""

    name: str
    data: str


@dataclass(frozen=True, slots=True)
class RankedScore:
    """A model's score on a benchmark; `best` marks the highest."""

    cell: Cell
    best: bool


@dataclass(frozen=True, slots=True)
class Standings:
    """Models × benchmarks, and a sentence for each benchmark with several models."""

    columns: tuple[Benchmark, ...]
    rows: tuple[tuple[str, tuple[RankedScore | None, ...]], ...]
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
                RankedScore(cell, cell.accuracy == best.get(column) and not cell.tied)
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
    ties = {r.label: r.summary.headline for r in board.results}
    tied = [r for r in board.results if mostly_tied(ties[r.label].ties, ties[r.label].n)]
    others = sorted((r for r in board.results if r not in tied), key=lambda r: -r.overall)
    said = [_lead(board, others)] if others else []
    if tied:
        names = [f"{r.label} ({ties[r.label].ties:,} of {ties[r.label].n:,})" for r in tied[:SHOWN]]
        names += [counted(len(tied) - SHOWN, "other")] if len(tied) > SHOWN else []
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        said.append(f"Not compared on {board.name}, since most items tie: {listed}.")
    return " ".join(said)


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
