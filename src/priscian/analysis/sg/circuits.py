"""Syntactic generalization of runs: by circuit and by suite."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Struct

from priscian.analysis.charts import dots, figure, share, tips
from priscian.analysis.named_results import suite_results
from priscian.analysis.result import AnalysisResult, Table, percent, points
from priscian.analysis.vega import Chart, Figure
from priscian.files import HIDDEN, INLINE, by
from priscian.runs import Result, SuitesSummary
from priscian.runs.kinds.suites import SgScore, SuiteScore
from priscian.stats.interval import Interval

OVERALL = "SG score"


class SgPart(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The score of a suite, of a circuit, or of all suites."""

    model: Annotated[str, HIDDEN]
    name: Annotated[str, HIDDEN]
    circuit: str | None = None
    """The circuit of a suite; None for a circuit and for the SG score."""
    accuracy: float
    n: int
    ties: int
    chance: float
    ci: Interval


class SgModel(Struct, frozen=True, omit_defaults=True):
    """One model's circuits, suites and SG score."""

    model: str
    circuits: Annotated[tuple[SgPart, ...], by("name")]
    suites: Annotated[tuple[SgPart, ...], by("name")]
    sg: SgPart
    delta: Mapping[str, float] | None = None
    """By circuit: accuracy minus the mean of the models, where there are several."""


class SgRuns(AnalysisResult, frozen=True):
    """Every model's SG score, its circuits and its suites."""

    models: Annotated[tuple[SgModel, ...], by("model"), INLINE]
    trained: Annotated[Mapping[str, str], HIDDEN]
    """The model's own name, by the name of its result: `lstm on sg` is a result of `lstm`."""

    @property
    def circuits(self) -> tuple[SgPart, ...]:
        """All models' circuits; the SG score comes last for every model."""
        return tuple(s for m in self.models for s in (*m.circuits, m.sg))

    @property
    def suites(self) -> tuple[SgPart, ...]:
        """All models' suites."""
        return tuple(s for m in self.models for s in m.suites)

    def tables(self) -> list[Table]:
        """Circuits, then suites."""
        rows = []
        for m in self.models:
            for s in (*m.circuits, m.sg):
                delta = (m.delta or {}).get(s.name)
                cells = (f"{s.n:,}", f"{100 * s.chance:.1f}", percent(s))
                rows.append((s.model, s.name, *cells, "" if delta is None else points(delta)))
        circuits = Table(
            "Syntactic generalization by circuit, per cent",
            ("model", "circuit", "n", "chance", "accuracy", "minus mean of models"),
            tuple(rows),
            names=2,
        )
        suites = Table(
            "By suite, per cent",
            ("suite", "circuit", "model", "n", "accuracy"),
            tuple(
                (s.name, s.circuit or "", s.model, f"{s.n:,}", percent(s))
                for s in sorted(self.suites, key=lambda s: (s.circuit or "", s.name))
            ),
            names=3,
        )
        return [circuits, suites]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Scores by circuit and by suite."""
        return (
            _figure(
                self.circuits,
                "sg-by-circuit",
                "Syntactic generalization by circuit",
                "circuit",
                "Student's t over suites, in Wilson's form; they cover other suites with other "
                "items",
            ),
            _figure(
                self.suites,
                "sg-by-suite",
                "Syntactic generalization by suite",
                "suite",
                "Wilson's; they cover other items of the same suite",
            ),
        )


def analyse_sg_runs(results: Sequence[Result]) -> SgRuns:
    """Collect the scores of the runs, with their intervals."""

    def score(model: str, name: str, cell: SuiteScore | SgScore, circuit: str | None) -> SgPart:
        return SgPart(
            model=model, name=name, circuit=circuit, accuracy=cell.accuracy, n=cell.n,
            ties=cell.ties, chance=cell.chance, ci=cell.ci,
        )  # fmt: skip

    named = suite_results(results)
    summaries = {r.label: r.expect(SuitesSummary) for r in named}
    accuracies: dict[str, list[float]] = {}
    for summary in summaries.values():
        cells: dict[str, SuiteScore | SgScore] = {**summary.circuits, OVERALL: summary.sg}
        for circuit, cell in cells.items():
            accuracies.setdefault(circuit, []).append(cell.accuracy)
    means = {
        circuit: math.fsum(found) / len(found)
        for circuit, found in accuracies.items()
        if len(found) == len(named) > 1
    }
    models = []
    for r in named:
        summary = summaries[r.label]
        circuits = tuple(score(r.label, c, cell, None) for c, cell in summary.circuits.items())
        sg = score(r.label, OVERALL, summary.sg, None)
        suites = sorted(summary.suites.items(), key=lambda kv: (r.narrowest(kv[0]), kv[0]))
        own = {s.name: s.accuracy for s in (*circuits, sg)}
        models.append(
            SgModel(
                r.label,
                circuits,
                tuple(score(r.label, name, cell, r.narrowest(name)) for name, cell in suites),
                sg,
                {c: own[c] - mean for c, mean in means.items()} if len(named) > 1 else None,
            )
        )
    return SgRuns(tuple(models), {r.label: r.model for r in named})


def _figure(scores: Sequence[SgPart], name: str, title: str, what: str, how: str) -> Figure:
    models = list(dict.fromkeys(s.model for s in scores))
    rows = [
        {
            "model": s.model,
            "name": s.name,
            "circuit": s.circuit or "",
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
        f"Share of items whose prediction holds, by {what}; n = {n:,} items per model. Bars are "
        f"95 % intervals: {how}. Grey ticks are chance."
    )
    return figure(name, title, caption, chart, rows)
