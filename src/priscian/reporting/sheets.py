"""The tables of a report, for any kind of file: boards, formulas of suites, ratings, studies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from priscian.analysis.sg.suite_view import Prediction, prediction_scores
from priscian.analysis.standing import mostly_tied
from priscian.files import hide_paths
from priscian.reporting.boards import Board, Cell, Row, class_label
from priscian.reporting.sections import Table
from priscian.reporting.suite_about import formulas_of
from priscian.runs import GradedSummary
from priscian.runs.facts import Score

ADC = (
    "Acceptability Delta Criterion: per cent of pairs whose difference, in standard deviations, "
    "has people's sign and is less than δ away from theirs; 95 % intervals"
)
RIGHT = "Per cent right; overall with its 95 % interval"
PUBLISHED = "* published figures, on BLiMP's own sentences"
TIED = "tied"
"""In the place of a number where more than half of the items tie."""
CHANCE = "Chance is for a model that knows nothing"


@dataclass(frozen=True, slots=True)
class Entry:
    """A cell: its text, whether it is the best of several models, and a formula below the text."""

    text: str
    best: bool = False
    symbols: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table with its title and notes; `last` rows are separated by a rule."""

    name: str
    """For its label: `pairs-blimp`."""
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()
    last: int = 0
    remarks: tuple[str, ...] = ()
    """Longer notes, which a caption has no room for."""

    def turned(self) -> Sheet:
        """Columns as rows; the last row is the first column of numbers."""
        rows = [
            (Entry(name), *(row[number] for row in self.rows))
            for number, name in enumerate(self.head)
            if number
        ]
        head = ("", *(row[0].text for row in self.rows))
        return replace(self, head=head, rows=(*rows[1:], rows[0]), last=1)


def sheets_of(boards: Sequence[Board], tables: Sequence[Table] = ()) -> list[Sheet]:
    """Every table: models in rows; what has formulas or ratings follows its board."""
    found = []
    for board in boards:
        found.append(board_sheet(board))
        found += adc_sheets(board)
        found += formula_sheets(board)
    return [*found, *map(_other, tables)]


def board_sheet(board: Board) -> Sheet:
    """Models × phenomena or circuits, with the overall score."""
    names = ("", *board.columns)
    cells = [[row.cell(name) for name in names] for row in board.rows]
    best = [_best([row[k] for row in cells], board.rows) for k in range(len(names))]
    rows = [
        (
            Entry(row.label),
            *(
                Entry(_cell(cell, interval=k == 0), number in best[k])
                for k, cell in enumerate(cells[number])
            ),
        )
        for number, row in enumerate(board.rows)
    ]
    notes = [RIGHT]
    if board.kind == "suites":
        chances = [board.chance(name) for name in names]
        rows.append((Entry("chance"), *(Entry(_percent(c)) for c in chances)))
        notes.append(CHANCE)
    if any(row.published for row in board.rows):
        notes.append(PUBLISHED)
    head = ("model", "overall", *map(class_label, board.columns))
    title = f"{board.heading}, {board.size}"
    name = f"{board.kind} {board.data}"
    return Sheet(
        name, title, head, tuple(rows), tuple(notes), remarks=tuple(map(hide_paths, board.notes))
    )


def formula_sheets(board: Board) -> list[Sheet]:
    """By circuit: every formula in words and symbols, and how often it holds for each model."""
    if board.kind != "suites":
        return []
    scores = [prediction_scores(result) for result in board.results]
    found = []
    for circuit, suites in board.classes.items():
        rows = []
        for suite in suites:
            formulas = formulas_of(board.results, suite)
            for n, prediction in enumerate(formulas):
                own = [s[suite][n].whole if len(s.get(suite, ())) > n else None for s in scores]
                name = f"{suite}, {n + 1}" if len(formulas) > 1 else suite
                rows.append(_formula_row(name, prediction, own))
        if rows:
            head = ("suite", "prediction", "chance", *(r.label for r in board.results))
            title = f"{class_label(circuit)}: how often each prediction holds ({board.data})"
            note = "Per cent of items; S is surprisal"
            name = f"predictions {board.data} {circuit}"
            found.append(Sheet(name, title, head, tuple(rows), (note, CHANCE)))
    return found


def _formula_row(
    name: str, prediction: Prediction, scores: Sequence[Score | None]
) -> tuple[Entry, ...]:
    shown = ["" if s is None else _tied(s.ties, s.n) or _percent(s.accuracy) for s in scores]
    best = _highest(shown)
    return (
        Entry(name),
        Entry(prediction.words, symbols=prediction.symbols),
        Entry(_percent(prediction.chance)),
        *(Entry(text, n in best) for n, text in enumerate(shown)),
    )


def adc_sheets(board: Board) -> list[Sheet]:
    """The Acceptability Delta Criterion of each model that was compared with ratings, by δ."""
    found = [
        (result.label, dict(result.summary.graded.adc))
        for result in board.results
        if isinstance(result.summary, GradedSummary) and result.summary.graded.adc
    ]
    if not found:
        return []
    deltas = list(found[0][1])
    best = {d: _highest([_percent(scores[d].accuracy) for _, scores in found]) for d in deltas}
    rows = [
        (Entry(label), *(Entry(_share(scores[d]), n in best[d]) for d in deltas))
        for n, (label, scores) in enumerate(found)
    ]
    head = ("model", *(f"ADC, δ = {delta}" for delta in deltas))
    title = f"People's ratings, {board.data}"
    return [Sheet(f"adc {board.data}", title, head, tuple(rows), (ADC,))]


def _other(table: Table) -> Sheet:
    rows = tuple(tuple(Entry(text) for text in row) for row in table.rows)
    notes = (table.note,) if table.note else ()
    return Sheet(table.title, table.title, table.columns, rows, notes)


def _best(cells: Sequence[Cell | None], rows: Sequence[Row]) -> set[int]:
    """The numbers of the best models; published figures do not compete."""
    competing = zip(cells, rows, strict=True)
    return _highest(
        ["" if row.published else _cell(cell, interval=False) for cell, row in competing]
    )


def _highest(shown: Sequence[str]) -> set[int]:
    """The places of the highest number, if some other number is lower."""
    numbers = {n: float(text) for n, text in enumerate(shown) if text and TIED not in text}
    top = max(numbers.values(), default=0.0)
    best = {n for n, value in numbers.items() if value == top}
    return best if len(best) < sum(map(bool, shown)) else set()


def _cell(cell: Cell | None, *, interval: bool) -> str:
    if cell is None:
        return ""
    tied = _tied(cell.ties, cell.n)
    if tied:
        return tied
    text = _percent(cell.accuracy)
    if not interval or cell.ci is None:
        return text
    return f"{text} ({100 * cell.ci[0]:.1f}–{100 * cell.ci[1]:.1f})"


def _tied(ties: int | None, n: int | None) -> str:
    """What stands in the place of a number if more than half of the items tie."""
    if not mostly_tied(ties, n):
        return ""
    return TIED if ties == n else f"{ties:,} of {n:,} {TIED}"


def _share(score: Score) -> str:
    low, high = score.ci
    return f"{100 * score.accuracy:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"
