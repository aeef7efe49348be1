"""The tables of a report as Markdown for a README, and as LaTeX for a paper.

Boards, formulas of suites, ratings of people, and the tables of sections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from priscian.analysis.latex import bold, escape_tex, label_of, latex_table, spanning
from priscian.analysis.result import Table
from priscian.analysis.sg.suite_view import prediction_scores
from priscian.analysis.standing import mostly_tied
from priscian.files import hide_paths
from priscian.reporting.boards import Board, Cell, class_label
from priscian.reporting.suites import formulas_of
from priscian.runs import GradedSummary

ADC = (
    "Acceptability Delta Criterion: per cent of pairs whose difference, in standard deviations, "
    "has people's sign and is less than δ away from theirs; 95 % intervals"
)
RIGHT = "Per cent right; overall with its 95 % interval"
PUBLISHED = "* published figures, on BLiMP's own sentences"
TIED = "tied"
"""In the place of a number where more than half of the items tie."""
CHANCE = "Chance is for a model that knows nothing"
NEEDS = "% \\usepackage{booktabs,graphicx}\n"
PROSE = "prediction"
"""The column that holds sentences."""


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
    for table in tables:
        rows = tuple(tuple(Entry(text) for text in row) for row in table.rows if row is not None)
        notes = (table.note,) if table.note else ()
        found.append(Sheet(table.title, table.title, table.columns, rows, notes))
    return found


def board_sheet(board: Board) -> Sheet:
    """Models × phenomena or circuits, with the overall score."""
    names = ("", *board.columns)
    cells = [[row.cell(name) for name in names] for row in board.rows]
    best = [  # published figures do not compete
        _highest(
            [
                "" if row.published else _cell(own[k], interval=False)
                for own, row in zip(cells, board.rows, strict=True)
            ]
        )
        for k in range(len(names))
    ]
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
                shown = [
                    "" if s is None else _tied(s.ties, s.n) or _percent(s.accuracy) for s in own
                ]
                best = _highest(shown)
                row = (
                    Entry(f"{suite}, {n + 1}" if len(formulas) > 1 else suite),
                    Entry(prediction.words, symbols=prediction.symbols),
                    Entry(_percent(prediction.chance)),
                    *(Entry(text, number in best) for number, text in enumerate(shown)),
                )
                rows.append(row)
        if rows:
            head = ("suite", PROSE, "chance", *(r.label for r in board.results))
            title = f"{class_label(circuit)}: how often each prediction holds ({board.data})"
            note = "Per cent of items; S is surprisal"
            name = f"predictions {board.data} {circuit}"
            found.append(Sheet(name, title, head, tuple(rows), (note, CHANCE)))
    return found


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
        (
            Entry(label),
            *(
                Entry(_with_interval(scores[d].accuracy, scores[d].ci), n in best[d])
                for d in deltas
            ),
        )
        for n, (label, scores) in enumerate(found)
    ]
    head = ("model", *(f"ADC, δ = {delta}" for delta in deltas))
    title = f"People's ratings, {board.data}"
    return [Sheet(f"adc {board.data}", title, head, tuple(rows), (ADC,))]


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
    if not interval or cell.ci is None:
        return _percent(cell.accuracy)
    return _with_interval(cell.accuracy, cell.ci)


def _tied(ties: int | None, n: int | None) -> str:
    """What stands in the place of a number if more than half of the items tie."""
    if not mostly_tied(ties, n):
        return ""
    return TIED if ties == n else f"{ties:,} of {n:,} {TIED}"


def _with_interval(share: float, ci: tuple[float, float]) -> str:
    return f"{100 * share:.1f} ({100 * ci[0]:.1f}–{100 * ci[1]:.1f})"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def markdown_tables(boards: Sequence[Board], tables: Sequence[Table] = ()) -> str:
    """Models × phenomena with the overall score, a table for each board; then other tables."""
    found = []
    for sheet in sheets_of(boards, tables):
        lines = [
            f"**{_md(sheet.title)}**",
            "",
            f"| {' | '.join(map(_md, sheet.head))} |",
            "|"
            + "".join(
                " --- |" if n == 0 or name == PROSE else " ---: |"
                for n, name in enumerate(sheet.head)
            ),
            *(f"| {' | '.join(map(_md_entry, row))} |" for row in sheet.rows),
        ]
        if sheet.notes:
            lines += ["", f"{_md('. '.join(note.rstrip('.') for note in sheet.notes))}."]
        if sheet.remarks:
            lines += ["", *(f"- {_md(remark)}" for remark in sheet.remarks)]
        found.append("\n".join(lines) + "\n")
    return "\n".join(found)


def _md_entry(entry: Entry) -> str:
    text = _md(entry.text)
    if entry.symbols:
        text += f"<br>`{entry.symbols.replace('|', '∣').replace('`', '')}`"
    return f"**{text}**" if entry.best and text else text


def _md(text: str) -> str:
    return "".join(f"\\{c}" if c in "|*`\\<>_" else c for c in text)


def tex_tables(boards: Sequence[Board], tables: Sequence[Table] = ()) -> str:
    """A `table` with booktabs' rules for each board; classes are rows, models are columns."""
    found = sheets_of(boards, tables)
    labels = [label_of("tab", sheet.name) for sheet in found]
    apart = [
        f"{label}-{n}" if n else label
        for label, n in ((label, labels[:k].count(label)) for k, label in enumerate(labels))
    ]
    return "\n".join([NEEDS, *map(_tex, found, apart)])


def _tex(sheet: Sheet, label: str) -> str:
    """As a float; a board stands on its side, since papers have more rows than columns.

    Predictions, which are sentences, are said once, above the rows that share them.
    """
    shown = sheet.turned() if sheet.head[:2] == ("model", "overall") else sheet
    prose = shown.head.index(PROSE) if PROSE in shown.head else None
    head = [escape_tex(name) for name in shown.head if name != PROSE]
    ordered = list(shown.rows)
    if prose is not None:
        said_first = list(dict.fromkeys(row[prose] for row in ordered))
        ordered.sort(key=lambda row: said_first.index(row[prose]))
    rows: list[list[str] | None] = []
    above: Entry | None = None
    for number, row in enumerate(ordered):
        if prose is not None and row[prose] != above:
            above = row[prose]
            said = escape_tex(above.text[:1].upper() + above.text[1:])
            symbols = rf"{{\scriptsize {escape_tex(above.symbols)}}}"
            rows += [None] if rows else []
            rows.append([spanning(rf"{said}.\newline{symbols}", len(head))])
        elif number and number == len(ordered) - shown.last:
            rows.append(None)
        texts = [(escape_tex(e.text), e.best) for n, e in enumerate(row) if n != prose]
        rows.append([bold(text) if best else text for text, best in texts])
    caption = ". ".join(text.rstrip(".") for text in (sheet.title, *sheet.notes))
    made = latex_table(
        head, rows, caption=f"{escape_tex(caption)}.", label=label, spans=prose is not None
    )
    return "".join(f"% {' '.join(remark.split())}\n" for remark in sheet.remarks) + made
