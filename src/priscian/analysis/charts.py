"""Charts in Vega-Lite: points and lines with intervals, heat maps, and the looks of models."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from priscian.analysis.named_results import words
from priscian.analysis.vega import PALETTE, SCHEMA, Chart, Figure, Row

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


def people_level(rows: Sequence[Row], y: Encoding, tooltip: Sequence[Encoding]) -> Chart:
    """A dashed line at people's accuracy, the field `human`."""
    return {
        "data": inline(rows),
        "mark": {"type": "rule", "strokeDash": [5, 3], "color": "#888"},
        "encoding": {"y": {**y, "field": "human"}, "tooltip": list(tooltip)},
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


def lanes(
    rows: Sequence[Row],
    label: str,
    group: str,
    title: str,
    tooltip: Sequence[str],
    *,
    step: int,
    point: int,
    scale: Encoding,
    legend: Encoding,
) -> Chart:
    """Per cents with intervals: a row of the chart for each label, a lane for each group in it.

    Of the tooltip's fields the first two are names, and the others numbers.
    """
    groups = list(dict.fromkeys(row[group] for row in rows))
    numbers = [
        {"field": name, "type": "quantitative", "format": ".1f"}
        for name in ("per_cent", "low", "high")
    ]
    return {
        "$schema": SCHEMA,
        "width": 460,
        "height": {"step": step},
        "data": inline(rows),
        "encoding": {
            "y": {
                "field": label,
                "type": "nominal",
                "sort": list(dict.fromkeys(row[label] for row in rows)),
                "title": None,
                "axis": {"labelLimit": 300},
            },
            "yOffset": {"field": group, "type": "nominal", "sort": groups},
            "color": {
                "field": group,
                "type": "nominal",
                "sort": groups,
                "title": None,
                "legend": legend,
            },
            "tooltip": [
                *({"field": name, "type": "nominal"} for name in tooltip[:2]),
                *numbers,
                *({"field": name, "type": "quantitative"} for name in tooltip[2:]),
            ],
        },
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    "x": {"field": "low", "type": "quantitative", "scale": scale, "title": title},
                    "x2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": point, "opacity": 1},
                "encoding": {"x": {"field": "per_cent", "type": "quantitative"}},
            },
        ],
    }


def columns(
    rows: Sequence[Row],
    y: Encoding,
    shared: Encoding,
    *,
    title: str,
    line: str,
    size: tuple[int, int],
    point: int,
    at: float = CHANCE,
    shape: Encoding | None = None,
) -> Chart:
    """Upright points with intervals; `shared` has x, colour and tooltip."""
    width, height = size
    return {
        "title": title,
        "width": width,
        "height": height,
        "data": inline(rows),
        "layer": [
            line_at("y", at, line, y),
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.55},
                "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": point, "opacity": 1},
                "encoding": {**shared, "y": y, **({"shape": shape} if shape else {})},
            },
        ],
    }


def scatter(
    rows: Sequence[Row],
    y: Encoding,
    shared: Encoding,
    *,
    size: tuple[int, int],
    point: int,
    line: str = "",
    path: Encoding | None = None,
    shape: Encoding | None = None,
) -> Chart:
    """Points with intervals over a number, joined by lines if `path` says how these look."""
    width, height = size
    interval: Chart = {
        "mark": {"type": "rule", "opacity": 0.5},
        "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    dot: Chart = {
        "mark": {"type": "point", "filled": True, "size": point, "opacity": 1},
        "encoding": {**shared, "y": y, **({"shape": shape} if shape else {})},
    }
    joined: Chart = {
        "mark": {"type": "line", "strokeWidth": 1.5},
        "encoding": {**shared, "y": y, "strokeDash": path},
    }
    layers = [*([line_at("y", CHANCE, line, y)] if line else []), interval]
    layers += [joined, dot] if path is not None else [dot]
    return {"width": width, "height": height, "data": inline(rows), "layer": layers}


def figure(name: str, title: str, caption: str, chart: Chart, rows: Sequence[Row]) -> Figure:
    """A chart with its schema and title."""
    return Figure(name, title, caption, {"$schema": SCHEMA, "title": title, **chart}, rows)


def inline(rows: Iterable[Row]) -> Chart:
    """Rows as the data of a chart."""
    return {"values": [dict(row) for row in rows]}


