"""SG score and perplexity of the same models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

from msgspec import Struct, field

from priscian.analysis.charts import colour, figure, scatter, share, tips
from priscian.analysis.result import AnalysisResult, Table, percent
from priscian.analysis.sg.circuits import OVERALL, SgRuns
from priscian.analysis.vega import Figure
from priscian.errors import DataError
from priscian.files import HIDDEN, by
from priscian.stats.correlations import Correlation, pearson, spearman
from priscian.stats.interval import Interval

FEWEST = 4
"""The fewest models for which a correlation has an interval."""


class SgPoint(Struct, frozen=True):
    """A model's perplexity and SG score."""

    model: str
    perplexity: float
    accuracy: float = field(name="sg")
    ci: Interval


class SgPerplexity(AnalysisResult, frozen=True):
    """SG score and perplexity of the models for which both are known."""

    points: Annotated[tuple[SgPoint, ...], by("model")] = field(name="models")
    pearson: Correlation | None
    """Of SG score with the logarithm of perplexity; None for fewer than four models, or if a model
    has several SG scores."""
    spearman: Correlation | None
    missing: tuple[str, ...]
    kinds: Annotated[Mapping[str, tuple[str, str]], HIDDEN]
    """Architecture and corpus size of the models of a sweep: colour and shape of their points."""
    repeated: Annotated[bool, HIDDEN]
    """Whether a model has several SG scores, on several sets of suites."""
    comparable: bool
    """Whether the perplexities may be compared, as far as is known."""

    def tables(self) -> list[Table]:
        """One row for each model."""
        rows = tuple((p.model, f"{p.perplexity:,.2f}", percent(p)) for p in self.points)
        return [Table("SG score and perplexity", ("model", "perplexity", "SG score"), rows)]

    @property
    def findings(self) -> list[str]:
        """The correlation, or why there is none."""
        if self.repeated:
            said = "No correlation: a model has several SG scores, on several sets of suites"
        elif self.pearson is None:
            said = f"A correlation needs {FEWEST} models or more"
        else:
            low, high = self.pearson.ci
            said = (
                f"Pearson's r of SG score with log perplexity: {self.pearson.r:.3f} "
                f"({low:.3f} to {high:.3f})"
            )
        return [*(f"No perplexity of {name}" for name in self.missing), said]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """SG score over perplexity, one point for each model."""
        kinds = self.kinds
        rows = [
            {
                "model": p.model,
                "perplexity": p.perplexity,
                "sg": p.accuracy,
                "low": p.ci[0],
                "high": p.ci[1],
            }
            | (
                {"name": p.model, "model": kinds[p.model][0], "size": kinds[p.model][1]}
                if p.model in kinds
                else {}
            )
            for p in self.points
        ]
        names = list(dict.fromkeys(str(row["model"]) for row in rows))
        x = {
            "field": "perplexity",
            "type": "quantitative",
            "title": "perplexity",
            "scale": {"type": "log", "nice": False, "padding": 30},
            "axis": {"format": "~s", "tickCount": 5},
        }
        named = ("name", "model", "size") if kinds else ("model",)
        tooltip = tips(*named, "perplexity:,.1f", "sg:.1%", "low:.1%", "high:.1%")
        sizes = list(dict.fromkeys(size for _, size in kinds.values()))
        shape = {"field": "size", "type": "nominal", "title": "corpus", "sort": sizes}
        chart = scatter(
            rows,
            share("sg", "SG score", [0, 1]),
            {"x": x, "color": colour(names), "tooltip": tooltip},
            size=(420, 280),
            point=70,
            shape=shape if kinds else None,
        )
        caption = (
            f"SG score over perplexity (logarithmic) of {len(rows)} models. Bars are 95 % "
            "intervals: Student's t over suites, in Wilson's form; they cover other suites with "
            "other items."
        )
        if kinds:
            caption += (
                " Perplexity is per word; it is not comparable between closed vocabularies of "
                "different sizes, and that of a grammar is an upper bound."
            )
        if self.pearson and self.spearman:
            caption += (
                f" Pearson's r with log perplexity {self.pearson.r:.2f} "
                f"({self.pearson.ci[0]:.2f} to {self.pearson.ci[1]:.2f}), Spearman's ρ "
                f"{self.spearman.r:.2f}."
            )
        return (figure("sg-perplexity", "SG score and perplexity", caption, chart, rows),)


def against_perplexity(
    found: SgRuns,
    perplexities: Mapping[str, float],
    kinds: Mapping[str, tuple[str, str]] | None = None,
    *,
    is_comparable: bool = True,
) -> SgPerplexity:
    """SG scores and perplexities of the same models, matched by the name of result or model."""

    def name(label: str) -> str:
        return label if label in perplexities else found.trained.get(label, label)

    scores = [s for s in found.circuits if s.name == OVERALL]
    both = [s for s in scores if name(s.model) in perplexities]
    points = tuple(SgPoint(s.model, perplexities[name(s.model)], s.accuracy, s.ci) for s in both)
    if not points:
        raise DataError(
            f"no perplexity of {', '.join(s.model for s in scores)}; use the names in the runs"
        )
    logs, sg = [math.log(p.perplexity) for p in points], [p.accuracy for p in points]
    repeated = len({name(s.model) for s in both}) < len(both)
    enough = len(points) >= FEWEST and not repeated
    known = enough and len(set(logs)) > 1 and len(set(sg)) > 1
    return SgPerplexity(
        points,
        pearson(logs, sg) if known else None,
        spearman(logs, sg) if known else None,
        tuple(s.model for s in scores if s not in both),
        kinds or {},
        repeated,
        is_comparable,
    )
