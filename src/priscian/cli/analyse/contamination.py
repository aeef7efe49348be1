"""`priscian analyse contamination`: public BLiMP against fresh pairs of the same paradigms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from priscian.cli.output import FLAT, Output, grid, points, show

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.blimp.contamination import Contamination, ModelGap


def contamination_command(
    *runs: Path,
    reference: str = "",
    output: Annotated[Output, FLAT] = Output(),  # noqa: B008
) -> None:
    """Is the score on public BLiMP inflated? Compare it with fresh pairs of the same paradigms.

    A model that has read BLiMP can be better on its sentences than on new ones. The two sets can
    also differ in difficulty: name as --reference a model that has never read BLiMP, and its own
    difference is subtracted.

    Examples:
      priscian score smollm2 builtin:lstm --on blimp:DIR --on generated:7 --out runs/both
      priscian analyse contamination runs/both --reference builtin:lstm

    Parameters
    ----------
    runs
        Run folders.
    reference
        A model of these runs that has never read the public set.
    """
    from priscian import analyse

    found = analyse.contamination(runs, reference=reference)
    tables = [_models(found), *(_paradigms(model) for model in found.models)]
    notes = [f"{model.words}." for model in found.models]
    notes.append(
        "Differences are public minus fresh, in points. Intervals of paradigms are for other "
        "pairs; the mean is tested by Student's t over paradigms."
    )
    show(found, found.as_dict(), output, tables, notes)


def _models(found: Contamination) -> Table:
    columns = ["model", "paradigms", "public", "fresh", "difference", "p"]
    if found.reference:
        columns += [f"beyond {found.reference}", "p"]
    made = grid("Public and fresh pairs: accuracy in per cent", columns)
    for model in found.models:
        cells = [
            model.model,
            f"{model.overall.sets}",
            f"{100 * model.public:.1f}",
            f"{100 * model.fresh:.1f}",
            points(model.overall.difference, model.overall.ci),
            f"{model.overall.p:.2g}",
        ]
        if model.beyond:
            cells += [points(model.beyond.difference, model.beyond.ci), f"{model.beyond.p:.2g}"]
        made.add_row(*cells)
    return made


def _paradigms(model: ModelGap) -> Table:
    made = grid(
        f"{model.model}, by paradigm", ["paradigm", "phenomenon", "public", "fresh", "difference"],
        left=2,
    )  # fmt: skip
    for p in sorted(model.paradigms, key=lambda p: -p.gap.difference):
        made.add_row(
            p.name,
            p.phenomenon,
            f"{100 * p.public.accuracy:.1f}",
            f"{100 * p.fresh.accuracy:.1f}",
            points(p.gap.difference, p.gap.ci),
        )
    return made
