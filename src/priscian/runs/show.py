"""How results are displayed: a line, an HTML table, a Vega-Lite chart, a pandas data frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from priscian.errors import UsageError
from priscian.runs.facts import Score

if TYPE_CHECKING:
    import polars

    from priscian.runs.result import Result

SHOWN = 40
"""Number of rows of a table in a notebook."""
SCHEMA = "https://vega.github.io/schema/vega-lite/v{}.json"
VERSIONS = (5, 6)
"""Versions of Vega-Lite that notebooks draw; the charts are valid in both."""


def percent(score: Score) -> str:
    """A share with its interval: `78.0 % (77.7–78.3)`."""
    low, high = score.ci
    return f"{100 * score.accuracy:.1f} % ({100 * low:.1f}–{100 * high:.1f})"


@dataclass(frozen=True, slots=True, repr=False)
class Chart:
    """A Vega-Lite chart that a notebook draws; `spec` is the chart as plain values."""

    spec: dict[str, Any]

    def __repr__(self) -> str:
        return f"<Chart {self.spec.get('title', '')}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        made: dict[str, Any] = {
            f"application/vnd.vegalite.v{n}+json": {"$schema": SCHEMA.format(n), **self.spec}
            for n in VERSIONS
        }
        return {**made, "text/plain": repr(self)}


def scores_chart(results: Sequence[Result]) -> Chart:
    """Accuracy by class (or by set, if there are no classes), one panel per data set."""
    panels = [_panel(name, results) for name in dict.fromkeys(r.data for r in results)]
    if not panels:
        raise UsageError("no result to plot; score a model first")
    return Chart(panels[0] if len(panels) == 1 else {"vconcat": panels})


def _panel(data: str, results: Sequence[Result]) -> dict[str, Any]:
    rows = []
    for result in results:
        if result.data == data:
            cells = {**(result.summary.by_class() or result.summary.by_set())}
            for name, score in {**cells, "overall": result.summary.headline}.items():
                low, high = score.ci
                rows.append(
                    {
                        "model": result.label,
                        "name": name.replace("_", " "),
                        "accuracy": score.accuracy,
                        "low": low,
                        "high": high,
                        "n": score.n,
                    }
                )
    names = [n for n in dict.fromkeys(str(r["name"]) for r in rows) if n != "overall"]
    x = {
        "field": "accuracy",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {"format": "%"},
    }
    y = {"field": "name", "type": "nominal", "sort": [*names, "overall"], "title": None}
    lane = {"field": "model", "type": "nominal", "title": "model"}
    shared = {"y": y, "yOffset": lane, "color": lane}
    tooltip = [
        {"field": "name", "type": "nominal"},
        {"field": "model", "type": "nominal"},
        *({"field": f, "type": "quantitative", "format": ".1%"} for f in ("accuracy", "low")),
        {"field": "high", "type": "quantitative", "format": ".1%"},
        {"field": "n", "type": "quantitative", "format": ","},
    ]
    bounds = {"x": {**x, "field": "low", "title": "accuracy"}, "x2": {"field": "high"}}
    return {
        "title": data,
        "data": {"values": rows},
        "height": {"step": 9},
        "layer": [
            {"mark": {"type": "rule", "opacity": 0.5}, "encoding": {**shared, **bounds}},
            {
                "mark": {"type": "point", "filled": True, "opacity": 1},
                "encoding": {**shared, "x": x, "tooltip": tooltip},
            },
        ],
    }


def html_table(results: Sequence[Result]) -> str:
    """Models in rows: data, headline score with its interval, items and sets."""
    head = ("model", "data", "kind", "score", "95 % interval", "items", "sets")
    lines = ["<table><thead><tr>", *(f"<th>{name}</th>" for name in head), "</tr></thead><tbody>"]
    for result in results[:SHOWN]:
        score = result.summary.headline
        low, high = score.ci
        cells = (
            result.label,
            result.data,
            result.kind,
            f"{100 * score.accuracy:.1f}",
            f"{100 * low:.1f}–{100 * high:.1f}",
            f"{score.n:,}",
            f"{len(result.summary.by_set()):,}",
        )
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    if len(results) > SHOWN:
        lines.append(f'<tr><td colspan="{len(head)}">and {len(results) - SHOWN} more</td></tr>')
    return "".join([*lines, "</tbody></table>"])


def to_pandas(frame: polars.DataFrame) -> Any:
    """A polars data frame as a pandas one, with or without pyarrow."""
    try:
        import pandas  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise UsageError(
            "pandas is not installed: pip install pandas, or use frame(), which is polars"
        ) from None
    return pandas.DataFrame({name: frame[name].to_list() for name in frame.columns})
