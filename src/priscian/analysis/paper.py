"""Figures for a paper: as wide as one column or two, letters of a legible size, no title.

The widths are those of the ACL style: a column has 7.7 cm, a page 16 cm. One unit of a chart is one
point (1/72 inch) of the PDF, so that letters have the same size in every figure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from priscian.analysis.latex import escape_tex, label_of
from priscian.errors import UnknownNameError

Chart = dict[str, Any]
LEAST = 48
"""Smallest width of a panel, in points."""
TRIES = 6
TURNS = "turns"
"""In a chart's `usermeta`: columns may become rows."""
LEGIBLE = 7
"""Size of letters, in points; captions in ACL's style have 10, footnotes 9."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A place for a figure."""

    width: int
    """In points."""
    environment: str
    macro: str
    letters: int
    """Longest line of an axis label."""
    legend: int
    """Columns of a legend."""


PAPERS: Mapping[str, Paper] = {
    "one-column": Paper(218, "figure", r"\columnwidth", 24, 2),
    "two-column": Paper(453, "figure*", r"\textwidth", 48, 4),
}


def find_paper(name: str) -> Paper:
    """The preset of that name."""
    if name not in PAPERS:
        raise UnknownNameError("width of figures", name, tuple(PAPERS))
    return PAPERS[name]


def fit(chart: Chart, paper: Paper, measure: Callable[[Chart, Chart], float]) -> Chart:
    """The chart, narrow enough for its place; `measure` gives the width of a chart as drawn.

    Letters keep their size. Panels go below each other if they must, then they become narrower.
    """
    made: Chart = _restyled(_turned(untitled(chart), paper), paper)
    if "layer" in made or "mark" in made:  # a single panel
        made = {**made, "width": paper.width, "autosize": {"type": "fit-x", "contains": "padding"}}
    config = style(paper)
    for _ in range(TRIES):
        over = measure(made, config) - paper.width
        if over <= 0:
            break
        made = _narrower(made, over)
    return made


def untitled(chart: Chart) -> Chart:
    """The chart without its title, which belongs into the caption."""
    return {name: part for name, part in chart.items() if name != "title"}


def _turned(chart: Chart, paper: Paper) -> Chart:
    """A table of few rows and many columns, on its side where the place is narrow."""
    if paper.environment != "figure" or not chart.get("usermeta", {}).get(TURNS):
        return chart
    across, down = (chart["encoding"][name] for name in ("x", "y"))
    top = {k: across["axis"][k] for k in ("orient", "labelAngle") if k in across["axis"]}
    side = {k: v for k, v in across["axis"].items() if k not in top}
    encoding = {
        **chart["encoding"],
        "x": {**down, "axis": {**down["axis"], **top}},
        "y": {**across, "axis": side},
    }
    return {**chart, "height": {"step": 20}, "encoding": encoding}


def style(paper: Paper) -> Chart:
    """Letters, marks and legends, as a Vega configuration."""
    text = {"labelFontSize": LEGIBLE, "titleFontSize": LEGIBLE, "titleFontWeight": "normal"}
    return {
        "font": "Helvetica, Arial, sans-serif",
        "axis": {**text, "labelPadding": 2, "titlePadding": 3, "tickSize": 3},
        "header": {**text, "labelPadding": 3},
        "title": {"fontSize": LEGIBLE + 1, "fontWeight": "normal", "offset": 4},
        "legend": {
            **text, "orient": "bottom", "direction": "horizontal", "columns": paper.legend,
            "symbolSize": 25, "columnPadding": 6, "rowPadding": 1, "labelLimit": 150, "offset": 4,
            "gradientLength": 80,
        },
        "text": {"fontSize": LEGIBLE},
        "concat": {"spacing": 10},
        "facet": {"spacing": 10},
    }  # fmt: skip


