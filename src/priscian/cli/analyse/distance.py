"""`priscian analyse distance`: agreement at a distance, attractors, irregular nouns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.cli.analyse.shared import (
    grid,
    percent,
    points,
    print_json,
    read_results,
    tell,
    write_pictures,
)
from priscian.errors import UnknownNameError

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.blimp.distance import Distance


def distance_command(
    *runs: Path,
    beside: str = "none",
    figures: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Agreement at a distance, over attractors, and of irregular nouns.

    Determiner and noun with and without an adjective between; subject and verb with no attractor,
    one in a relational noun and one in a relative clause; regular against irregular plurals.

    Examples:
      priscian analyse distance runs/two
      priscian analyse distance runs/two --beside all --figures pictures

    Parameters
    ----------
    runs
        Run folders.
    beside
        Published systems to show, joined by commas: human, 5-gram, LSTM, Transformer-XL, GPT-2;
        all or none.
    figures
        Folder for the figure.
    json_
        Print JSON.
    """
    from priscian.analysis.blimp.distance import analyse_distance, distance_figure
    from priscian.datasets.published import published

    systems = {"all": list(published()), "none": []}.get(beside, beside.split(","))
    for name in systems:
        if name not in published():
            raise UnknownNameError("published system", name, published())
    found = analyse_distance(read_results(runs), systems)
    write_pictures([distance_figure(found)], figures)
    if json_:
        print_json(found.as_dict())
        return
    notes = ["* published, on BLiMP's own sentences (Warstadt et al. 2020)"] if systems else []
    lacking = {p for c in found.conditions for p in c.missing}
    if lacking:
        notes.append(f"Not scored: {', '.join(sorted(lacking))}")
    tell([_table(found)], notes, figures)


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
