"""The figures and regressions of Hu et al. (2020), computed from the released results."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from priscian.analysis.sg.mixed_models import criteria, mixed_models, ratio_tests
from priscian.analysis.sg.published_figures import figures
from priscian.analysis.sg.released import (
    find_perplexities,
    read_perplexities,
    read_suite_scores,
)
from priscian.errors import DataWarning
from priscian.stats.mixed_effects import Fit, RatioTest


@dataclass(frozen=True, slots=True)
class SgResults:
    """The values behind each figure by its name, and the regressions if they were fitted."""

    values: Mapping[str, Any]
    fits: Mapping[str, Fit] = field(default_factory=dict)

    @property
    def tests(self) -> dict[str, RatioTest]:
        """Likelihood-ratio tests between the regressions."""
        return ratio_tests(self.fits) if self.fits else {}

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        if not self.fits:
            return dict(self.values)
        return {**self.values, "lme": {name: criteria(fit) for name, fit in self.fits.items()}}


def analyse_release(
    folder: Path, perplexity: Path | None = None, mixed_effects: bool = False
) -> SgResults:
    """Figures 1 and 3–6, Table 4 and, on request, the six regressions."""
    scores = read_suite_scores(folder)
    table = perplexity or find_perplexities(folder)
    if table is None:
        warnings.warn(
            f"no perplexity.csv in or above {folder}, so Table 4 is left out; "
            "name the file with --perplexity",
            DataWarning,
            stacklevel=2,
        )
    values = figures(scores, read_perplexities(table) if table else ())
    return SgResults(dict(values), mixed_models(scores) if mixed_effects else {})
