"""How models look in charts: a colour, a shape and a dash each, the same in every figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from priscian.analysis.vega import PALETTE, Chart

Encoding = dict[str, Any]

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
