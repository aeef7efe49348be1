"""The figure of training sizes: a panel for each phenomenon, people's level as a dashed line."""

from __future__ import annotations

import math
from typing import Any

from priscian.analysis.charts import CHANCE, colour, figure, inline, share, share_domain, tips
from priscian.analysis.curves.training_size import OVERALL, Curve, TrainingSize
from priscian.analysis.named_results import words
from priscian.analysis.vega import Chart, Figure

COLUMNS = 3
TICKS = 4
TIES = {
    "wrong": "count as wrong, so a model with many ties may be below chance",
    "half": "count half",
    "random": "are decided at random",
}


def training_size_figure(found: TrainingSize) -> Figure:
    """Accuracy over training tokens with fitted lines, by phenomenon."""
    names = list(dict.fromkeys(_curve(c) for c in found.curves))
    rows = [
        {
            "model": _curve(c),
            "name": _name(c.name),
            "checkpoint": p.model,
            "tokens": p.tokens,
            "accuracy": p.accuracy,
            "low": p.ci[0],
            "high": p.ci[1],
            "fitted": c.line.intercept + c.line.slope * math.log2(p.tokens),
            "slope": c.line.slope,
            "slope_low": c.line.ci[0],
            "slope_high": c.line.ci[1],
        }
        for c in found.curves
        for p in c.points
    ]
    people = [
        {"name": _name(c.name), "human": c.reach.human, "line": "people"}
        for c in found.curves
        if c.reach is not None
    ]
    domain = share_domain([v for r in rows for v in (r["low"],)])
    panels = [
        _panel(
            [r for r in rows if r["name"] == name],
            [p for p in people if p["name"] == name][:1],
            name,
            names,
            domain,
        )
        for name in dict.fromkeys(_name(c.name) for c in found.curves)
    ]
    sizes = len({(p.model, p.tokens) for c in found.curves for p in c.points})
    caption = (
        "Accuracy over training tokens, by phenomenon and overall (the mean of paradigms); "
        f"{sizes} models. Bars are 95 % intervals over items: Wilson's, combined for means of "
        "paradigms. Lines are least squares on log₂ tokens; slopes have Student's 95 % intervals. "
        f"{_ties(found)}"
    )
    if people:
        caption += " Dashes are people's individual accuracy on BLiMP's own sentences."
    return figure(
        "training-size",
        "Accuracy over training tokens",
        caption,
        {"columns": COLUMNS, "concat": panels},
        rows,
    )


def _ties(found: TrainingSize) -> str:
    """How ties count, beside chance: if they are wrong, a line may only show that they get rare."""
    said = [TIES.get(rule, f"are decided by {rule.replace(':', ' of ')}") for rule in found.ties]
    text = f"Chance is {CHANCE:.0%}; ties {' or '.join(said)}"
    most = f"; one model has {found.most_ties:.0%} ties" if found.most_ties else ""
    return f"{text}{most}.".replace("%", " %")


def _panel(
    rows: list[dict[str, Any]],
    people: list[dict[str, Any]],
    name: str,
    names: list[str],
    domain: list[float],
) -> Chart:
    x = {
        "field": "tokens",
        "type": "quantitative",
        "title": "training tokens",
        "scale": {"type": "log", "base": 2, "nice": False, "padding": 8},
        "axis": {"format": ".3~s", "values": _ticks(rows), "grid": False},
    }
    y = share("accuracy", None, domain)
    tooltip = tips(
        "checkpoint", "tokens:,", "accuracy:.1%", "low:.1%", "high:.1%", "slope:+.4f",
        "slope_low:+.4f", "slope_high:+.4f",
    )  # fmt: skip
    shared = {"x": x, "color": colour(names), "tooltip": tooltip}
    layers: list[Chart] = [
        {
            "mark": {"type": "rule", "opacity": 0.4},
            "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 30, "opacity": 1},
            "encoding": {**shared, "y": y},
        },
        {
            "mark": {"type": "line", "strokeWidth": 1.5},
            "encoding": {**shared, "y": {**y, "field": "fitted"}},
        },
    ]
    if people:
        layers.append(
            {
                "data": inline(people),
                "mark": {"type": "rule", "strokeDash": [5, 3], "color": "#888"},
                "encoding": {"y": {**y, "field": "human"}, "tooltip": tips("line", "human:.1%")},
            }
        )
    return {"title": name, "width": 170, "height": 120, "data": inline(rows), "layer": layers}


def _ticks(rows: list[dict[str, Any]]) -> list[float]:
    """Trained sizes, with some left out so that their labels fit."""
    sizes = sorted({float(row["tokens"]) for row in rows})
    step = -(-len(sizes) // TICKS)
    return sizes[::step]


def _curve(curve: Curve) -> str:
    return curve.curve or "models"


def _name(name: str) -> str:
    return name if name == OVERALL else words(name)
