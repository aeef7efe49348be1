"""`priscian analyse sg-results`: the figures of Hu et al. (2020) from the released results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from priscian.cli.output import grid, print_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from priscian.stats.mixed_effects import Fit, RatioTest

TABLE_4 = "table4_perplexity_mean"


def sg_results_command(
    folder: Path,
    /,
    *,
    perplexity: Path | None = None,
    mixed_effects: bool = False,
    json_: Annotated[bool, Parameter(name="--json")] = False,
) -> None:
    """Figures 1 and 3–6, Table 4 and the regressions of Hu et al. (2020).

    Examples:
      priscian analyse sg-results results
      priscian analyse sg-results results --mixed-effects --json

    Parameters
    ----------
    folder
        Folder of CSV files with the columns model, suite, item and correct.
    perplexity
        CSV file of test perplexities; without it, perplexity.csv in or above the folder.
    mixed_effects
        Also fit the six linear mixed models (about ten seconds).
    json_
        Print JSON, under the names of the figures.
    """
    from priscian import analyse

    found = analyse.sg_results(folder, perplexity, mixed_effects=mixed_effects)
    if json_:
        print_json(found.as_dict())
        return
    from priscian.cli.screen import out

    _print_figures(found.values, out())
    if found.fits:
        for table in model_tables(found.fits, found.tests):
            out().print(table)


def _print_figures(found: Mapping[str, Any], console: Console) -> None:
    best_first = dict(sorted(found["fig1_model_mean"].items(), key=lambda pair: -pair[1]))
    console.print(_list("Figure 1: mean SG score", "model", best_first))
    console.print(
        _list("Figure 3, left: Δ by model", "model", found["fig3_left_delta_by_model"], sign=True)
    )
    by_corpus = found["fig3_right_delta_by_corpus_noGPT2"]
    console.print(_list("Figure 3, right: Δ by corpus, GPT-2 left out", "corpus", by_corpus, True))
    console.print(_grid("Figure 4, left: Δ by circuit and model", found["fig4_left"], sign=True))
    console.print(_grid("Figure 4, right: Δ by circuit and corpus", found["fig4_right"], sign=True))
    console.print(_grid("Figure 5: SG score by circuit and model", found["fig5"]))
    flat = {
        f"{model}|{kind.replace('_', ' ')}": pair[kind]
        for model, pair in found["fig6"].items()
        for kind in ("no_modifier", "modifier")
    }
    console.print(_grid("Figure 6: suites without and with a modifier", flat))
    if TABLE_4 in found:
        by_corpus = {"|".join(k.split("|")[::-1]): v for k, v in found[TABLE_4].items()}
        console.print(_grid("Table 4: mean test perplexity", by_corpus))


def _list(title: str, what: str, values: Mapping[str, float], sign: bool = False) -> Table:
    made = grid(title, [what, ""])
    for name, value in values.items():
        made.add_row(name, _number(value, sign))
    return made


def _grid(title: str, values: Mapping[str, float], sign: bool = False) -> Table:
    """`row|column` keys as a table; a missing value is a dash."""
    rows = list(dict.fromkeys(key.partition("|")[0] for key in values))
    columns = list(dict.fromkeys(key.partition("|")[2] for key in values))
    made = grid(title, ["", *columns])
    for row in rows:
        cells = [values.get(f"{row}|{column}") for column in columns]
        made.add_row(row, *("–" if c is None else _number(c, sign) for c in cells))
    return made


def model_tables(fits: Mapping[str, Fit], tests: Mapping[str, RatioTest]) -> list[Table]:
    """The regressions, and the tests between them."""
    models = grid("Linear mixed models, maximum likelihood", ["", "AIC", "BIC", "log L", "df"])
    for name, fit in fits.items():
        numbers = (f"{x:.2f}" for x in (fit.aic, fit.bic, fit.log_likelihood))
        models.add_row(name, *numbers, str(fit.df))
    made = grid("Likelihood-ratio tests", ["effect", "χ²", "df", "p"])
    for effect, test in tests.items():
        made.add_row(effect, f"{test.chi2:.2f}", str(test.df), f"{test.p:.2g}")
    return [models, made]


def _number(value: float, sign: bool) -> str:
    return f"{value:+.3f}" if sign else f"{value:.2f}" if value >= 10 else f"{value:.3f}"