def _restyled(part: Any, paper: Paper) -> Any:
    """Sizes that a chart sets itself, changed to those of print; its data stay as they are."""
    if isinstance(part, list):
        return [_restyled(each, paper) for each in part]
    if not isinstance(part, dict):
        return part
    found = {k: v if k == "data" else _restyled(v, paper) for k, v in part.items()}
    for name in ("fontSize", "labelFontSize", "titleFontSize"):
        if isinstance(found.get(name), int | float):
            found[name] = LEGIBLE
    if isinstance(found.get("height"), int | float):
        found["height"] = max(40, round(0.65 * found["height"]))
    if isinstance(found.get("height"), dict) and "step" in found["height"]:
        found["height"] = {"step": max(10, round(0.65 * found["height"]["step"]))}
    if found.get("type") in ("point", "text", "tick", "square") and "size" in found:
        found["size"] = 0.5 * found["size"]
    if "labelLimit" in found:
        found["labelLimit"] = 0
    if "field" in found and isinstance(found.get("title"), str):
        found["title"] = _lines(found["title"], round(1.6 * paper.letters))
    if found.get("orient") == "top" and found.get("labelAngle"):
        found["labelAngle"] = -90
    if found.get("type") in ("nominal", "ordinal") and isinstance(found.get("sort"), list):
        _break_labels(found, paper)
    return found


def _break_labels(encoding: Chart, paper: Paper) -> None:
    """Long names of an axis in several lines."""
    axis = encoding.get("axis")
    if not isinstance(axis, dict) or axis.get("labelAngle") or "labelExpr" in axis:
        return
    lines = {str(name): _lines(str(name), paper.letters) for name in encoding["sort"]}
    long = {name: found for name, found in lines.items() if len(found) > 1}
    if long:
        known = json.dumps(long, ensure_ascii=False)
        expression = f"({known})[datum.label] || datum.label"
        encoding["axis"] = {**axis, "labelLineHeight": LEGIBLE, "labelExpr": expression}


def _lines(text: str, most: int) -> list[str]:
    """A text in lines of at most so many letters, broken after spaces, hyphens and underscores."""
    found = [""]
    for word in re.split(r"(?<=[\s_–-])", text):
        if found[-1] and len(found[-1]) + len(word) > most:
            found.append("")
        found[-1] += word
    return [line.rstrip() for line in found]


# ---------------------------------------------------------------- narrower charts


def _narrower(chart: Chart, over: float) -> Chart:
    """Fewer panels in a row; then narrower ones."""
    facet = chart.get("facet")
    if isinstance(facet, dict) and "column" in facet:
        return {**chart, "facet": facet["column"], "columns": 1}
    if "hconcat" in chart:
        rest = {k: v for k, v in chart.items() if k != "hconcat"}
        return {**rest, "vconcat": chart["hconcat"]}
    columns = int(chart.get("columns") or len(chart.get("concat", ())) or 1)
    if "concat" in chart and columns > 1:
        share = over / columns
        if all(_width(panel) - share >= 2 * LEAST for panel in chart["concat"]):
            return _with_panels(chart, "concat", share)
        return {**chart, "columns": columns - 1}
    for name in ("concat", "vconcat"):
        if name in chart:
            return _with_panels(chart, name, over)
    if "spec" in chart:
        return {**chart, "spec": _cut(chart["spec"], over)}
    return _cut(chart, over)


def _with_panels(chart: Chart, name: str, over: float) -> Chart:
    return {**chart, name: [_cut(panel, over) for panel in chart[name]]}


def _cut(panel: Chart, over: float) -> Chart:
    return {**panel, "width": max(LEAST, int(_width(panel) - over - 1))}


def _width(panel: Chart) -> float:
    width = panel.get("width")
    return float(width) if isinstance(width, int | float) else 300.0


# ---------------------------------------------------------------- captions


def figure_tex(file: str, title: str, caption: str, paper: Paper) -> str:
    """A figure for LaTeX; the title begins the caption."""
    said = escape_tex(f"{title.rstrip('.')}. {caption}")
    lines: Sequence[str] = (
        rf"\begin{{{paper.environment}}}[t]",
        r"\centering",
        rf"\includegraphics[width={paper.macro}]{{{file}}}",
        rf"\caption{{{said}}}",
        rf"\label{{{label_of('fig', file)}}}",
        rf"\end{{{paper.environment}}}",
    )
    return "\n".join(lines) + "\n"
