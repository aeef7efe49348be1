"""`priscian analyse distance`: agreement at a distance, attractors, irregular nouns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from priscian.cli.output import FLAT, Output, grid, percent, points, show

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.blimp.distance import Distance


def distance_command(
    *runs: Path,
    baselines: str = "none",
    output: Annotated[Output, FLAT] = Output(),  # noqa: B008
) -> None:
    """Agreement at a distance, across attractors, and with irregular nouns.

    Determiner and noun with and without an adjective between; subject and verb with no attractor,
    one in a relational noun and one in a relative clause; regular against irregular plurals.

    Examples:
      priscian analyse distance runs/two
      priscian analyse distance runs/two --baselines all --figures pictures

    Parameters
    ----------
    runs
        Run folders.
    baselines
        Published systems to show, separated by commas: human, 5-gram, LSTM, Transformer-XL, GPT-2;
        all or none.
    """
    from priscian import analyse

    found = analyse.distance(runs, baselines)
    notes = []
    if baselines != "none":
        notes.append("* published, on BLiMP's own sentences (Warstadt et al. 2020)")
    missing = {p for c in found.conditions for p in c.missing}
    if missing:
        notes.append(f"Not scored: {', '.join(sorted(missing))}")
    show(found, found.as_dict(), output, [_table(found)], notes)


def _table(found: Distance) -> Table:
    made = grid(
        "Agreement: accuracy in per cent, and change from the first condition in points",
        ["comparison", "condition", "model", "accuracy", "change"],
        left=3,
    )
    before = ""
    for c in sorted(found.conditions, key=lambda c: _place(found, c.comparison)):
        if before and before != c.comparison:
            made.add_section()
        before = c.comparison
        facts = c.as_dict()
        change = points(facts["change"], facts.get("change_ci")) if "change" in facts else ""
        made.add_row(c.comparison, c.condition, c.model, percent(facts), change)
    return made


def _place(found: Distance, comparison: str) -> int:
    return list(dict.fromkeys(c.comparison for c in found.conditions)).index(comparison)
