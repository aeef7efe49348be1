"""The figures and regressions of Hu et al. (2020), computed from the released results.

Hu, Gauthier, Qian, Wilcox & Levy (2020). A systematic assessment of syntactic generalization in
neural language models. ACL, 1725–1744. doi:10.18653/v1/2020.acl-main.158
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import field

from priscian.analysis.registry import analysis
from priscian.analysis.result import AnalysisResult, Table
from priscian.analysis.sg.mixed_models import (
    Criteria,
    criteria,
    mixed_models,
    ratio_tests,
    regression_tables,
)
from priscian.analysis.sg.released import (
    Instance,
    InstancePerplexity,
    InstanceScore,
    delta,
    find_perplexities,
    means,
    read_perplexities,
    read_suite_scores,
)
from priscian.datasets.reference import published_suites
from priscian.errors import DataWarning
from priscian.files import HIDDEN, INLINE
from priscian.stats.mixed_effects import Fit

OWN_PIECES = "-gptbpe"
"""Corpora in GPT-2's tokens: only one model was trained on them, so corpus means omit them."""
TABLE_4 = "table4_perplexity_mean"
DIGITS = 6
Means = dict[str, float]


class SgResults(AnalysisResult, frozen=True, omit_defaults=True):
    """The values behind each figure by its name, and the regressions if they were fitted."""

    values: Annotated[Mapping[str, Any], INLINE]
    regressions: Mapping[str, Criteria] | None = field(name="lme", default=None)
    fits: Annotated[Mapping[str, Fit] | None, HIDDEN] = None

    def tables(self) -> list[Table]:
        """A table for each figure, Table 4, and the regressions."""
        found = self.values
        best_first = dict(sorted(found["fig1_model_mean"].items(), key=lambda pair: -pair[1]))
        by_corpus = found["fig3_right_delta_by_corpus_noGPT2"]
        modifiers = {
            f"{model}|{kind.replace('_', ' ')}": pair[kind]
            for model, pair in found["fig6"].items()
            for kind in ("no_modifier", "modifier")
        }
        made = [
            _list("Figure 1: mean SG score", "model", best_first),
            _list(
                "Figure 3, left: Δ by model", "model", found["fig3_left_delta_by_model"], sign=True
            ),
            _list("Figure 3, right: Δ by corpus, GPT-2 left out", "corpus", by_corpus, sign=True),
            _grid("Figure 4, left: Δ by circuit and model", found["fig4_left"], sign=True),
            _grid("Figure 4, right: Δ by circuit and corpus", found["fig4_right"], sign=True),
            _grid("Figure 5: SG score by circuit and model", found["fig5"]),
            _grid("Figure 6: suites without and with a modifier", modifiers),
        ]
        if TABLE_4 in found:
            turned = {"|".join(k.split("|")[::-1]): v for k, v in found[TABLE_4].items()}
            made.append(_grid("Table 4: mean test perplexity", turned))
        if self.fits:
            made += regression_tables(self.fits, ratio_tests(self.fits))
        return made


@analysis("sg-results", "figures and regressions of Hu et al. (2020)")
def sg_results(
    folder: Path | str, perplexity: Path | str | None = None, *, mixed_effects: bool = False
) -> SgResults:
    """Figures 1 and 3–6, Table 4 and the regressions of Hu et al. (2020).

    Examples:
      priscian analyse sg-results results
      priscian analyse sg-results results --mixed-effects --json

    >>> import priscian
    >>> priscian.analyse.sg_results("results").values["fig1_model_mean"]      # doctest: +SKIP
    {'gpt-2': 0.7..., ...}

    Parameters
    ----------
    folder
        Folder of CSV files with the columns model, suite, item and correct.
    perplexity
        CSV file of test perplexities; without it, perplexity.csv in or above the folder.
    mixed_effects
        Also fit the six linear mixed models (about ten seconds).
    """
    scores = read_suite_scores(folder)
    table = find_perplexities(folder) if perplexity is None else Path(perplexity)
    if table is None:
        warnings.warn(
            f"no perplexity.csv in or above {folder}, so Table 4 is left out; "
            "name the file with `perplexity=`",
            DataWarning,
            stacklevel=2,
        )
    values = published_figures(scores, read_perplexities(table) if table else ())
    if not mixed_effects:
        return SgResults(values)
    fits = mixed_models(scores)
    return SgResults(values, {name: criteria(fit) for name, fit in fits.items()}, fits)


