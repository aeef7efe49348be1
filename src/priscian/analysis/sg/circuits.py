"""Syntactic generalization of runs: by circuit, by suite, and against perplexity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from priscian.analysis.marks import colour, dots, figure, share, tips
from priscian.analysis.named_results import suite_results, words
from priscian.analysis.vega import Chart, Figure, HasFigures, inline
from priscian.errors import DataError
from priscian.runs import Result, SuitesSummary
from priscian.runs.kinds.suites import SgScore as SgMean
from priscian.runs.kinds.suites import SuiteScore
from priscian.stats.correlations import Correlation, pearson, spearman
from priscian.stats.interval import Interval

OVERALL = "SG score"
FEWEST = 4
"""So many models are needed for an interval of a correlation."""


@dataclass(frozen=True, slots=True)
class SgScore:
    """A suite, a circuit, or all suites."""

    model: str
    name: str
    circuit: str
    """Of a suite; nothing for a circuit and for the SG score."""
    accuracy: float
    n: int
    ties: int
    chance: float
    ci: Interval

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "accuracy": self.accuracy,
            "n": self.n,
            "ties": self.ties,
            "chance": self.chance,
            "ci": list(self.ci),
        }


@dataclass(frozen=True, slots=True)
class SgRuns(HasFigures):
    """Every model's SG score, its circuits and its suites."""

    circuits: tuple[SgScore, ...]
    """The SG score comes last for every model."""
    suites: tuple[SgScore, ...]
    deltas: Mapping[str, Mapping[str, float]]
    """By model and circuit: accuracy less the mean of models, where there are several."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Scores by circuit and by suite."""
        return (circuits_figure(self), suites_figure(self))

    def as_dict(self) -> dict[str, Any]:
        """By model."""
        found: dict[str, dict[str, Any]] = {}
        for s in self.circuits:
            mine = found.setdefault(s.model, {"circuits": {}, "suites": {}})
            if s.name == OVERALL:
                mine["sg"] = s.as_dict()
            else:
                mine["circuits"][s.name] = s.as_dict()
        for s in self.suites:
            found[s.model]["suites"][s.name] = {"circuit": s.circuit, **s.as_dict()}
        for model, deltas in self.deltas.items():
            found[model]["delta"] = dict(deltas)
        return found


def analyse_sg_runs(results: Sequence[Result]) -> SgRuns:
    """Gather the results of the runs, with their intervals."""
    circuits: list[SgScore] = []
    suites: list[SgScore] = []
    for r in suite_results(results):
        summary = r.expect(SuitesSummary)
        circuits += [_score(r.label, c, "", cell) for c, cell in summary.circuits.items()]
        circuits.append(_score(r.label, OVERALL, "", summary.sg))
        suites += [
            _score(r.label, name, r.narrowest(name), cell)
            for name, cell in sorted(
                summary.suites.items(), key=lambda kv: (r.narrowest(kv[0]), kv[0])
            )
        ]
    return SgRuns(tuple(circuits), tuple(suites), _deltas(circuits))


def _score(model: str, name: str, circuit: str, cell: SuiteScore | SgMean) -> SgScore:
    return SgScore(model, name, circuit, cell.accuracy, cell.n, cell.ties, cell.chance, cell.ci)


def _deltas(circuits: Sequence[SgScore]) -> dict[str, dict[str, float]]:
    models = list(dict.fromkeys(s.model for s in circuits))
    if len(models) < 2:
        return {}
    found: dict[str, dict[str, float]] = {model: {} for model in models}
    for name in dict.fromkeys(s.name for s in circuits):
        same = [s for s in circuits if s.name == name]
        if len(same) == len(models):
            mean = math.fsum(s.accuracy for s in same) / len(same)
            for s in same:
                found[s.model][name] = s.accuracy - mean
    return found


def circuits_figure(found: SgRuns) -> Figure:
    """Accuracy by circuit, and the SG score."""
    return _figure(
        found.circuits,
        "sg-by-circuit",
        "Syntactic generalization by circuit",
        "circuit",
        "Student's t over suites, in Wilson's form; they cover other suites with other items",
    )


def suites_figure(found: SgRuns) -> Figure:
    """Accuracy by suite."""
    return _figure(
        found.suites,
        "sg-by-suite",
        "Syntactic generalization by suite",
        "suite",
        "Wilson's; they cover other items of the same suite",
    )


