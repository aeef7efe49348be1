"""The same tables for a README and for a paper."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.analysis.blimp.accuracy_table_formats import escape_tex
from priscian.reporting.boards import Board, Cell, Row, class_label
from priscian.reporting.sections import Table
from priscian.runs import GradedSummary
from priscian.runs.summary import Score

ADC = (
    "Acceptability Delta Criterion: per cent of pairs whose difference, in standard deviations, "
    "has people's sign and is less than δ away from theirs; 95 % intervals"
)


def markdown_tables(boards: Sequence[Board], tables: Sequence[Table] = ()) -> str:
    """Models × phenomena with the overall score, a table for each board; then other tables."""
    return "\n".join([*map(_markdown, boards), *map(_markdown_table, tables)])


def tex_tables(boards: Sequence[Board], tables: Sequence[Table] = ()) -> str:
    r"""A `tabular` with booktabs' rules for each board; classes are rows, models are columns."""
    return "\n".join([*map(_tex, boards), *map(_tex_table, tables)])


def _markdown_table(table: Table) -> str:
    lines = [
        f"**{_md(table.title)}**",
        "",
        f"| {' | '.join(map(_md, table.columns))} |",
        f"| --- |{' ---: |' * (len(table.columns) - 1)}",
        *(f"| {' | '.join(map(_md, row))} |" for row in table.rows),
    ]
    return "\n".join([*lines, *(["", _md(table.note)] if table.note else [])]) + "\n"


def _tex_table(table: Table) -> str:
    lines = [
        *(f"% {line}" for line in (table.title, table.note) if line),
        rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
        r"\toprule",
        " & ".join(map(_tex_cell, table.columns)) + r" \\",
        r"\midrule",
        *(" & ".join(map(_tex_cell, row)) + r" \\" for row in table.rows),
    ]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _tex_cell(text: str) -> str:
    made = escape_tex(text).replace("–", "--")
    return made.replace("κ", r"$\kappa$").replace("α", r"$\alpha$")


def _markdown(board: Board) -> str:
    head = ["model", "overall", *(class_label(name) for name in board.columns)]
    lines = [
        f"**{_md(f'{board.heading}, {board.size}')}**",
        "",
        f"| {' | '.join(map(_md, head))} |",
        f"| --- |{' ---: |' * (len(head) - 1)}",
    ]
    for row in board.rows:
        cells = [_overall(row), *(_number(row.classes.get(name)) for name in board.columns)]
        lines.append(f"| {_md(row.label)} | {' | '.join(cells)} |")
    lines += ["", "Per cent right; overall with its 95 % interval.", ""]
    lines += _markdown_adc(board)
    lines += [f"- {_md(note)}" for note in board.notes]
    return "\n".join(lines).rstrip() + "\n"


def _tex(board: Board) -> str:
    lines = [
        f"% {board.heading}, {board.size}; per cent right, 95 % intervals",
        *(f"% {note}" for note in board.notes),
        rf"\begin{{tabular}}{{l{'r' * len(board.rows)}}}",
        r"\toprule",
        " & ".join(["", *(escape_tex(row.label) for row in board.rows)]) + r" \\",
        r"\midrule",
    ]
    for name in board.columns:
        cells = [_number(row.classes.get(name)) for row in board.rows]
        lines.append(" & ".join([escape_tex(class_label(name)), *cells]) + r" \\")
    overall = [_overall(row).replace("–", "--") for row in board.rows]
    lines += [r"\midrule", " & ".join(["overall", *overall]) + r" \\"]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *_tex_adc(board)]) + "\n"


def adc_rows(board: Board) -> list[tuple[str, dict[str, Score]]]:
    """The Acceptability Delta Criterion of each model that was compared with ratings, by δ."""
    return [
        (result.label, dict(result.summary.graded.adc))
        for result in board.results
        if isinstance(result.summary, GradedSummary) and result.summary.graded.adc
    ]


def _share(score: Score, dash: str = "–") -> str:
    low, high = score.ci
    return f"{100 * score.accuracy:.1f} ({100 * low:.1f}{dash}{100 * high:.1f})"


def _markdown_adc(board: Board) -> list[str]:
    rows = adc_rows(board)
    if not rows:
        return []
    lines = [
        f"| model |{''.join(f' ADC, δ = {delta} |' for delta in rows[0][1])}",
        f"| --- |{' ---: |' * len(rows[0][1])}",
    ]
    for label, scores in rows:
        lines.append(f"| {_md(label)} | {' | '.join(map(_share, scores.values()))} |")
    return [*lines, "", f"{ADC}.", ""]


def _tex_adc(board: Board) -> list[str]:
    rows = adc_rows(board)
    if not rows:
        return []
    head = [rf"ADC, $\delta = {delta}$" for delta in rows[0][1]]
    lines = [
        "",
        f"% {ADC}",
        rf"\begin{{tabular}}{{l{'r' * len(head)}}}",
        r"\toprule",
        " & ".join(["", *head]) + r" \\",
        r"\midrule",
    ]
    for label, scores in rows:
        cells = [_share(score, "--") for score in scores.values()]
        lines.append(" & ".join([escape_tex(label), *cells]) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _number(cell: Cell | None) -> str:
    if cell is None:
        return ""
    return "tied" if cell.tied else f"{100 * cell.accuracy:.1f}"


def _overall(row: Row) -> str:
    cell = row.overall
    if cell is None:
        return ""
    text = _number(cell)
    if cell.tied:
        return text
    return f"{text} ({100 * cell.ci[0]:.1f}–{100 * cell.ci[1]:.1f})" if cell.ci else text


def _md(text: str) -> str:
    return "".join(f"\\{c}" if c in "|*`\\<>_" else c for c in text)
