"""SG score and perplexity of the same models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from priscian.analysis.sg.circuits import OVERALL, SgRuns
from priscian.analysis.vega import Figure, HasFigures
from priscian.errors import DataError
from priscian.files import plain
from priscian.stats.correlations import Correlation, pearson, spearman
from priscian.stats.interval import Interval

FEWEST = 4
"""The fewest models for which a correlation has an interval."""


@dataclass(frozen=True, slots=True)
class SgPerplexity(HasFigures):
    """SG score and perplexity of the models for which both are known."""

    points: tuple[tuple[str, float, float, Interval], ...]
    """Model, perplexity, SG score and its interval."""
    pearson: Correlation | None
    """Of SG score with the logarithm of perplexity; None for fewer than four models, or if a model
    has several SG scores."""
    spearman: Correlation | None
    missing: tuple[str, ...]
    kinds: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Architecture and corpus size of the models of a sweep: colour and shape of their points."""
    repeated: bool = False
    """Whether a model has several SG scores, on several sets of suites."""
    comparable: bool = True
    """Whether the perplexities may be compared, as far as is known."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """SG score against perplexity."""
        from priscian.analysis.sg.perplexity_figure import perplexity_figure

        return (perplexity_figure(self),)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "models": {
                model: {"perplexity": ppl, "sg": sg, "ci": list(ci)}
                for model, ppl, sg, ci in self.points
            },
            "pearson": plain(self.pearson) if self.pearson else None,
            "spearman": plain(self.spearman) if self.spearman else None,
            "missing": list(self.missing),
            "comparable": self.comparable,
        }


def against_perplexity(
    found: SgRuns,
    perplexities: Mapping[str, float],
    kinds: Mapping[str, tuple[str, str]] | None = None,
) -> SgPerplexity:
    """SG scores and perplexities of the same models, matched by the name of result or model."""

    def name(label: str) -> str:
        return label if label in perplexities else found.trained.get(label, label)

    scores = [s for s in found.circuits if s.name == OVERALL]
    both = [s for s in scores if name(s.model) in perplexities]
    points = [(s.model, perplexities[name(s.model)], s.accuracy, s.ci) for s in both]
    if not points:
        raise DataError(
            f"no perplexity of {', '.join(s.model for s in scores)}; use the names in the runs"
        )
    logs, sg = [math.log(p[1]) for p in points], [p[2] for p in points]
    repeated = len({name(s.model) for s in both}) < len(both)
    enough = len(points) >= FEWEST and not repeated
    known = enough and len(set(logs)) > 1 and len(set(sg)) > 1
    return SgPerplexity(
        tuple(points),
        pearson(logs, sg) if known else None,
        spearman(logs, sg) if known else None,
        tuple(s.model for s in scores if s not in both),
        kinds or {},
        repeated,
    )
