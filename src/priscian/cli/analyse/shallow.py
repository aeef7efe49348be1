"""`priscian analyse shallow`: accuracy by length, perplexity, log-probability, confidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from priscian.cli.analyse.shared import (
    grid,
    percent,
    print_json,
    read_results,
    tell,
    write_pictures,
)

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.blimp.shallow import Shallow


def shallow_command(
    *runs: Path,
    bins: int = 10,
    figures: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Accuracy by sentence length, perplexity, log-probability and confidence.

    Pairs are put into quantile bins of each predictor, and a logistic regression weighs all four
    at once, standardised.

    Examples:
      priscian analyse shallow runs/two
      priscian analyse shallow runs/two --bins 5 --figures pictures

    Parameters
    ----------
    runs
        Run folders.
    bins
        Quantile bins of each predictor.
    figures
        Folder for the figures.
    json_
        Print JSON.
    """
    from priscian.analysis.blimp.shallow import PREDICTORS, analyse_shallow
    from priscian.analysis.blimp.shallow_figures import regression_figure, shallow_figure

    found = analyse_shallow(read_results(runs), bins)
    write_pictures([shallow_figure(found), regression_figure(found)], figures)
    if json_:
        print_json(found.as_dict())
        return
    tables = [_bins(found, key, what) for key, what in PREDICTORS.items()]
    tell([*tables, _regression(found)], [*_problems(found), *found.notes], figures)


def _bins(found: Shallow, key: str, what: str) -> Table:
    made = grid(f"Accuracy by {what}", ["model", "from", "to", "n", "accuracy"])
    for model in found.models:
        for b in model.bins[key]:
            made.add_row(
                model.name, f"{b.low:,.4g}", f"{b.high:,.4g}", f"{b.n:,}", percent(b.as_dict())
            )
        made.add_section()
    return made


def _regression(found: Shallow) -> Table:
    made = grid(
        "Logistic regression: change in log-odds with one standard deviation",
        ["model", "predictor", "estimate", "95 % interval", "p"],
        left=2,
    )
    for model in found.models:
        for c in model.regression.coefficients:
            made.add_row(
                model.name,
                c.name.replace("_", " "),
                f"{c.estimate:+.3f}",
                f"{c.ci[0]:+.3f} to {c.ci[1]:+.3f}",
                f"{c.p:.2g}",
            )
        made.add_section()
    return made


def _problems(found: Shallow) -> list[str]:
    said = []
    for model in found.models:
        fit = model.regression
        if fit.problem:
            said.append(f"{model.name}: no regression: {fit.problem}")
        for name in fit.left_out:
            said.append(f"{model.name}: {name} is left out of the regression: it does not vary")
        if fit.clusters:
            said.append(
                f"{model.name}: errors may be alike within each of {fit.clusters} paradigms"
            )
    return said
