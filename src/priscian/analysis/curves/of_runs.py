"""Analyses of runs that know more about the models of a sweep: sizes, perplexities, regressions."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace

from priscian.analysis.curves.comparable import comparable
from priscian.analysis.curves.facts import mixed_models_of, sizes_of_sweeps
from priscian.analysis.curves.sizes import Sizes, trained_models
from priscian.analysis.curves.together import tell_apart
from priscian.analysis.curves.training_size import (
    TrainingSize,
    analyse_training_size,
    with_lines,
)
from priscian.analysis.sg.of_runs import SgAnalysis, analyse_sg
from priscian.errors import PriscianWarning, UsageError
from priscian.runs.choose import Choice, gather_results, gather_runs


def training_sizes_of(
    runs: Choice | Iterable[Choice], known: Sizes, method: str = "full"
) -> TrainingSize:
    """Curves of models whose sizes are given, or known from the folder of a sweep."""
    if known:
        return analyse_training_size(trained_models(gather_runs(runs), known), method)
    given, tables = tell_apart(runs)
    of_sweeps = sizes_of_sweeps(tables)
    if not of_sweeps:
        raise UsageError(
            "runs do not contain training sizes: add --sizes FILE or --tokens MODEL=1M"
        )
    trained, note = with_lines(trained_models(gather_runs(given), of_sweeps))
    if note:
        warnings.warn(note, PriscianWarning, stacklevel=3)
    return analyse_training_size(trained, method)


def sg_of(
    runs: Choice | Iterable[Choice],
    perplexities: Mapping[str, float] | None = None,
    mixed_effects: bool = False,
) -> SgAnalysis:
    """Scores on suites; perplexities of a sweep are known, and regressions may be fitted."""
    given, tables = tell_apart(runs)
    results = gather_results(given)
    scored = {r.model for r in results if r.kind == "suites"}
    models = [m for t in tables for m in t.models if m.model in scored]
    if perplexities is None:
        perplexities = {m.model: m.perplexity for m in models if m.perplexity} or None
    found = analyse_sg(results, perplexities)
    if found.perplexity is not None:  # other figures of the same models have the same vocabularies
        alike = comparable(models)
        found = replace(found, perplexity=replace(found.perplexity, comparable=alike))
    if not mixed_effects:
        return found
    return replace(found, mixed=mixed_models_of(results, tables, perplexities))
