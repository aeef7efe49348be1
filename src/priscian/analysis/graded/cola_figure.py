"""Correlation with CoLA's labels by annotated feature: mean and range over restarts."""

from __future__ import annotations

import math

from priscian.analysis.charts import inline
from priscian.analysis.graded.cola_restarts import RestartsAnalysis
from priscian.analysis.vega import PALETTE, SCHEMA, Chart, Figure

NAMES = {"major": 2, "minor": 3}
"""The paper's figures."""


def feature_figure(found: RestartsAnalysis, kind: str) -> Figure:
    """One point for each feature and model, a line for its range, dashed lines for the test set."""
    rows: list[dict[str, object]] = [
        {
            "feature": feature,
            "model": model,
            "n": cell.n,
            "mcc": round(cell.mean, 4),
            "low": round(cell.low, 4),
            "high": round(cell.high, 4),
        }
        for model, members in found.features[kind].items()
        for feature, cell in members.items()
        if not math.isnan(cell.mean)
    ]
    chart = _chart(found, kind, rows)
    caption = (
        f"Matthews' correlation with the labels of the analysis set, by {kind} feature, as in "
        f"Figure {NAMES[kind]} of Vázquez Martínez (2021): the mean over restarts and, as a line, "
        "their range. Dashed: the mean on the out-of-domain test set. Features whose sentences all "
        "have one label are left out."
    )
    return Figure(f"cola-{kind}", f"CoLA by {kind} feature", caption, chart, rows)


def _chart(found: RestartsAnalysis, kind: str, rows: list[dict[str, object]]) -> Chart:
    models = list(found.features[kind])
    shades = [PALETTE[n % len(PALETTE)] for n in range(len(models))]
    colour = {
        "field": "model",
        "type": "nominal",
        "title": None,
        "sort": models,
        "scale": {"domain": models, "range": shades},
    }
    place = {
        "x": {"field": "feature", "type": "nominal", "title": None, "axis": {"labelAngle": -45}},
        "xOffset": {"field": "model", "sort": models},
        "color": colour,
    }
    low = {"field": "low", "type": "quantitative", "title": "MCC"}
    means = [{"model": row.model, "mean": round(row.mean, 4)} for row in found.rows]
    return {
        "$schema": SCHEMA,
        "title": f"CoLA's analysis set by {kind} feature",
        "width": {"step": max(10, 30 // max(1, len(models)))},
        "height": 260,
        "layer": [
            {
                "data": inline(rows),
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": place | {"y": low, "y2": {"field": "high"}},
            },
            {
                "data": inline(rows),
                "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
                "encoding": place | {"y": {"field": "mcc", "type": "quantitative"}},
            },
            {
                "data": inline(means),
                "mark": {"type": "rule", "strokeDash": [5, 4]},
                "encoding": {"y": {"field": "mean", "type": "quantitative"}, "color": colour},
            },
        ],
    }
