"""Analyses: what published results and runs say, as numbers that can be checked."""

from __future__ import annotations

from priscian.analysis.sg.mixed_models import mixed_models, ratio_tests
from priscian.analysis.sg.published_figures import figures
from priscian.analysis.sg.released import (
    Instance,
    Perplexity,
    SuiteScore,
    find_perplexities,
    read_perplexities,
    read_suite_scores,
)
from priscian.stats.mixed_effects import Fit, RandomTerm, RatioTest, fit_mixed, likelihood_ratio

__all__ = [
    "Fit",
    "Instance",
    "Perplexity",
    "RandomTerm",
    "RatioTest",
    "SuiteScore",
    "figures",
    "find_perplexities",
    "fit_mixed",
    "likelihood_ratio",
    "mixed_models",
    "ratio_tests",
    "read_perplexities",
    "read_suite_scores",
]
