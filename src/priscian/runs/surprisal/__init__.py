"""Texts word by word: surprisal tables and perplexity."""

from priscian.runs.surprisal.passages import Line, Passage, make_passages, read_passages
from priscian.runs.surprisal.perplexity import Perplexity, measure_perplexity, measure_with_ends
from priscian.runs.surprisal.table import SurprisalTable, Unit
from priscian.runs.surprisal.words import SurprisalOptions, surprisals

__all__ = [
    "Line",
    "Passage",
    "Perplexity",
    "SurprisalOptions",
    "SurprisalTable",
    "Unit",
    "make_passages",
    "measure_perplexity",
    "measure_with_ends",
    "read_passages",
    "surprisals",
]
