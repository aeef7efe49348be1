"""`priscian analyse tables`: accuracy by field, phenomenon or paradigm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from priscian.cli.output import FLAT, Output, grid, percent, show

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.blimp.accuracy_table import AccuracyTable


def tables_command(
    *runs: Path,
    by: Literal["field", "phenomenon", "paradigm"] | None = None,
    method: str = "full",
    baselines: str = "all",
    interval: Literal["wilson", "items", "sets", "both"] = "wilson",
    seed: int = 0,
    format_: Annotated[Literal["text", "md", "tex", "csv"], Parameter(name="--format")] = "text",
    output: Annotated[Output, FLAT] = Output(),  # noqa: B008
) -> None:
    """Accuracy by field, phenomenon or paradigm, next to the figures of the BLiMP paper.

    Examples:
      priscian analyse tables runs/two
      priscian analyse tables runs/a runs/b --by paradigm --format csv
      priscian analyse tables runs/two --baselines human,GPT-2 --format tex

    Parameters
    ----------
    runs
        Run folders.
    by
        field, phenomenon or paradigm; by default phenomenon if the data have phenomena.
    method
        full, one_prefix or two_prefix.
    baselines
        Published systems to show, separated by commas: human, 5-gram, LSTM, Transformer-XL, GPT-2;
        all or none.
    interval
        wilson, or a bootstrap of items within paradigms, of sets (paradigms) or of both.
    seed
        Seed of the bootstrap.
    format_
        text, md, tex or csv.
    """
    from priscian import analyse
    from priscian.analysis.blimp import accuracy_table_formats as formats

    found = analyse.tables(
        runs, by, method=method, baselines=baselines, interval=interval, seed=seed
    )
    if format_ == "text" or output.json:
        show(found, found.as_dict(), output, [_table(found)], found.notes)
        return
    if output.figures is not None:
        found.write_figures(output.figures)
    write = {
        "md": formats.to_markdown,
        "tex": formats.to_latex,
        "csv": formats.to_csv,
    }[format_]
    print(write(found), end="")


def _table(table: AccuracyTable) -> Table:
    made = grid(
        f"Accuracy in per cent by {table.by}, method {table.method}",
        [table.by, *(c.name for c in table.columns)],
    )
    for row in table.rows[:-1]:
        made.add_row(row.name, *(percent(c.as_dict()) if c else "" for c in row.cells))
    made.add_section()
    last = (percent(c.as_dict()) if c else "" for c in table.rows[-1].cells)
    made.add_row("overall (mean of paradigms)", *last, style="bold")
    return made
