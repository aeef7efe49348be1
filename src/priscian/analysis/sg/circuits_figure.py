"""Figures of syntactic generalization: accuracy by circuit and by suite."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.analysis.charts import dots, figure, share, tips
from priscian.analysis.sg.circuits import OVERALL, SgRuns, SgScore
from priscian.analysis.vega import Chart, Figure


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
            "name": s.name,
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
        f"Share of items whose prediction holds, by {what}; n = {n:,} items per model. Bars are "
        f"95 % intervals: {how}. Grey ticks are chance."
    )
    return figure(name, title, caption, chart, rows)
