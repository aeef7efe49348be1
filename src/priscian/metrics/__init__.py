"""Metrics: pure functions from token scores to verdicts and accuracies."""

from __future__ import annotations

from priscian.formulas import chance_of, parse_formula, print_formula, values_of
from priscian.metrics.contrasts import TIE, Verdict, evaluate, number
from priscian.metrics.forced_choice import (
    MethodScores,
    Outcome,
    TieRule,
    item_seed,
    judge,
    summarise,
)
from priscian.metrics.generalization import (
    Rules,
    SuiteOutcome,
    judge_suite,
    region_means,
    summarise_suites,
)
from priscian.metrics.lau import mean_lp, norm_lp, pen_lp, slor
from priscian.metrics.measures import (
    MEASURES,
    UNIGRAM_MEASURES,
    Lookup,
    Measure,
    find_measure,
    measure,
    needs_unigrams,
    surprisal,
    surprisal_per_char,
    surprisal_per_token,
    tokens_in,
    unigram_measure,
)
from priscian.metrics.regions import region_bits

__all__ = [
    "MEASURES",
    "TIE",
    "UNIGRAM_MEASURES",
    "Lookup",
    "Measure",
    "MethodScores",
    "Outcome",
    "Rules",
    "SuiteOutcome",
    "TieRule",
    "Verdict",
    "chance_of",
    "evaluate",
    "find_measure",
    "item_seed",
    "judge",
    "judge_suite",
    "mean_lp",
    "measure",
    "needs_unigrams",
    "norm_lp",
    "number",
    "parse_formula",
    "pen_lp",
    "print_formula",
    "region_bits",
    "region_means",
    "slor",
    "summarise",
    "summarise_suites",
    "surprisal",
    "surprisal_per_char",
    "surprisal_per_token",
    "tokens_in",
    "unigram_measure",
    "values_of",
]
