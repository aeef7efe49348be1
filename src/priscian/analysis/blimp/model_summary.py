"""Means of a table of accuracies by paradigm, such as BLiMP's authors released."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from priscian.datasets.graded_ratings import number_of
from priscian.errors import DataError
from priscian.files import read_table

NAME, GROUP, MEAN = "UID", "linguistics_term", "overall"


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """Accuracy by system and paradigm, and the phenomenon of each paradigm."""

    accuracies: Mapping[str, Mapping[str, float]]
    phenomena: Mapping[str, str]

    def means(self, system: str) -> dict[str, float]:
        """Unweighted means over paradigms, by phenomenon and overall."""
        groups: dict[str, list[float]] = {MEAN: []}
        for uid, value in self.accuracies[system].items():
            groups[MEAN].append(value)
            groups.setdefault(self.phenomena[uid], []).append(value)
        return {name: math.fsum(values) / len(values) for name, values in groups.items()}

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found = {}
        for system, column in self.accuracies.items():
            means = self.means(system)
            found[system] = {
                "overall": means.pop(MEAN),
                "phenomena": means,
                "paradigms": dict(column),
            }
        return found


def read_model_summary(file: Path) -> ModelSummary:
    """A file like `models_summary.jsonl`: UID, linguistics_term and a number for each system.

    Rows of means, whose UID is `overall`, are left out: means are computed here.
    """
    if not file.is_file():
        raise DataError(f"no file {str(file)!r}; give BLiMP's models_summary.jsonl")
    accuracies: dict[str, dict[str, float]] = {}
    phenomena: dict[str, str] = {}
    for line, row in read_table(file):
        where = f"{file}:{line}"
        if NAME not in row or GROUP not in row:
            raise DataError(f"{where}: no {NAME} and {GROUP}; it needs both in every row")
        uid = str(row[NAME])
        if uid == MEAN:
            continue
        if uid in phenomena:
            raise DataError(f"{where}: {uid} occurs twice; keep one")
        phenomena[uid] = str(row[GROUP])
        for system, cell in row.items():
            if system in (NAME, GROUP):
                continue
            value = number_of(cell, f"{system}'s accuracy", where)
            if value is None:
                continue
            if not 0 <= value <= 1:
                raise DataError(f"{where}: {system}'s accuracy is {value:g}; write a share, 0 to 1")
            accuracies.setdefault(system, {})[uid] = value
    if not accuracies:
        raise DataError(f"{file}: no accuracies; it needs a column for each system")
    return ModelSummary(accuracies, phenomena)
