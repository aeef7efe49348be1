"""Our own suites of syntactic generalization, one module per circuit."""

from priscian.suites.generate import Items, SuiteFile, generate_suite
from priscian.suites.registry import (
    Regions,
    Suite,
    find,
    further_suites,
    load_suites,
    suite,
    suites,
)
from priscian.suites.text import COMMA, STOP, dealt, read_rows, words

__all__ = [
    "COMMA",
    "STOP",
    "Items",
    "Regions",
    "Suite",
    "SuiteFile",
    "dealt",
    "find",
    "further_suites",
    "generate_suite",
    "load_suites",
    "read_rows",
    "suite",
    "suites",
    "words",
]
