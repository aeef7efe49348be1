"""Readers and writers of data sets, and the data strings that name them."""

from __future__ import annotations

from priscian.datasets.blimp import blimp_row, read_blimp, write_blimp, write_pairs
from priscian.datasets.pairs import identical_pairs, read_pairs
from priscian.datasets.reference import blimp_taxonomy, canonical_uid
from priscian.datasets.registry import (
    DataFormat,
    Dataset,
    PairColumns,
    Partial,
    data_format,
    data_formats,
    read_dataset,
    register_format,
)
from priscian.datasets.syntaxgym import read_suite, read_suites
from priscian.datasets.syntaxgym_write import write_suite

__all__ = [
    "DataFormat",
    "Dataset",
    "PairColumns",
    "Partial",
    "blimp_row",
    "blimp_taxonomy",
    "canonical_uid",
    "data_format",
    "data_formats",
    "identical_pairs",
    "read_blimp",
    "read_dataset",
    "read_pairs",
    "read_suite",
    "read_suites",
    "register_format",
    "write_blimp",
    "write_pairs",
    "write_suite",
]
