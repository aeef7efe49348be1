"""The figure of prefix methods: differences from full-sentence choice by phenomenon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from priscian.analysis.blimp.methods import OVERALL, Methods
from priscian.analysis.marks import LANES, dots, figure, tips
from priscian.analysis.named_results import words
from priscian.analysis.vega import Figure


def methods_figure(found: Methods) -> Figure:
    """Differences from full-sentence choice by phenomenon, one panel for each method."""
    models = list(dict.fromkeys(r.model for r in found.rows))
    methods = list(dict.fromkeys(r.method for r in found.rows))
    rows = [
        {
            "model": r.model,
            "method": _said(r.method),
            "name": r.name if r.name == OVERALL else words(r.name),
            "difference": r.difference.difference,
            "low": r.difference.ci[0],
            "high": r.difference.ci[1],
            "accuracy": r.accuracy.accuracy,
            "full": r.full.accuracy,
            "same": r.same,
            "n": r.accuracy.n,
            "paradigms": r.paradigms,
        }
        for r in found.rows
    ]
    x = {
        "field": "difference",
        "type": "quantitative",
        "title": "accuracy minus that of full sentences on the same pairs",
        "axis": {"format": "+.0%"},
        "scale": {"domain": _domain(rows)},
    }
    tooltip = tips(
        "name", "model", "difference:+.1%", "low:+.1%", "high:+.1%", "accuracy:.1%", "full:.1%",
        "same:.1%", "n:,",
    )  # fmt: skip
    panels = []
    for method in methods:
        mine = [r for r in rows if r["method"] == _said(method)]
        order = list(dict.fromkeys(str(r["name"]) for r in mine))
        panel = dots(mine, models, order, x, tooltip, line=(0.0, "no difference"))
        panels.append({"title": _said(method), **panel})
    n = {m: max(r.accuracy.n for r in found.rows if r.method == m) for m in methods}
    caption = (
        "How much more (or less) often the acceptable sentence wins when only critical words are "
        "compared, after the same prefix (one-prefix) or different ones (two-prefix); n = "
        + ", ".join(f"{count:,} pairs ({_said(method)})" for method, count in n.items())
        + ". Bars are 95 % intervals of paired differences (Bonett & Price 2012), combined for "
        "means of paradigms; overall is the mean of all."
    )
    chart = {"vconcat": panels, "resolve": LANES}
    return figure(
        "methods-by-phenomenon", "Prefix methods against full sentences", caption, chart, rows
    )


def _domain(rows: Sequence[dict[str, Any]]) -> list[float]:
    low = min(0.0, *(r["low"] for r in rows), *(r["difference"] for r in rows))
    high = max(0.0, *(r["high"] for r in rows), *(r["difference"] for r in rows))
    return [round(low - 0.02, 2), round(high + 0.02, 2)]


def _said(method: str) -> str:
    """`one_prefix` as `one-prefix`."""
    return method.replace("_", "-")
