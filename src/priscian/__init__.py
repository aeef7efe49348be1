"""Priscian: targeted linguistic evaluation of language models.

>>> from priscian import load_model
>>> model = load_model("smollm2")                                          # doctest: +SKIP
>>> model.surprisals("The keys to the cabinet are here.")                  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priscian import analyse as analyse
    from priscian.analysis.compare import CompareOptions as CompareOptions
    from priscian.analysis.compare import compare as compare
    from priscian.analysis.transfer.job import TransferSettings as TransferSettings
    from priscian.api import Model as Model
    from priscian.api import export_tasks as export_tasks
    from priscian.api import load_model as load_model
    from priscian.api import perplexity as perplexity
    from priscian.datasets import PairColumns as PairColumns
    from priscian.datasets import read_blimp as read_blimp
    from priscian.datasets import read_dataset as read_dataset
    from priscian.datasets import read_pairs as read_pairs
    from priscian.datasets.generation import generate as generate
    from priscian.errors import PriscianError as PriscianError
    from priscian.models.convert import convert as convert
    from priscian.records import Contrast as Contrast
    from priscian.records import Item as Item
    from priscian.records import ItemSet as ItemSet
    from priscian.records import Judgement as Judgement
    from priscian.records import Sentence as Sentence
    from priscian.records import Span as Span
    from priscian.records import Text as Text
    from priscian.records import TokenScores as TokenScores
    from priscian.reporting import ReportOptions as ReportOptions
    from priscian.reporting import report as report
    from priscian.reporting import report_tables as report_tables
    from priscian.runs import Resources as Resources
    from priscian.runs import Result as Result
    from priscian.runs import Run as Run
    from priscian.runs import ScoreOptions as ScoreOptions
    from priscian.runs import SuiteOptions as SuiteOptions
    from priscian.runs import load_run as load_run
    from priscian.runs import merge as merge
    from priscian.runs import score as score
    from priscian.runs import slurm as slurm
    from priscian.runs.surprisal import Passage as Passage
    from priscian.runs.surprisal import Perplexity as Perplexity
    from priscian.runs.surprisal import SurprisalOptions as SurprisalOptions
    from priscian.runs.surprisal import SurprisalTable as SurprisalTable
    from priscian.runs.surprisal import read_passages as read_passages
    from priscian.runs.surprisal.words import surprisals as surprisals
    from priscian.scoring import Options as Options
    from priscian.scoring import ScoreStore as ScoreStore
    from priscian.sweeps.curve import Curve as Curve
    from priscian.sweeps.curve import curve as curve
    from priscian.training.classifiers.job import train_classifier as train_classifier
    from priscian.training.classifiers.settings import ClassifierSettings as ClassifierSettings
    from priscian.training.job import train as train
    from priscian.training.parser.api import train_parser as train_parser
    from priscian.training.parser.corpus import parse as parse
    from priscian.training.parser.corpus import parse_corpus as parse_corpus
    from priscian.training.parser.treebank import evaluate_parser as evaluate_parser

__version__ = "0.2.0"

_HOMES = {
    "Contrast": "priscian.records",
    "Item": "priscian.records",
    "ItemSet": "priscian.records",
    "Judgement": "priscian.records",
    "Sentence": "priscian.records",
    "Span": "priscian.records",
    "Text": "priscian.records",
    "TokenScores": "priscian.records",
    "CompareOptions": "priscian.analysis.compare",
    "compare": "priscian.analysis.compare",
    "TransferSettings": "priscian.analysis.transfer.job",
    "Model": "priscian.api",
    "export_tasks": "priscian.api",
    "load_model": "priscian.api",
    "perplexity": "priscian.api",
    "Options": "priscian.scoring",
    "PairColumns": "priscian.datasets",
    "PriscianError": "priscian.errors",
    "convert": "priscian.models.convert",
    "ReportOptions": "priscian.reporting",
    "report": "priscian.reporting",
    "report_tables": "priscian.reporting",
    "Result": "priscian.runs",
    "Run": "priscian.runs",
    "ScoreOptions": "priscian.runs",
    "SuiteOptions": "priscian.runs",
    "load_run": "priscian.runs",
    "merge": "priscian.runs",
    "ScoreStore": "priscian.scoring",
    "generate": "priscian.datasets.generation",
    "read_blimp": "priscian.datasets",
    "read_dataset": "priscian.datasets",
    "read_pairs": "priscian.datasets",
    "score": "priscian.runs",
    "slurm": "priscian.runs",
    "Resources": "priscian.runs",
    "Passage": "priscian.runs.surprisal",
    "Perplexity": "priscian.runs.surprisal",
    "SurprisalOptions": "priscian.runs.surprisal",
    "SurprisalTable": "priscian.runs.surprisal",
    "read_passages": "priscian.runs.surprisal",
    "surprisals": "priscian.runs.surprisal.words",
    "Curve": "priscian.sweeps.curve",
    "curve": "priscian.sweeps.curve",
    "train": "priscian.training.job",
    "evaluate_parser": "priscian.training.parser.treebank",
    "parse": "priscian.training.parser.corpus",
    "parse_corpus": "priscian.training.parser.corpus",
    "train_parser": "priscian.training.parser.api",
    "train_classifier": "priscian.training.classifiers.job",
    "ClassifierSettings": "priscian.training.classifiers.settings",
}

_MODULES = {"analyse"}
"""Modules that are reached as `priscian.NAME` without being imported first."""

__all__ = sorted([*_HOMES, *_MODULES])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"priscian.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'priscian' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
