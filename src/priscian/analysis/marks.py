"""Parts of charts that many figures share: colours of models, shares of items, intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from priscian.analysis.model_looks import look
from priscian.analysis.named_results import words
from priscian.analysis.vega import SCHEMA, Chart, Figure, Row, inline

Encoding = dict[str, Any]
CHANCE = 0.5
TITLES = {
    "label": "name",
    "low": "95 % interval from",
    "high": "95 % interval to",
    "n": "items",
    "ties": "tied items",
    "p": "p",
    "p_holm": "p after Holm's correction",
    "set": "set",
    "same": "same answers",
    "full": "accuracy, full sentences",
    "plain": "without the modifier",
    "modified": "with the modifier",
    "slope": "points per doubling",
    "slope_low": "slope: 95 % interval from",
    "slope_high": "slope: 95 % interval to",
    "human": "people",
    "at": "at",
    "only_a": "first better, items",
    "only_b": "second better, items",
    "public": "accuracy, public pairs",
    "fresh": "accuracy, fresh pairs",
    "from": "bin from",
    "to": "bin to",
}
"""What fields are called in a tooltip; others by their own name."""

LANES: Encoding = {"scale": {"xOffset": "independent", "yOffset": "independent"}}
"""How panels side by side share scales: each panel sets the width of its models' lanes."""


def colour(names: Sequence[str]) -> Encoding:
    """One colour for each model, in the order of the models."""
    return look("color", names)


def shape(names: Sequence[str]) -> Encoding:
    """One shape for each model, so that colours need not be told apart."""
    return look("shape", names)


def dash(names: Sequence[str]) -> Encoding:
    """One kind of line for each model."""
    return look("strokeDash", names)


def share(field: str, title: str | None, domain: Sequence[float] | None = None) -> Encoding:
    """A share of items, in per cent."""
    scale = {"domain": list(domain), "nice": False} if domain else {"zero": False}
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "axis": {"format": "%"},
        "scale": scale,
    }


def share_domain(values: Iterable[object], most: float = 0.4) -> list[float]:
    """From the tenth below the smallest value to 1; chance is always included."""
    numbers = [v for v in values if isinstance(v, float | int)]
    low = min([most, *(math.floor(10 * v) / 10 for v in numbers)])
    return [max(0.0, round(low, 1)), 1.0]


def tips(*fields: str, called: Mapping[str, str] | None = None) -> list[Encoding]:
    """The tooltip of a mark: `name`, or `field:format` for numbers; `called` has other titles."""
    made: list[Encoding] = []
    titles = {**TITLES, **(called or {})}
    for field in fields:
        name, _, form = field.partition(":")
        shown = {"field": name, "title": titles.get(name, words(name))}
        made.append(
            {**shown, "type": "quantitative", "format": form}
            if form
            else {**shown, "type": "nominal"}
        )
    return made


def line_at(axis: str, value: float, says: str, scale: Encoding) -> Chart:
    """A dashed line across the chart, for chance or no difference."""
    return {
        "data": inline([{"at": value, "line": says}]),
        "mark": {"type": "rule", "strokeDash": [4, 4], "opacity": 0.6, "color": "#888"},
        "encoding": {axis: {**scale, "field": "at"}, "tooltip": tips("line", "at:.3~f")},
    }


def dots(
    rows: Sequence[Row],
    names: Sequence[str],
    order: Sequence[str],
    x: Encoding,
    tooltip: Sequence[Encoding],
    *,
    label: str = "name",
    line: tuple[float, str] | None = None,
) -> Chart:
    """Points with intervals, one row of the chart for each name and a lane for each model in it."""
    y = {
        "field": label,
        "type": "nominal",
        "sort": list(order),
        "title": None,
        "axis": {"labelLimit": 300, "grid": True, "tickBand": "extent"},
    }
    lane = {"field": "model", "type": "nominal", "sort": list(names)}
    shared = {"y": y, "yOffset": lane, "color": colour(names), "tooltip": list(tooltip)}
    whisker: Chart = {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.55},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, **shared},
    }
    point: Chart = {
        "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
        "encoding": {"x": x, **shared, "shape": shape(names)},
    }
    layers = [whisker, point]
    if line is not None:
        layers.insert(0, line_at("x", line[0], line[1], x))
    return {
        "width": 420,
        "height": max(60, len(order) * (10 + 9 * len(names))),
        "data": inline(rows),
        "layer": layers,
    }


def figure(name: str, title: str, caption: str, chart: Chart, rows: Sequence[Row]) -> Figure:
    """A chart with its schema and title."""
    return Figure(name, title, caption, {"$schema": SCHEMA, "title": title, **chart}, rows)
