"""All analyses of runs on suites: circuits, suites, modifiers, perplexity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from priscian.analysis.sg.circuits import SgRuns, analyse_sg_runs
from priscian.analysis.sg.mixed_models import MixedModels
from priscian.analysis.sg.perplexity import SgPerplexity, against_perplexity
from priscian.analysis.sg.stability import Stability, analyse_stability
from priscian.analysis.vega import Figure, HasFigures
from priscian.errors import DataError
from priscian.files import read_table, shown
from priscian.runs import Result, SuitesSummary


@dataclass(frozen=True, slots=True)
class SgAnalysis(HasFigures):
    """Scores by circuit and suite; modifiers and perplexity if the data have them."""

    scores: SgRuns
    modifiers: Stability | None = None
    perplexity: SgPerplexity | None = None
    mixed: MixedModels | None = None
    """The regressions of Hu et al. (2020), if they were asked for."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures of all parts."""
        parts = (self.scores, self.modifiers, self.perplexity)
        return tuple(figure for part in parts if part is not None for figure in part.figures)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found: dict[str, Any] = {"models": self.scores.as_dict()}
        if self.modifiers is not None:
            found["modifiers"] = self.modifiers.as_dict()
        if self.perplexity is not None:
            found["perplexity"] = self.perplexity.as_dict()
        if self.mixed is not None:
            found["mixed_effects"] = self.mixed.as_dict()
        return found


def analyse_sg(
    results: Sequence[Result], perplexities: Mapping[str, float] | None = None
) -> SgAnalysis:
    """Scores of results on suites; with perplexities by model, SG score against them."""
    scores = analyse_sg_runs(results)
    modified = any(isinstance(r.summary, SuitesSummary) and r.summary.modifiers for r in results)
    return SgAnalysis(
        scores,
        analyse_stability(results) if modified else None,
        None if perplexities is None else against_perplexity(scores, perplexities),
    )


def read_perplexity(file: Path) -> dict[str, float]:
    """Perplexities by model, from a table with the columns model and perplexity.

    An empty cell is a perplexity that is not known.
    """
    found: dict[str, float] = {}
    for number, row in read_table(file, needs=("model", "perplexity")):
        cell = row["perplexity"]
        if cell is None or not str(cell).strip():
            continue
        try:
            value = float(cell)
        except (ValueError, TypeError, OverflowError):
            value = math.nan
        if not 1 <= value < math.inf:
            raise DataError(
                f"{file}:{number}: {shown(cell)} is not a perplexity; write a number from 1"
            )
        if found.setdefault(str(row["model"] or ""), value) != value:
            raise DataError(
                f"{file}:{number}: another row gives {shown(row['model'])} another perplexity; "
                "keep one of the two"
            )
    if not found:
        raise DataError(
            f"{file}: no perplexities; write at least one number in the column perplexity"
        )
    return found