def correlation_square(
    rows: Sequence[Row], order: Sequence[str], title: str, *, least: int = 0, **axis: object
) -> Chart:
    """A heat map of correlations: fields a, b, r and, as text, `shown`."""
    side = max(46 * len(order), least)
    names = {"type": "nominal", "sort": list(order), "title": None}
    colour = {
        "field": "r",
        "type": "quantitative",
        "title": title,
        "scale": {"scheme": "blueorange", "domain": [-1, 1]},
    }
    dark = {"test": "abs(datum.r) > 0.75", "value": "white"}
    return {
        "$schema": SCHEMA,
        "width": side,
        "height": side,
        "data": inline(rows),
        "encoding": {
            "x": {"field": "a", **names, "axis": {"labelAngle": -45, **axis}},
            "y": {"field": "b", **names, "axis": axis},
        },
        "layer": [
            {"mark": {"type": "rect"}, "encoding": {"color": colour}},
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    "text": {"field": "shown", "type": "nominal"},
                    "color": {"condition": dark, "value": "black"},
                },
            },
        ],
    }


# ---------------------------------------------------------------- models

STAR = "M0,-1L.24,-.31L.95,-.31L.36,.12L.59,.81L0,.38L-.59,.81L-.36,.12L-.95,-.31L-.24,-.31Z"
SHAPES = ("circle", "square", "triangle-up", "cross", "triangle-down", "triangle-right", STAR,
          "triangle-left")  # fmt: skip
PUBLISHED_SHAPE = "diamond"
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (10, 4), (4, 1), (1, 3), (6, 2, 1, 2, 1, 2))
PEOPLE_INK = "#1d1c1a"
PUBLISHED_INKS = ("#4d4a45", "#6f6b64", "#8f8a82", "#aaa59c")
UNSURE = "#8a949a"
NO_CLEAR = "no clear difference"
RAMP = ("#33206b", "#0b6e99", "#3a9d7c", "#c9a227")
"""Past eight models colours are ordered, dark to light, as the models are."""
FIELDS = ("model", "better")
"""Fields of charts whose values are names of models."""


def is_published(name: str) -> bool:
    """Whether a name is that of a system of the BLiMP paper, or of people."""
    return name.endswith("*")


def looks(names: Sequence[str], channel: str, order: Sequence[str] = ()) -> list[Any]:
    """Colours, shapes or dashes of some names; `order` has all the models that appear together.

    >>> looks(["b", "People*"], "shape", ["a", "b"])
    ['square', 'diamond']
    """
    scored = [n for n in (order or names) if not is_published(n) and n != NO_CLEAR]
    published = [n for n in names if is_published(n)]
    return [_look(name, channel, scored, published) for name in names]


def _look(name: str, channel: str, scored: Sequence[str], published: Sequence[str]) -> Any:
    if name == NO_CLEAR:
        return {"color": UNSURE, "shape": "circle"}.get(channel, [1, 0])
    if is_published(name):
        ink = PUBLISHED_INKS[published.index(name) % len(PUBLISHED_INKS)]
        colour = PEOPLE_INK if name.startswith("People") else ink
        return {"color": colour, "shape": PUBLISHED_SHAPE}.get(channel, [2, 3])
    place = scored.index(name)
    if channel == "color":
        return PALETTE[place] if len(scored) <= len(PALETTE) else ramp(place, len(scored))
    if channel == "shape":
        return SHAPES[place % len(SHAPES)]
    return list(DASHES[place % len(DASHES)])


def ramp(place: int, count: int) -> str:
    """The colour of one of many models."""
    at = place / (count - 1) * (len(RAMP) - 1)
    left = min(int(at), len(RAMP) - 2)
    share = at - left
    one, two = ([int(RAMP[left + k][i : i + 2], 16) for i in (1, 3, 5)] for k in (0, 1))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(one, two, strict=True))


def look(channel: str, names: Sequence[str], field: str = "model") -> Encoding:
    """The encoding of a channel (color, shape, strokeDash) by model; legends of them merge."""
    return {
        "field": field,
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(names), "range": looks(names, channel)},
        "legend": {"labelLimit": 260, "symbolOpacity": 1},
    }


def repaint(part: Any, order: Sequence[str], channel: str = "") -> Any:
    """A chart whose models look as they do in all charts of these models."""
    if isinstance(part, list):
        return [repaint(value, order) for value in part]
    if not isinstance(part, dict):
        return part
    made: Chart = {
        key: value if key == "values" else repaint(value, order, key) for key, value in part.items()
    }
    domain = (part.get("scale") or {}).get("domain") if part.get("field") in FIELDS else None
    if domain and channel in ("color", "shape", "strokeDash"):
        known = set(order) | {NO_CLEAR}
        if all(is_published(name) or name in known for name in domain):
            made["scale"] = {**part["scale"], "range": looks(domain, channel, order)}
    return made
