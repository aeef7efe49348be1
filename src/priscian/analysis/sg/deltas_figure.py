"""Figures of ΔSG: by architecture and by size, over all suites and by circuit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from priscian.analysis.charts import LANES, colour, dots, figure, inline, line_at, tips
from priscian.analysis.sg.deltas import By, Delta, Deltas
from priscian.analysis.vega import Chart, Figure

TITLES: dict[By, str] = {"architecture": "by architecture", "size": "by corpus size"}
SHADES = ("#a9c3d4", "#6f9dbb", "#3f789f", "#1d5a83", "#0a3f63", "#04283f")
"""Colours of sizes, from small to large."""
INTERVALS = "Bars are Student's 95 % intervals over suites."


def deltas_figure(found: Deltas) -> Figure:
    """ΔSG over all suites, as in Figure 3 of Hu et al. (2020)."""
    whole = [row for row in found.rows if not row.circuit]
    domain = _domain(whole)
    panels = [_panel(by, [r for r in whole if r.by == by], domain) for by in _present(whole)]
    caption = (
        "Score of each suite minus the mean of all kinds of models on it, averaged over "
        f"{max(r.suites for r in whole)} suites. {_grid(found)} {INTERVALS}"
    )
    chart: Chart = {
        "hconcat": panels,
        "spacing": 50,
        "resolve": {"scale": {"color": "independent"}},
    }
    return figure("delta-sg", "ΔSG by architecture and by size", caption, chart, _rows(whole))


def circuit_deltas_figure(found: Deltas) -> Figure:
    """ΔSG by circuit, as in Figure 4 of Hu et al. (2020)."""
    parts = [row for row in found.rows if row.circuit]
    circuits = list(dict.fromkeys(row.circuit for row in parts))
    x = {**_axis(_domain(parts)), "title": "ΔSG"}
    panels: list[Chart] = []
    for by in _present(parts):
        own = [row for row in parts if row.by == by]
        names = list(dict.fromkeys(row.name for row in own))
        rows = [r | {"model": r["name"], "name": r["circuit"]} for r in _rows(own)]
        tooltip = tips("model", "name", "delta:+.3f", "low:+.3f", "high:+.3f", "suites:,")
        chart = dots(rows, names, circuits, x, tooltip, line=(0.0, "mean of all models"))
        for layer in chart["layer"][1:]:
            layer["encoding"]["color"] = _colour(by, names)
        # each panel names its rows: on a page, one may stand below the other
        panels.append({**chart, "title": TITLES[by], "width": 240})
    height = max(panel["height"] for panel in panels)
    panels = [{**panel, "height": height} for panel in panels]
    caption = (
        "Score of each suite minus the mean of all kinds of models on it, averaged over the suites "
        f"of a circuit. {_grid(found)} {INTERVALS}"
    )
    chart = {
        "hconcat": panels,
        "spacing": 20,
        "resolve": {"scale": {**LANES["scale"], "color": "independent", "shape": "independent"}},
    }
    return figure("delta-sg-by-circuit", "ΔSG by circuit", caption, chart, _rows(parts))


def _present(rows: Sequence[Delta]) -> list[By]:
    return [by for by in TITLES if any(row.by == by for row in rows)]


def _colour(by: By, names: Sequence[str]) -> dict[str, Any]:
    """Architectures have the colours that they have everywhere, sizes get darker."""
    made = colour(names)
    if by == "architecture":
        return made
    shades = SHADES[-len(names) :] if len(names) > 3 else SHADES[1::2]
    return {**made, "scale": {"domain": list(names), "range": list(shades)}}


def _grid(found: Deltas) -> str:
    said = {
        "architecture": f"architectures are compared at {_listed(found.sizes)}",
        "size": f"sizes are compared with {_listed(found.architectures)}",
    }
    text = "; ".join(said[by] for by in _present(found.rows))
    return f"{text[:1].upper()}{text[1:]}."


def _listed(names: Sequence[str]) -> str:
    return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"


def _rows(deltas: Sequence[Delta]) -> list[dict[str, Any]]:
    return [
        {
            "by": d.by,
            "circuit": d.circuit,
            "name": d.name,
            "delta": d.mean,
            "low": d.ci[0] if d.ci else None,
            "high": d.ci[1] if d.ci else None,
            "suites": d.suites,
        }
        for d in deltas
    ]


def _domain(deltas: Sequence[Delta]) -> list[float]:
    values = [abs(v) for d in deltas for v in (d.mean, *(d.ci or ()))]
    most = min(1.0, max([*values, 0.05]) * 1.05)
    return [-most, most]


def _axis(domain: list[float]) -> dict[str, Any]:
    return {
        "field": "delta",
        "type": "quantitative",
        "axis": {"format": "+.2~f"},
        "scale": {"domain": domain, "nice": False},
    }


def _panel(by: By, deltas: Sequence[Delta], domain: list[float]) -> Chart:
    rows = [row | {"model": row["name"]} for row in _rows(deltas)]
    names = [d.name for d in deltas]
    y = {**_axis(domain), "title": "ΔSG"}
    x = {
        "field": "name",
        "type": "nominal",
        "sort": names,
        "title": None,
        "axis": {"labelAngle": 0 if by == "size" else -30},
    }
    shared = {
        "x": x,
        "color": {**_colour(by, names), "legend": None},
        "tooltip": tips("name", "delta:+.3f", "low:+.3f", "high:+.3f", "suites:,"),
    }
    return {
        "title": TITLES[by],
        "width": 46 * max(3, len(names)),
        "height": 240,
        "data": inline(rows),
        "layer": [
            line_at("y", 0.0, "mean of all models", y),
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.55},
                "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {**shared, "y": y},
            },
        ],
    }
