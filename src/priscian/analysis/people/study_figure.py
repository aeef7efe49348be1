"""Pictures of a study: people's and models' accuracy on the same pairs, and response times."""

from __future__ import annotations

import math

from priscian.analysis.charts import inline
from priscian.analysis.people.study import StudyBesideModels
from priscian.analysis.vega import PALETTE, SCHEMA, Chart, Figure
from priscian.errors import counted

EDGES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)


def accuracy_figure(found: StudyBesideModels) -> Figure:
    """Everybody's accuracy by phenomenon and overall."""
    rows: list[dict[str, object]] = [
        {
            "who": s.who,
            "phenomenon": s.name.replace("_", " "),
            "per_cent": round(100 * s.accuracy, 2),
            "low": round(100 * s.low, 2),
            "high": round(100 * s.high, 2),
            "pairs": s.pairs,
        }
        for s in found.scores
    ]
    caption = (
        f"Accuracy of people ({found.people:,} of them) and of models on the same pairs of the "
        f"study {found.name}: unweighted means over sets, by majority the share of pairs; 95 % "
        "intervals, bootstrap over pairs within sets, by majority Wilson's. A model marked as "
        "asked answered the questionnaire; the others come from the runs."
    )
    caption = " ".join([caption, *found.notes])
    title = f"People and models on the same pairs: {found.name}"
    return Figure(f"study-{found.name}", title, caption, _accuracy_chart(rows), rows)


def _accuracy_chart(rows: list[dict[str, object]]) -> Chart:
    order = list(dict.fromkeys(row["phenomenon"] for row in rows))
    who = list(dict.fromkeys(row["who"] for row in rows))
    number = {"type": "quantitative", "format": ".1f"}
    tooltip = [
        {"field": "who", "type": "nominal"},
        {"field": "phenomenon", "type": "nominal"},
        *({"field": name, **number} for name in ("per_cent", "low", "high")),
        {"field": "pairs", "type": "quantitative"},
    ]
    y = {"field": "phenomenon", "type": "nominal", "sort": order, "title": None}
    colour = {"field": "who", "type": "nominal", "sort": who, "title": None}
    x = {"field": "low", "type": "quantitative", "title": "accuracy, per cent"}
    return {
        "$schema": SCHEMA,
        "width": 460,
        "height": {"step": 12},
        "data": inline(rows),
        "encoding": {
            "y": {**y, "axis": {"labelLimit": 300}},
            "yOffset": {"field": "who", "type": "nominal", "sort": who},
            "color": {**colour, "legend": {"orient": "top", "columns": 1, "labelLimit": 300}},
            "tooltip": tooltip,
        },
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {"x": {**x, "scale": {"zero": False}}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
                "encoding": {"x": {"field": "per_cent", "type": "quantitative"}},
            },
        ],
    }


def times_figure(found: StudyBesideModels) -> Figure:
    """How long people took, in bins that double."""
    rows: list[dict[str, object]] = []
    for low, high in zip((0.0, *EDGES), (*EDGES, math.inf), strict=True):
        name = f"{low:g}–{high:g}" if high < math.inf else f"over {low:g}"
        rows.append({"seconds": name, "answers": sum(low <= t < high for t in found.times)})
    caption = (
        f"Response times of people in the study {found.name}: {counted(len(found.times), 'answer')}"
        f" with a time, median {found.median_time:.2f} s. The bins double; time in a hidden tab is "
        "not counted."
    )
    chart: Chart = {
        "$schema": SCHEMA,
        "width": 460,
        "height": 180,
        "data": inline(rows),
        "mark": {"type": "bar", "color": PALETTE[0]},
        "encoding": {
            "x": {
                "field": "seconds",
                "type": "ordinal",
                "sort": [row["seconds"] for row in rows],
                "title": "seconds",
                "axis": {"labelAngle": 0},
            },
            "y": {"field": "answers", "type": "quantitative"},
            "tooltip": [{"field": "seconds"}, {"field": "answers", "type": "quantitative"}],
        },
    }
    return Figure(
        f"study-{found.name}-times", f"Response times: {found.name}", caption, chart, rows
    )
