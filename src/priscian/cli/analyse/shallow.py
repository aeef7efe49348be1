"""`priscian analyse shallow`: accuracy by length, perplexity, log-probability, confidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from priscian.cli.output import FLAT, Output, grid, percent, show

if TYPE_CHECKING:
    from rich.table import Table

    from priscian.analysis.blimp.shallow import Shallow


def shallow_command(
    *runs: Path,
    bins: int = 10,
    output: Annotated[Output, FLAT] = Output(),  # noqa: B008
) -> None:
    """Accuracy by sentence length, perplexity, log-probability and confidence.

    Pairs are divided into quantile bins of each predictor, and a logistic regression uses all four
    at once, standardised.

    Examples:
      priscian analyse shallow runs/two
      priscian analyse shallow runs/two --bins 5 --figures pictures

    Parameters
    ----------
    runs
        Run folders.
    bins
        Number of quantile bins of each predictor.
    """
    from priscian import analyse
    from priscian.analysis.blimp.shallow import PREDICTORS

    found = analyse.shallow(runs, bins)
    tables = [_bins(found, key, what) for key, what in PREDICTORS.items()]
    notes = [*_problems(found), *found.notes]
    show(found, found.as_dict(), output, [*tables, _regression(found)], notes)


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
            said.append(f"{model.name}: errors are clustered by paradigm ({fit.clusters} clusters)")
    return said
