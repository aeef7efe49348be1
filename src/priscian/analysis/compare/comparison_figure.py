"""The figure of a comparison: the difference in every set, with its interval."""

from __future__ import annotations

from priscian.analysis.charts import NO_CLEAR, UNSURE, Encoding, inline, look, tips
from priscian.analysis.compare.comparison import LEVEL, Comparison
from priscian.analysis.vega import SCHEMA, Chart, Figure

STEP = 15
SAYS = f"datum.label === '{NO_CLEAR}' ? datum.label : datum.label + ' better'"


def compare_figure(comparison: Comparison) -> Figure:
    """Every set's difference, a − b, with its interval; significant ones in colour."""
    a, b = comparison.a, comparison.b
    better = {True: a, False: b}
    rows = [
        {
            "set": s.name,
            "group": s.group,
            "difference": round(100 * s.difference, 2),
            "low": round(100 * s.ci[0], 2),
            "high": round(100 * s.ci[1], 2),
            "a": round(100 * s.a, 2),
            "b": round(100 * s.b, 2),
            "n": s.n,
            "only_a": s.only_a,
            "only_b": s.only_b,
            "p": s.p,
            "p_holm": s.p_holm,
            "better": better[s.difference > 0] if s.significant else NO_CLEAR,
        }
        for s in sorted(comparison.sets, key=lambda s: (s.group, -s.difference, s.name))
    ]
    tested = (
        f"{sum(s.significant for s in comparison.sets)} of {len(rows)} are significant at "
        f"{100 * LEVEL:.0f} % by McNemar's test with mid-p after Holm's correction"
    )
    caption = (
        f"Accuracy of {a} minus that of {b} on {comparison.data}, in points, for each set "
        f"(paradigm or suite), sorted by its class; {comparison.overlap.words}. Lines are 95 % "
        "intervals of a paired difference (Bonett and Price) and cover other items of the same "
        f"set. {tested}."
    )
    chart = _chart(rows, a, b, comparison.minus)
    return Figure("differences", comparison.minus, caption, chart, rows)


def _chart(rows: list[dict[str, object]], a: str, b: str, minus: str) -> Chart:
    names = [a, b, NO_CLEAR]
    legend = {"orient": "top", "labelLimit": 400, "labelExpr": SAYS}
    called = {
        "difference": minus,
        "a": f"accuracy of {a}",
        "b": f"accuracy of {b}",
        "only_a": f"{a} better, items",
        "only_b": f"{b} better, items",
        "group": "phenomenon",
    }
    return {
        "$schema": SCHEMA,
        "width": 460,
        "height": {"step": STEP},
        "data": inline(rows),
        "encoding": {
            "y": {
                "field": "set",
                "type": "nominal",
                "sort": [row["set"] for row in rows],
                "title": None,
                "axis": {"labelLimit": 360, "grid": False},
            },
            "color": {**look("color", names, "better"), "legend": legend},
            "tooltip": tips(
                "set", "group", "difference:+.1f", "low:+.1f", "high:+.1f", "a:.1f", "b:.1f", "n:,",
                "only_a:,", "only_b:,", "p:.2g", "p_holm:.2g", called=called,
            ),
        },
        "layer": [
            _no_difference(),
            *_points(minus, {**look("shape", names, "better"), "legend": legend}),
        ],
    }  # fmt: skip


def _no_difference() -> Chart:
    """A dashed line at 0."""
    return {
        "data": {"values": [{"zero": 0}]},
        "mark": {"type": "rule", "strokeDash": [4, 3], "color": UNSURE},
        "encoding": {
            "x": {"field": "zero", "type": "quantitative"},
            "y": None,
            "color": None,
            "tooltip": None,
        },
    }


def _points(minus: str, shape: Encoding) -> list[Chart]:
    """Each difference with its interval; a rule with a shape would get points of its own."""
    x = {"type": "quantitative", "title": f"accuracy, points: {minus}"}
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": {"x": {"field": "difference", "type": "quantitative"}, "shape": shape},
        },
    ]
