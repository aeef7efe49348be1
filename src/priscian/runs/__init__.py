"""Runs: score models on data sets, keep the results in a folder, load them back."""

from __future__ import annotations

from priscian.runs.cite import keys_of, references
from priscian.runs.facts import DataFacts, ModelFacts, Request, RunInfo, Summary
from priscian.runs.job import score, score_table
from priscian.runs.kinds.graded import GradedSummary
from priscian.runs.kinds.labels import LabelsSummary
from priscian.runs.kinds.pairs import PairsSummary
from priscian.runs.kinds.suites import SuitesSummary
from priscian.runs.load import json_schema, load_run, load_runs
from priscian.runs.merging import merge
from priscian.runs.options import ScoreOptions, SuiteOptions
from priscian.runs.result import Result, Run
from priscian.runs.slurm_scripts import Resources, SlurmJob, slurm
from priscian.runs.tokens import TokenTable

__all__ = [
    "DataFacts",
    "GradedSummary",
    "LabelsSummary",
    "ModelFacts",
    "PairsSummary",
    "Request",
    "Resources",
    "Result",
    "Run",
    "RunInfo",
    "ScoreOptions",
    "SlurmJob",
    "SuiteOptions",
    "SuitesSummary",
    "Summary",
    "TokenTable",
    "json_schema",
    "keys_of",
    "load_run",
    "load_runs",
    "merge",
    "references",
    "score",
    "score_table",
    "slurm",
]
