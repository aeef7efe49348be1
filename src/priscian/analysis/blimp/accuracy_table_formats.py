"""An accuracy table as Markdown, LaTeX and CSV."""

from __future__ import annotations

import re
from collections.abc import Sequence

from priscian.analysis.blimp.accuracy_table import OVERALL, AccuracyTable, Cell
from priscian.analysis.latex import bold, escape_tex, label_of, latex_table
from priscian.analysis.named_results import words
from priscian.files import delimited_text


def to_markdown(table: AccuracyTable) -> str:
    """A table for a README; the notes follow as a list."""
    lines = [
        _md_row([table.by, *(c.name for c in table.columns)]),
        _md_row(["---", *("---:" for _ in table.columns)]),
    ]
    for row in table.rows:
        cells = [_plain(c, "–") for c in row.cells]
        mark = "**" if row.name == OVERALL else ""
        name = row.name if row.name == OVERALL else words(row.name)
        lines.append(_md_row([f"{mark}{_md(name)}{mark}", *(f"{mark}{c}{mark}" for c in cells)]))
    notes = [f"- {_md(note)}" for note in _notes(table)]
    return "\n".join([*lines, "", *notes]) + "\n"


def to_latex(table: AccuracyTable) -> str:
    r"""A `table` with booktabs' rules, ready for `\input`; the best model of a row is bold."""
    ours = [not column.published for column in table.columns]
    rows: list[list[str] | None] = []
    for row in table.rows:
        if row.name == OVERALL and len(table.rows) > 1:
            rows.append(None)
        name = row.name if row.name == OVERALL else words(row.name)
        best = _best(row.cells, ours)
        cells = [_tex_cell(c, number in best) for number, c in enumerate(row.cells)]
        rows.append([escape_tex(name), *cells])
    head = ["", *(escape_tex(column.name) for column in table.columns)]
    caption = escape_tex(f"Accuracy by {table.by}. {'. '.join(map(_sentence, _notes(table)))}.")
    return latex_table(head, rows, caption=caption, label=label_of("tab", "accuracy", table.by))


def _best(cells: Sequence[Cell | None], ours: Sequence[bool]) -> set[int]:
    """The numbers of the best models among several; published figures do not compete."""
    shown = {n: f"{c.accuracy:.3f}" for n, c in enumerate(cells) if c is not None and ours[n]}
    best = max(shown.values(), default="")
    return {n for n, text in shown.items() if text == best} if len(shown) > 1 else set()


def _sentence(note: str) -> str:
    return (note[:1].upper() + note[1:]).rstrip(".")


def to_csv(table: AccuracyTable) -> str:
    """One row for each cell, accuracies from 0 to 1."""
    return delimited_text(table.records())


def _notes(table: AccuracyTable) -> list[str]:
    if not any(c and c.ci for row in table.rows for c in row.cells):
        return list(table.notes)
    from priscian.analysis.blimp.accuracy_table import MADE

    return [f"per cent, with 95 % intervals: {MADE[table.interval]}", *table.notes]


def _plain(cell: Cell | None, dash: str) -> str:
    if cell is None:
        return ""
    text = f"{100 * cell.accuracy:.1f}"
    if cell.ci is not None:
        text += f" ({100 * cell.ci[0]:.1f}{dash}{100 * cell.ci[1]:.1f})"
    return text + (f", {cell.ties} tied" if cell.ties else "")


def _tex_cell(cell: Cell | None, best: bool) -> str:
    text = escape_tex(_plain(cell, "–"))
    return bold(text) if best else text


def _md_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _md(text: str) -> str:
    return re.sub(r"([|*`\\<>])", r"\\\1", text)
