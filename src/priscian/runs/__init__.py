"""Runs: score models on data sets, and keep the results in a folder."""

from priscian.bridges.exports import FORMATS, export
from priscian.runs.cite import keys_of, references
from priscian.runs.folder import RunFolder, safe_name
from priscian.runs.results import Result, evaluate
from priscian.runs.run import Run, score
from priscian.runs.suites import SuiteOptions, SuitesResult, evaluate_suites

__all__ = [
    "FORMATS",
    "Result",
    "Run",
    "RunFolder",
    "SuiteOptions",
    "SuitesResult",
    "evaluate",
    "evaluate_suites",
    "export",
    "keys_of",
    "references",
    "safe_name",
    "score",
]
