"""`priscian analyse training-size`: accuracy against the number of training tokens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.cli.output import FLAT, Output, grid, show

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.curves.training_size import TrainingSize


def training_size_command(
    *runs: Path,
    sizes: Path | None = None,
    tokens: Annotated[list[str] | None, Parameter(consume_multiple=False)] = None,
    method: str = "full",
    output: Annotated[Output, FLAT] = Output(),  # noqa: B008
) -> None:
    """Accuracy against log2 of training tokens, and how many tokens would reach people's level.

    A line is fitted for each phenomenon; its slope is the accuracy gained with each doubling.
    If people's level is beyond the trained sizes, it is marked as extrapolated.

    Examples:
      priscian analyse training-size runs/curve --tokens lstm-1M=1M --tokens lstm-4M=4M …
      priscian analyse training-size runs/a runs/b runs/c --sizes sizes.csv --figures pictures

    Parameters
    ----------
    runs
        Run folders.
    sizes
        Table with the columns model, tokens and optionally run and curve: models with another
        curve get a line of their own.
    tokens
        MODEL=1M; also 250k, 1/2M or 3.1B. Repeat for several.
    method
        full, one_prefix or two_prefix.
    """
    from priscian import analyse

    found = analyse.training_size(runs, tokens or (), sizes=sizes, method=method)
    show(found, found.as_dict(), output, [_table(found)], _notes(found))


def _table(found: TrainingSize) -> Table:
    made = grid(
        "Accuracy over log₂ of training tokens",
        [
            "curve",
            "phenomenon",
            "models",
            "points per doubling",
            "95 % interval",
            "people",
            "tokens to people",
        ],
        left=2,
    )
    for c in found.curves:
        people = f"{100 * c.reach.human:.1f}" if c.reach else ""
        made.add_row(
            c.curve,
            c.name,
            str(len(c.points)),
            f"{100 * c.line.slope:+.2f}",
            f"{100 * c.line.ci[0]:+.2f} to {100 * c.line.ci[1]:+.2f}",
            people,
            str(c.reach or ""),
            style="bold" if c.name == "overall" else None,
        )
    return made


def _notes(found: TrainingSize) -> list[str]:
    if not any(c.reach and c.reach.extrapolated for c in found.curves):
        return []
    return [
        "extrapolated: people's level is beyond the sizes that were trained, and the line may not "
        "continue that far"
    ]
