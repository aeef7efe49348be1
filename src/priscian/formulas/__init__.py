"""The formulas of suites: parsing, printing, regions that they use, chance levels."""

from __future__ import annotations

from priscian.formulas.chance import chance_of
from priscian.formulas.notation import comparisons_of, parse_formula, print_formula, values_of

__all__ = ["chance_of", "comparisons_of", "parse_formula", "print_formula", "values_of"]