def published_figures(
    scores: Sequence[InstanceScore], perplexities: Sequence[InstancePerplexity] = ()
) -> dict[str, Means | dict[str, Means]]:
    """Figures 1 and 3–6 and, given perplexities, Table 4, to six decimals."""
    deltas = delta(scores)
    same_corpora = [d for d in deltas if not d.instance.corpus.endswith(OWN_PIECES)]
    by_circuit, by_circuit_same = _circuit_means(deltas), _circuit_means(same_corpora)
    # Figure 6: the suites that have a version with a modifier, and those versions
    base = {s.name: s.modifier_of for s in published_suites().values() if s.modifier_of}
    plain = _model_means(s for s in scores if s.suite in base.values())
    modified = _model_means(s for s in scores if s.suite in base)
    made: dict[str, Means | dict[str, Means]] = {
        "fig1_model_mean": _rounded(_model_means(scores)),
        "fig3_left_delta_by_model": _rounded(_model_means(deltas)),
        "fig3_right_delta_by_corpus_noGPT2": _rounded(
            means((d.instance.corpus, d.score) for d in same_corpora)
        ),
        "fig4_left": _rounded(means((f"{c}|{i.model}", d) for (i, c), d in by_circuit.items())),
        "fig4_right": _rounded(
            means((f"{c}|{i.corpus}", d) for (i, c), d in by_circuit_same.items())
        ),
        "fig5": _rounded(
            means((f"{c}|{i.model}", score) for (i, c), score in _circuit_means(scores).items())
        ),
        "fig6": {
            model: _rounded({"no_modifier": plain[model], "modifier": modified[model]})
            for model in plain
            if model in modified
        },
    }
    if perplexities:
        made[TABLE_4] = _rounded(
            means((f"{p.instance.model}|{p.instance.corpus}", p.value) for p in perplexities)
        )
    return made


def _model_means(scores: Iterable[InstanceScore]) -> Means:
    """Mean over all (corpus, seed, suite) rows of a class of models: seeds weigh equally."""
    return means((s.instance.model, s.score) for s in scores)


def _circuit_means(scores: Iterable[InstanceScore]) -> dict[tuple[Instance, str], float]:
    """Mean over each circuit's suites for every instance; Figures 4 and 5 average these."""
    return means(((s.instance, s.circuit), s.score) for s in scores)


def _rounded(values: Means) -> Means:
    return {key: round(values[key], DIGITS) for key in sorted(values)}


def _list(title: str, what: str, values: Mapping[str, float], *, sign: bool = False) -> Table:
    rows = tuple((name, _number(value, sign)) for name, value in values.items())
    return Table(title, (what, ""), rows)


def _grid(title: str, values: Mapping[str, float], *, sign: bool = False) -> Table:
    """`row|column` keys as a table; a missing value is a dash."""
    names = list(dict.fromkeys(key.partition("|")[0] for key in values))
    columns = list(dict.fromkeys(key.partition("|")[2] for key in values))
    rows = []
    for name in names:
        cells = [values.get(f"{name}|{column}") for column in columns]
        rows.append((name, *("–" if c is None else _number(c, sign) for c in cells)))
    return Table(title, ("", *columns), tuple(rows))


def _number(value: float, sign: bool) -> str:
    return f"{value:+.3f}" if sign else f"{value:.2f}" if value >= 10 else f"{value:.3f}"
