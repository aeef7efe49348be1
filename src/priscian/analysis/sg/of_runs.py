"""All analyses of runs on suites: circuits, suites, modifiers, perplexity, regressions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from msgspec import field

from priscian.analysis.curves.facts import mixed_models_of, tell_apart
from priscian.analysis.curves.table import comparable
from priscian.analysis.registry import analysis
from priscian.analysis.result import AnalysisResult, Runs, Table
from priscian.analysis.sg.circuits import SgRuns, analyse_sg_runs
from priscian.analysis.sg.mixed_models import MixedModels
from priscian.analysis.sg.perplexity import SgPerplexity, against_perplexity
from priscian.analysis.sg.stability import Stability, analyse_stability
from priscian.analysis.vega import Figure
from priscian.errors import DataError
from priscian.files import read_table, shown
from priscian.runs import SuitesSummary
from priscian.runs.choose import gather_results


class SgAnalysis(AnalysisResult, frozen=True, omit_defaults=True):
    """Scores by circuit and suite; modifiers and perplexity if the data have them."""

    scores: SgRuns = field(name="models")
    modifiers: Stability | None = None
    perplexity: SgPerplexity | None = None
    mixed: MixedModels | None = field(name="mixed_effects", default=None)
    """The regressions of Hu et al. (2020), if they were asked for."""

    def tables(self) -> list[Table]:
        """The tables of all parts."""
        parts = (self.scores, self.modifiers, self.perplexity, self.mixed)
        return [table for part in parts if part is not None for table in part.tables()]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures of all parts."""
        parts = (self.scores, self.modifiers, self.perplexity)
        return tuple(figure for part in parts if part is not None for figure in part.figures)

    @property
    def findings(self) -> list[str]:
        """What correlates with perplexity, and whether perplexities are comparable."""
        parts = (self.perplexity, self.mixed)
        said = [line for part in parts if part is not None for line in part.findings]
        if self.perplexity is None or self.perplexity.comparable:
            return said
        pooling = ["the correlation"] if self.perplexity.pearson else []
        if self.mixed is not None and "perplexity" in self.mixed.tests:
            pooling.append("the test on perplexity")
        used = f"; they are still pooled in {' and '.join(pooling)}" if pooling else ""
        return [
            *said,
            "Perplexities are not comparable: vocabularies differ, or some are upper bounds of "
            f"grammars{used}",
        ]


@analysis("sg", "circuits, suites, modifiers and perplexity")
def sg(
    runs: Runs,
    perplexity: Mapping[str, float] | Path | str | None = None,
    *,
    mixed_effects: bool = False,
) -> SgAnalysis:
    """Syntactic generalization: by circuit, by suite, stability under modifiers, perplexity.

    Examples:
      priscian analyse sg runs/two
      priscian analyse sg runs/a runs/b --perplexity perplexities.csv --figures pictures
      priscian analyse sg curve --mixed-effects

    >>> import priscian
    >>> run = priscian.score("builtin:ngram", "generated-sg:7,3,mvrr,mvrr_mod")
    >>> found = priscian.analyse.sg(run)
    >>> [score.name for score in found.scores.suites], found.modifiers.suites[0].suite
    (['mvrr', 'mvrr_mod'], 'mvrr')

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
    if isinstance(perplexity, str | Path):
        perplexity = read_perplexity(Path(perplexity))
    given, tables = tell_apart(runs)
    results = gather_results(given)
    scored = {r.model for r in results if r.kind == "suites"}
    models = [m for t in tables for m in t.models if m.model in scored]
    if perplexity is None:  # those of a sweep are known
        perplexity = {m.model: m.perplexity for m in models if m.perplexity} or None
    scores = analyse_sg_runs(results)
    modified = any(isinstance(r.summary, SuitesSummary) and r.summary.modifiers for r in results)
    return SgAnalysis(
        scores,
        analyse_stability(results) if modified else None,
        # other figures of the same models have the same vocabularies
        None
        if perplexity is None
        else against_perplexity(scores, perplexity, is_comparable=comparable(models)),
        mixed_models_of(results, tables, perplexity) if mixed_effects else None,
    )


def read_perplexity(file: Path) -> dict[str, float]:
    """Perplexities by model, from a table with the columns model and perplexity.

    An empty cell is a perplexity that is not known.
    """
    found: dict[str, float] = {}
    for number, row in read_table(file, needs=("model", "perplexity")):
        cell = row["perplexity"]
        if cell is None or not str(cell).strip():
            continue
        try:
            value = float(cell)
        except (ValueError, TypeError, OverflowError):
            value = math.nan
        if not 1 <= value < math.inf:
            raise DataError(
                f"{file}:{number}: {shown(cell)} is not a perplexity; write a number from 1"
            )
        if found.setdefault(str(row["model"] or ""), value) != value:
            raise DataError(
                f"{file}:{number}: another row gives {shown(row['model'])} another perplexity; "
                "keep one of the two"
            )
    if not found:
        raise DataError(
            f"{file}: no perplexities; write at least one number in the column perplexity"
        )
    return found
