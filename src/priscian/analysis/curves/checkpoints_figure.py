"""The figure of checkpoints: accuracy over steps or tokens, a panel for each phenomenon."""

from __future__ import annotations

from typing import Any

from priscian.analysis.charts import colour, dash, figure, inline, share, share_domain, tips
from priscian.analysis.curves.checkpoints import OVERALL, CheckpointCurves
from priscian.analysis.named_results import words
from priscian.analysis.vega import Chart, Figure

COLUMNS = 4


def checkpoints_figure(found: CheckpointCurves) -> Figure:
    """Overall first, then every class; people's accuracy is a dashed line."""
    series = list(dict.fromkeys(s.series or "model" for s in found.scores))
    rows = [
        {
            "model": s.series or "model",
            "checkpoint": s.model,
            "data": found.data,
            "amount": s.amount,
            "name": s.name if s.name == OVERALL else words(s.name),
            "accuracy": s.accuracy,
            "low": s.ci[0],
            "high": s.ci[1],
        }
        for s in found.scores
    ]
    what = "training tokens" if found.tokens else "training steps"
    domain = share_domain([row["low"] for row in rows])
    people = {name if name == OVERALL else words(name): a for name, a in found.people.items()}
    names = [OVERALL, *sorted({str(row["name"]) for row in rows} - {OVERALL})]
    panels = [
        _panel([r for r in rows if r["name"] == n], n, series, what, domain, people.get(n))
        for n in names
    ]
    count = len({row["checkpoint"] for row in rows})
    caption = (
        f"Accuracy of {count} checkpoints on {found.data} by {what}, read from their names or "
        "cards. Bands are 95 % intervals of each checkpoint."
    )
    if people:
        caption += " Dashes are people's accuracy on BLiMP's own sentences."
    chart: Chart = {"columns": COLUMNS, "concat": panels}
    return figure("checkpoints", f"Learning curves, {found.data}", caption, chart, rows)


def _panel(
    rows: list[dict[str, Any]],
    name: str,
    series: list[str],
    what: str,
    domain: list[float],
    people: float | None,
) -> Chart:
    amounts = sorted({float(row["amount"]) for row in rows})
    wide = amounts[0] > 0 and amounts[-1] / amounts[0] >= 20
    x = {
        "field": "amount",
        "type": "quantitative",
        "title": what,
        "scale": {"type": "log", "nice": False} if wide else {"zero": False},
        "axis": {"format": "~s", "tickCount": 4, "grid": False, "labelOverlap": True},
    }
    y = share("accuracy", None, domain)
    tooltip = tips(
        "checkpoint", "amount:,", "accuracy:.1%", "low:.1%", "high:.1%", called={"amount": what}
    )
    shared = {"x": x, "color": colour(series), "tooltip": tooltip}
    layers: list[Chart] = [
        {
            "mark": {"type": "area", "opacity": 0.18},
            "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "line", "strokeWidth": 1.8},
            "encoding": {**shared, "y": y, "strokeDash": dash(series)},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 16, "opacity": 1},
            "encoding": {**shared, "y": y},
        },
    ]
    if people is not None:
        layers.append(
            {
                "data": inline([{"human": people}]),
                "mark": {"type": "rule", "strokeDash": [5, 3], "color": "#888"},
                "encoding": {"y": {**y, "field": "human"}, "tooltip": tips("human:.1%")},
            }
        )
    return {"title": name, "width": 140, "height": 110, "data": inline(rows), "layer": layers}
