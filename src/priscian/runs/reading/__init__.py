"""Texts word by word: surprisal tables and perplexity."""

from priscian.runs.reading.passages import Line, Passage, make_passages, read_passages
from priscian.runs.reading.perplexity import Perplexity, measure_perplexity, measure_with_ends
from priscian.runs.reading.table import SurprisalTable, Unit
from priscian.runs.reading.word_by_word import SurprisalOptions, surprisals

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