def _figure(scores: Sequence[SgScore], name: str, title: str, what: str, how: str) -> Figure:
    models = list(dict.fromkeys(s.model for s in scores))
    rows = [
        {
            "model": s.model,
            "name": words(s.name),
            "circuit": s.circuit,
            "accuracy": s.accuracy,
            "low": s.ci[0],
            "high": s.ci[1],
            "chance": s.chance,
            "n": s.n,
            "ties": s.ties,
        }
        for s in scores
    ]
    order = [n for n in dict.fromkeys(str(r["name"]) for r in rows) if n != OVERALL]
    order += [OVERALL] if any(r["name"] == OVERALL for r in rows) else []
    x = share("accuracy", "share of items whose prediction holds", [0, 1])
    tooltip = tips(
        "name", "model", "accuracy:.1%", "low:.1%", "high:.1%", "chance:.1%", "n:,", "ties:,"
    )
    chart = dots(rows, models, order, x, tooltip)
    ticks: Chart = {
        "mark": {"type": "tick", "thickness": 2, "color": "#888", "opacity": 0.7, "size": 14},
        "encoding": {
            "x": {**x, "field": "chance"},
            "y": chart["layer"][0]["encoding"]["y"],
            "tooltip": tips("name", "chance:.1%"),
        },
    }
    chart["layer"].insert(0, ticks)
    n = max(sum(s.n for s in scores if s.model == m and s.name != OVERALL) for m in models)
    caption = (
        f"Share of items whose prediction holds, by {what}; n = {n:,} items a model. Bars are 95 % "
        f"intervals: {how}. Grey ticks are chance."
    )
    return figure(name, title, caption, chart, rows)


@dataclass(frozen=True, slots=True)
class SgPerplexity(HasFigures):
    """SG score and perplexity of the models that both are known of."""

    points: tuple[tuple[str, float, float, Interval], ...]
    """Model, perplexity, SG score and its interval."""
    pearson: Correlation | None
    """Of SG score with the logarithm of perplexity; None for fewer than four models."""
    spearman: Correlation | None
    missing: tuple[str, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """SG score against perplexity."""
        return (perplexity_figure(self),)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "models": {
                model: {"perplexity": ppl, "sg": sg, "ci": list(ci)}
                for model, ppl, sg, ci in self.points
            },
            "pearson": self.pearson.as_dict() if self.pearson else None,
            "spearman": self.spearman.as_dict() if self.spearman else None,
            "missing": list(self.missing),
        }


def against_perplexity(found: SgRuns, perplexities: Mapping[str, float]) -> SgPerplexity:
    """SG scores beside perplexities, by the models' names."""
    scores = [s for s in found.circuits if s.name == OVERALL]
    points = [(s.model, perplexities[s.model], s.accuracy, s.ci) for s in scores
              if s.model in perplexities]  # fmt: skip
    if not points:
        raise DataError(
            f"no perplexity of {', '.join(s.model for s in scores)}; name models as the runs do"
        )
    logs, sg = [math.log(p[1]) for p in points], [p[2] for p in points]
    known = len(points) >= FEWEST and len(set(logs)) > 1 and len(set(sg)) > 1
    return SgPerplexity(
        tuple(points),
        pearson(logs, sg) if known else None,
        spearman(logs, sg) if known else None,
        tuple(s.model for s in scores if s.model not in perplexities),
    )


def perplexity_figure(found: SgPerplexity) -> Figure:
    """SG score over perplexity, a point a model."""
    rows = [
        {"model": m, "perplexity": ppl, "sg": sg, "low": ci[0], "high": ci[1]}
        for m, ppl, sg, ci in found.points
    ]
    x = {
        "field": "perplexity",
        "type": "quantitative",
        "title": "perplexity",
        "scale": {"type": "log", "nice": False, "padding": 30},
        "axis": {"format": "~s", "tickCount": 5},
    }
    y = share("sg", "SG score", [0, 1])
    tooltip = tips("model", "perplexity:,.1f", "sg:.1%", "low:.1%", "high:.1%")
    shared = {"x": x, "color": colour([p[0] for p in found.points]), "tooltip": tooltip}
    chart: Chart = {
        "width": 420,
        "height": 280,
        "data": inline(rows),
        "layer": [
            {
                "mark": {"type": "rule", "opacity": 0.5},
                "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {**shared, "y": y},
            },
        ],
    }
    caption = (
        f"SG score over perplexity (logarithmic) of {len(rows)} models. Bars are 95 % intervals: "
        "Student's t over suites, in Wilson's form; they cover other suites with other items."
    )
    if found.pearson and found.spearman:
        caption += (
            f" Pearson's r with log perplexity {found.pearson.r:.2f} "
            f"({found.pearson.ci[0]:.2f} to {found.pearson.ci[1]:.2f}), Spearman's ρ "
            f"{found.spearman.r:.2f}."
        )
    return figure("sg-perplexity", "SG score and perplexity", caption, chart, rows)
