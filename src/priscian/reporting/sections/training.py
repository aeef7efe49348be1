"""Training: accuracy by number of training tokens, SG score against perplexity."""

from __future__ import annotations

from priscian.analysis.curves.sizes import trained_models
from priscian.analysis.curves.training_size import analyse_training_size
from priscian.analysis.sg.circuits import analyse_sg_runs
from priscian.analysis.sg.perplexity import against_perplexity
from priscian.analysis.vega import Figure
from priscian.reporting.sections.registry import Draw, Given, page_section


@page_section("Training size and perplexity", place=100)
def training(given: Given) -> list[Draw]:
    """Both figures need tables from the user."""
    draws = []
    if given.sizes:
        draws.append(Draw("training size", lambda: _training_size(given)))
    if given.perplexities:
        draws.append(Draw("perplexity", lambda: _perplexity(given)))
    return draws


def _training_size(given: Given) -> tuple[Figure, ...]:
    return analyse_training_size(trained_models(given.runs, given.sizes)).figures


def _perplexity(given: Given) -> tuple[Figure, ...]:
    results = [result for run in given.runs for result in run.results]
    return against_perplexity(analyse_sg_runs(results), given.perplexities).figures
