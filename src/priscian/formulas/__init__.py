"""The formulas of suites: parsing, printing, words, regions that they use, chance levels."""

from __future__ import annotations

from priscian.formulas.chance import chance_of, difference_of
from priscian.formulas.notation import comparisons_of, parse_formula, print_formula, values_of
from priscian.formulas.words import formula_symbols, formula_words, region_labels

__all__ = [
    "chance_of",
    "comparisons_of",
    "difference_of",
    "formula_symbols",
    "formula_words",
    "parse_formula",
    "print_formula",
    "region_labels",
    "values_of",
]
