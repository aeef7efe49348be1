"""An accuracy table as Markdown, LaTeX and CSV."""

from __future__ import annotations

import re

from priscian.analysis.blimp.accuracy_table import OVERALL, AccuracyTable, Cell
from priscian.analysis.named_results import words
from priscian.files import delimited_text

_TEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def to_markdown(table: AccuracyTable) -> str:
    """A table for a README; the notes follow as a list."""
    lines = [
        _md_row([table.by, *(c.name for c in table.columns)]),
        _md_row(["---", *("---:" for _ in table.columns)]),
    ]
    for row in table.rows:
        cells = [_plain(c, "–") for c in row.cells]
        mark = "**" if row.name == OVERALL else ""
        name = "mean of paradigms" if row.name == OVERALL else words(row.name)
        lines.append(_md_row([f"{mark}{_md(name)}{mark}", *(f"{mark}{c}{mark}" for c in cells)]))
    notes = [f"- {_md(note)}" for note in _notes(table)]
    return "\n".join([*lines, "", *notes]) + "\n"


def to_latex(table: AccuracyTable) -> str:
    r"""A `tabular` with booktabs' rules, ready for `\input`; the notes are comments."""
    lines = [
        *(f"% {note}" for note in _notes(table)),
        rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(["", *(escape_tex(c.name) for c in table.columns)]) + r" \\",
        r"\midrule",
    ]
    for row in table.rows:
        if row.name == OVERALL and len(table.rows) > 1:
            lines.append(r"\midrule")
        name = "mean of paradigms" if row.name == OVERALL else words(row.name)
        cells = [_tex_cell(c) for c in row.cells]
        lines.append(" & ".join([escape_tex(name), *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def to_csv(table: AccuracyTable) -> str:
    """One row for each cell, accuracies from 0 to 1."""
    return delimited_text(table.records())


def escape_tex(text: str) -> str:
    r"""Text that LaTeX prints unchanged.

    >>> escape_tex("a_b & 50%")
    'a\\_b \\& 50\\%'
    """
    return "".join(_TEX.get(c, c) for c in text)


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


def _tex_cell(cell: Cell | None) -> str:
    return escape_tex(_plain(cell, "--"))


def _md_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _md(text: str) -> str:
    return re.sub(r"([|*`\\<>])", r"\\\1", text)
