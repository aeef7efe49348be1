"""Metrics: pure functions from token scores to verdicts and accuracies."""

from __future__ import annotations

from priscian.metrics.accuracy import Accuracy, mean_accuracy, set_accuracy, summarise, wilson
from priscian.metrics.contrasts import TIE, Verdict, evaluate, number, values_of
from priscian.metrics.forced_choice import Outcome, TieRule, item_seed, judge
from priscian.metrics.measures import (
    MEASURES,
    Measure,
    find_measure,
    measure,
    surprisal,
    surprisal_per_char,
    surprisal_per_token,
    tokens_in,
)

__all__ = [
    "MEASURES",
    "TIE",
    "Accuracy",
    "Measure",
    "Outcome",
    "TieRule",
    "Verdict",
    "evaluate",
    "find_measure",
    "item_seed",
    "judge",
    "mean_accuracy",
    "measure",
    "number",
    "set_accuracy",
    "summarise",
    "surprisal",
    "surprisal_per_char",
    "surprisal_per_token",
    "tokens_in",
    "values_of",
    "wilson",
]
