"""Means of a table of accuracies by paradigm, such as BLiMP's authors released."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from priscian.analysis.registry import analysis
from priscian.analysis.result import OVERALL, AnalysisResult, Table
from priscian.datasets.graded_read import number_of
from priscian.errors import DataError, counted
from priscian.files import HIDDEN, INLINE, read_table

NAME, GROUP = "UID", "linguistics_term"


class SystemMeans(Struct, frozen=True):
    """Unweighted means of a system's accuracies, and these."""

    overall: float
    phenomena: Mapping[str, float]
    paradigms: Mapping[str, float]


class ModelSummary(AnalysisResult, frozen=True):
    """Accuracy by system and paradigm, and the phenomenon of each paradigm."""

    systems: Annotated[Mapping[str, SystemMeans], INLINE]
    phenomena: Annotated[Mapping[str, str], HIDDEN]

    @property
    def accuracies(self) -> dict[str, Mapping[str, float]]:
        """By system and paradigm."""
        return {name: means.paradigms for name, means in self.systems.items()}

    def means(self, system: str) -> dict[str, float]:
        """Unweighted means over paradigms, by phenomenon and overall."""
        means = self.systems[system]
        return {OVERALL: means.overall, **means.phenomena}

    def tables(self) -> list[Table]:
        """Phenomena, and systems beside each other."""
        means = [self.means(system) for system in self.systems]
        groups = sorted({name for column in means for name in column} - {OVERALL})
        rows = [
            (group, *(f"{100 * m[group]:.1f}" if group in m else "" for m in means))
            for group in (*groups, OVERALL)
        ]
        title = counted(len(self.phenomena), "paradigm")
        return [Table(title, ("", *self.systems), (*rows[:-1], None, rows[-1]))]


@analysis("published", "means of a released table of models")
def published(file: Path | str) -> ModelSummary:
    """Unweighted means over paradigms, by phenomenon and overall, of a table like BLiMP's.

    Example:
      priscian analyse published blimp/models_summary.jsonl

    >>> import tempfile
    >>> from pathlib import Path
    >>> import priscian
    >>> file = Path(tempfile.mkdtemp()) / "models.jsonl"
    >>> row = '{"UID": "wh_island", "linguistics_term": "island_effects", "gpt2": 0.5}'
    >>> _ = file.write_text(row)
    >>> priscian.analyse.published(file).means("gpt2")
    {'overall': 0.5, 'island_effects': 0.5}

    Parameters
    ----------
    file
        JSONL with UID, linguistics_term and a share of right choices for each system.
    """
    file = Path(file)
    if not file.is_file():
        raise DataError(f"no file {str(file)!r}; give BLiMP's models_summary.jsonl")
    accuracies: dict[str, dict[str, float]] = {}
    phenomena: dict[str, str] = {}
    for line, row in read_table(file):
        where = f"{file}:{line}"
        if NAME not in row or GROUP not in row:
            raise DataError(f"{where}: no {NAME} and {GROUP}; it needs both in every row")
        uid = str(row[NAME])
        if uid == OVERALL:  # rows of means: they are computed here
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
    systems = {}
    for system, column in accuracies.items():
        groups: dict[str, list[float]] = {}
        for uid, value in column.items():
            groups.setdefault(phenomena[uid], []).append(value)
        means = {name: math.fsum(values) / len(values) for name, values in groups.items()}
        systems[system] = SystemMeans(math.fsum(column.values()) / len(column), means, column)
    return ModelSummary(systems, phenomena)
