"""The tables of a report as Markdown for a README, and as LaTeX for a paper."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.analysis.latex import bold, escape_tex, label_of, latex_table, spanning
from priscian.reporting.boards import Board
from priscian.reporting.sections import Table
from priscian.reporting.sheets import Entry, Sheet, sheets_of

NEEDS = "% \\usepackage{booktabs,graphicx}\n"
PROSE = "prediction"
"""The column that holds sentences."""


def markdown_tables(boards: Sequence[Board], tables: Sequence[Table] = ()) -> str:
    """Models × phenomena with the overall score, a table for each board; then other tables."""
    return "\n".join(map(_markdown, sheets_of(boards, tables)))


def tex_tables(boards: Sequence[Board], tables: Sequence[Table] = ()) -> str:
    """A `table` with booktabs' rules for each board; classes are rows, models are columns."""
    found = sheets_of(boards, tables)
    labels = [label_of("tab", sheet.name) for sheet in found]
    apart = [
        f"{label}-{n}" if n else label
        for label, n in ((label, labels[:k].count(label)) for k, label in enumerate(labels))
    ]
    return "\n".join([NEEDS, *map(_tex, found, apart)])


def _markdown(sheet: Sheet) -> str:
    texts = [n == 0 or name == PROSE for n, name in enumerate(sheet.head)]
    lines = [
        f"**{_md(sheet.title)}**",
        "",
        f"| {' | '.join(map(_md, sheet.head))} |",
        "|" + "".join(" --- |" if is_text else " ---: |" for is_text in texts),
        *(f"| {' | '.join(map(_md_entry, row))} |" for row in sheet.rows),
    ]
    if sheet.notes:
        lines += ["", f"{_md('. '.join(note.rstrip('.') for note in sheet.notes))}."]
    if sheet.remarks:
        lines += ["", *(f"- {_md(remark)}" for remark in sheet.remarks)]
    return "\n".join(lines) + "\n"


def _md_entry(entry: Entry) -> str:
    text = _md(entry.text)
    if entry.symbols:
        text += f"<br>`{entry.symbols.replace('|', '∣').replace('`', '')}`"
    return f"**{text}**" if entry.best and text else text


def _tex(sheet: Sheet, label: str) -> str:
    """As a float; a board stands on its side, since papers have more rows than columns."""
    shown = sheet.turned() if sheet.head[:2] == ("model", "overall") else sheet
    spans = PROSE in shown.head
    head = [escape_tex(name) for name in shown.head if name != PROSE]
    rows = _tex_said(shown, len(head)) if spans else _tex_rows(shown)
    caption = ". ".join(text.rstrip(".") for text in (sheet.title, *sheet.notes))
    made = latex_table(head, rows, caption=f"{escape_tex(caption)}.", label=label, spans=spans)
    return "".join(f"% {' '.join(remark.split())}\n" for remark in sheet.remarks) + made


def _tex_rows(sheet: Sheet) -> list[list[str] | None]:
    rows: list[list[str] | None] = [[_tex_entry(entry) for entry in row] for row in sheet.rows]
    if sheet.last and len(rows) > sheet.last:
        rows.insert(len(rows) - sheet.last, None)
    return rows


def _tex_said(sheet: Sheet, columns: int) -> list[list[str] | None]:
    """Rows below the prediction that they share, which is said once."""
    place = sheet.head.index(PROSE)
    shared: dict[Entry, list[list[str]]] = {}
    for row in sheet.rows:
        cells = [_tex_entry(entry) for n, entry in enumerate(row) if n != place]
        shared.setdefault(row[place], []).append(cells)
    rows: list[list[str] | None] = []
    for said, below in shared.items():
        words = escape_tex(said.text[:1].upper() + said.text[1:])
        text = rf"{words}.\newline{{\scriptsize {escape_tex(said.symbols)}}}"
        rows += [*([None] if rows else []), [spanning(text, columns)], *below]
    return rows


def _tex_entry(entry: Entry) -> str:
    text = escape_tex(entry.text)
    return bold(text) if entry.best else text


def _md(text: str) -> str:
    return "".join(f"\\{c}" if c in "|*`\\<>_" else c for c in text)
