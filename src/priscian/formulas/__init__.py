"""The formulas of suites: read, printed, their regions listed, their chance level worked out."""

from __future__ import annotations

from priscian.formulas.chance import chance_of
from priscian.formulas.notation import parse_formula, print_formula, values_of

__all__ = ["chance_of", "parse_formula", "print_formula", "values_of"]
