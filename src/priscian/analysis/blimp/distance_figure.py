"""The figure of agreement at a distance: one panel for each comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from priscian.analysis.blimp.distance import Distance, contrasts
from priscian.analysis.charts import (
    LANES,
    colour,
    figure,
    inline,
    line_at,
    shape,
    share,
    share_domain,
    tips,
)
from priscian.analysis.vega import Chart, Figure


def distance_figure(found: Distance) -> Figure:
    """A panel for each comparison, a line for each model."""
    names = list(dict.fromkeys(c.model for c in found.conditions))
    rows = [
        {
            "comparison": c.comparison,
            "condition": c.condition,
            "model": c.model,
            "kind": "published" if c.published else "scored",
            "accuracy": c.accuracy.accuracy,
            "low": None if c.published else c.accuracy.ci[0],
            "high": None if c.published else c.accuracy.ci[1],
            "n": None if c.published else c.accuracy.n,
            "paradigms": c.paradigms,
            "change": None if c.change is None else c.change.difference,
        }
        for c in found.conditions
    ]
    domain = share_domain([v for r in rows for v in (r["low"], r["accuracy"])])
    panels = [
        _panel([r for r in rows if r["comparison"] == comparison], comparison, names, domain)
        for comparison in contrasts()
        if any(r["comparison"] == comparison for r in rows)
    ]
    caption = (
        "Accuracy on agreement with and without an adjective between, with attractors of the other "
        "number, and with irregular plurals: means of paradigms; n = "
        + _counts(found.n)
        + ". Bars are 95 % intervals: Wilson's, combined for means of paradigms (Zou et al. 2009)."
    )
    if any(c.published for c in found.conditions):
        caption += " Diamonds (*) are published figures on BLiMP's own sentences."
    chart: Chart = {"columns": 2, "concat": panels, "resolve": LANES}
    return figure("agreement-distance", "Agreement at a distance", caption, chart, rows)


def _counts(n: Mapping[str, int]) -> str:
    if len(set(n.values())) == 1:
        return f"{next(iter(n.values())):,} pairs"
    return ", ".join(f"{count:,} pairs ({name})" for name, count in n.items())


def _panel(
    rows: list[dict[str, Any]], comparison: str, names: list[str], domain: list[float]
) -> Chart:
    order = list(contrasts()[comparison])
    y = share("accuracy", "accuracy", domain)
    x = {
        "field": "condition",
        "type": "nominal",
        "sort": order,
        "title": None,
        "axis": {"labelAngle": 0, "labelLimit": 120},
    }
    lane = {"field": "model", "type": "nominal", "sort": names}
    tooltip = tips(
        "condition", "model", "accuracy:.1%", "low:.1%", "high:.1%", "change:+.1%", "n:,"
    )
    shared = {"x": x, "xOffset": lane, "color": colour(names), "tooltip": tooltip}
    return {
        "title": comparison,
        "width": 270,
        "height": 190,
        "data": inline(rows),
        "layer": [
            line_at("y", 0.5, "chance", y),
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.55},
                "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
                "encoding": {**shared, "y": y, "shape": shape(names)},
            },
        ],
    }
