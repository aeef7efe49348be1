"""`priscian analyse sg`: circuits, suites, modifiers and perplexity, from runs on suites."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from priscian.cli.analyse.sg_results import model_tables
from priscian.cli.output import FLAT, Output, grid, percent, points, show

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.sg.circuits import SgRuns
    from priscian.analysis.sg.mixed_models import MixedModels
    from priscian.analysis.sg.of_runs import SgAnalysis
    from priscian.analysis.sg.perplexity import SgPerplexity
    from priscian.analysis.sg.stability import Stability


def sg_command(
    *runs: Path,
    perplexity: Path | None = None,
    mixed_effects: Annotated[bool, Parameter(negative="")] = False,
    output: Annotated[Output, FLAT] = Output(),  # noqa: B008
) -> None:
    """Syntactic generalization: by circuit, by suite, stability under modifiers, perplexity.

    Examples:
      priscian analyse sg runs/two
      priscian analyse sg runs/a runs/b --perplexity perplexities.csv --figures pictures
      priscian analyse sg curve --mixed-effects

    Parameters
    ----------
    runs
        Run folders on suites, or the folder of a sweep.
    perplexity
        Table with the columns model and perplexity: also shows SG score against perplexity.
    mixed_effects
        Also fit the regressions of Hu et al. (2020) to models trained by priscian train or curve:
        architecture, corpus size and perplexity, with suites and models as random effects.
    """
    from priscian import analyse

    found = analyse.sg(runs, perplexity, mixed_effects=mixed_effects)
    tables, notes = [_circuits(found.scores), _suites(found.scores)], []
    if found.modifiers is not None:
        tables.append(_modifiers(found.modifiers))
    if found.perplexity is not None:
        tables.append(_perplexity(found.perplexity.as_dict()["models"]))
        notes = _perplexity_notes(found.perplexity)
    if found.mixed is not None:
        tables += [*model_tables(found.mixed.fits, found.mixed.tests), _coefficients(found.mixed)]
        notes.append(
            "Effects are of the natural logarithm of the size, and of architectures against the "
            "one that is not listed"
        )
        if found.mixed.note:
            notes.append(f"Regressions: {found.mixed.note}")
    show(found, found.as_dict(), output, tables, [*notes, *_pooled(found)])


def _coefficients(found: MixedModels) -> Table:
    """Fixed effects of the model with architecture and size."""
    fit = found.fits["full"]
    made = grid(
        "Fixed effects of the full model, in points",
        ["effect", "estimate", "standard error", "t"],
    )
    for name, value in fit.coefficients.items():
        error = fit.standard_errors[name]
        made.add_row(name, f"{100 * value:+.1f}", f"{100 * error:.1f}", f"{value / error:.2f}")
    return made


def _perplexity_notes(found: SgPerplexity) -> list[str]:
    from priscian.analysis.sg.perplexity import FEWEST

    notes = [f"No perplexity of {name}" for name in found.missing]
    if found.repeated:
        return [*notes, "No correlation: a model has several SG scores, on several sets of suites"]
    if found.pearson is None:
        return [*notes, f"A correlation needs {FEWEST} models or more"]
    low, high = found.pearson.ci
    return [
        *notes,
        f"Pearson's r of SG score with log perplexity: {found.pearson.r:.3f} "
        f"({low:.3f} to {high:.3f})",
    ]


def _pooled(found: SgAnalysis) -> list[str]:
    """A note if perplexities are not comparable, and what pools them."""
    if found.perplexity is None or found.perplexity.comparable:
        return []
    pooling = ["the correlation"] if found.perplexity.pearson else []
    if found.mixed is not None and "perplexity" in found.mixed.tests:
        pooling.append("the test on perplexity")
    used = f"; they are still pooled in {' and '.join(pooling)}" if pooling else ""
    return [
        "Perplexities are not comparable: vocabularies differ, or some are upper bounds of "
        f"grammars{used}"
    ]


def _circuits(found: SgRuns) -> Table:
    made = grid(
        "Syntactic generalization by circuit, per cent",
        ["model", "circuit", "n", "chance", "accuracy", "minus mean of models"],
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
        "Stability under modifiers: accuracy in per cent, change in points",
        ["model", "suite", "without", "with", "change", "same"],
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
