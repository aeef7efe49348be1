"""`priscian analyse sg`: circuits, suites, modifiers and perplexity, from runs on suites."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from priscian.errors import DataError
from priscian.files import read_table, shown

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.sg.circuits import SgRuns
    from priscian.analysis.sg.stability import Stability


def sg_command(
    *runs: Path,
    perplexity: Path | None = None,
    figures: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Syntactic generalization: by circuit, by suite, stability to modifiers, perplexity.

    Examples:
      priscian analyse sg runs/two
      priscian analyse sg runs/a runs/b --perplexity perplexities.csv --figures pictures

    Parameters
    ----------
    runs
        Run folders on suites.
    perplexity
        CSV file with the columns model and perplexity: also shows SG score against perplexity.
    figures
        Folder for the figures.
    json_
        Print JSON.
    """
    from priscian.analysis.sg import circuits, stability
    from priscian.runs import SuitesSummary

    results = read_results(runs)
    found = circuits.analyse_sg_runs(results)
    drawn = [circuits.circuits_figure(found), circuits.suites_figure(found)]
    said: dict[str, Any] = {"models": found.as_dict()}
    tables, notes = [_circuits(found), _suites(found)], []
    if any(isinstance(r.summary, SuitesSummary) and r.summary.modifiers for r in results):
        modified = stability.analyse_stability(results)
        drawn.append(stability.stability_figure(modified))
        said["modifiers"] = modified.as_dict()
        tables.append(_modifiers(modified))
    if perplexity is not None:
        beside = circuits.against_perplexity(found, read_perplexity(perplexity))
        drawn.append(circuits.perplexity_figure(beside))
        said["perplexity"] = beside.as_dict()
        tables.append(_perplexity(said["perplexity"]["models"]))
        notes += [f"No perplexity of {name}" for name in beside.missing]
        if beside.pearson:
            notes.append(
                f"Pearson's r of SG score with log perplexity: {beside.pearson.r:.3f} "
                f"({beside.pearson.ci[0]:.3f} to {beside.pearson.ci[1]:.3f})"
            )
        else:
            notes.append(f"A correlation needs {circuits.FEWEST} models or more")
    write_pictures(drawn, figures)
    if json_:
        print_json(said)
        return
    tell(tables, notes, figures)


def read_perplexity(file: Path) -> dict[str, float]:
    """Perplexities by model."""
    found: dict[str, float] = {}
    for number, row in read_table(file, needs=("model", "perplexity")):
        try:
            value = float(row["perplexity"] or "")
        except (ValueError, TypeError, OverflowError):
            value = math.nan
        if not 1 <= value < math.inf:
            raise DataError(
                f"{file}:{number}: {shown(row['perplexity'])} is not a perplexity; write a number "
                "from 1"
            )
        if found.setdefault(str(row["model"] or ""), value) != value:
            raise DataError(
                f"{file}:{number}: another row gives {shown(row['model'])} another perplexity; "
                "keep one of the two"
            )
    return found


def _circuits(found: SgRuns) -> Table:
    made = grid(
        "Syntactic generalization by circuit, per cent",
        ["model", "circuit", "n", "chance", "accuracy", "less mean of models"],
        left=2,
    )
    for s in found.circuits:
        delta = found.deltas.get(s.model, {}).get(s.name)
        made.add_row(
            s.model,
            s.name,
            f"{s.n:,}",
            f"{100 * s.chance:.1f}",
            percent(s.as_dict()),
            "" if delta is None else points(delta),
        )
    return made


def _suites(found: SgRuns) -> Table:
    made = grid("By suite, per cent", ["suite", "circuit", "model", "n", "accuracy"], left=3)
    for s in sorted(found.suites, key=lambda s: (s.circuit, s.name)):
        made.add_row(s.name, s.circuit, s.model, f"{s.n:,}", percent(s.as_dict()))
    return made


def _modifiers(found: Stability) -> Table:
    made = grid(
        "Stability to modifiers: accuracy in per cent, change in points",
        ["model", "suite", "without", "with", "change", "alike"],
        left=2,
    )
    for m in found.suites:
        made.add_row(
            m.model,
            m.suite,
            f"{100 * m.plain:.1f}",
            f"{100 * m.modified:.1f}",
            points(m.change.difference, m.change.ci),
            f"{100 * m.same:.1f}",
        )
    return made


def _perplexity(models: dict[str, Any]) -> Table:
    made = grid("SG score and perplexity", ["model", "perplexity", "SG score"])
    for name, facts in models.items():
        cell = {"accuracy": facts["sg"], "ci": facts["ci"]}
        made.add_row(name, f"{facts['perplexity']:,.2f}", percent(cell))
    return made
