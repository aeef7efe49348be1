"""The figure of stability under modifiers: how accuracy changes in each suite."""

from __future__ import annotations

from priscian.analysis.charts import dots, figure, tips
from priscian.analysis.sg.stability import ALL, Stability
from priscian.analysis.vega import Figure


def stability_figure(found: Stability) -> Figure:
    """How accuracy changes when a modifier is added."""
    models = list(dict.fromkeys(m.model for m in found.suites))
    rows = [
        {
            "model": m.model,
            "suite": m.suite,
            "change": m.change.difference,
            "low": m.change.ci[0],
            "high": m.change.ci[1],
            "plain": m.plain,
            "modified": m.modified,
            "same": m.same,
            "n": m.change.n,
        }
        for m in found.suites
    ]
    last = ALL
    order = [s for s in dict.fromkeys(str(r["suite"]) for r in rows) if s != last]
    order += [last] if any(r["suite"] == last for r in rows) else []
    x = {
        "field": "change",
        "type": "quantitative",
        "title": "accuracy with a modifier minus accuracy without",
        "axis": {"format": "+.0%"},
        "scale": {"zero": True},
    }
    tooltip = tips(
        "suite", "model", "plain:.1%", "modified:.1%", "change:+.1%", "low:+.1%", "high:+.1%",
        "same:.1%", "n:,",
    )  # fmt: skip
    chart = dots(rows, models, order, x, tooltip, label="suite", line=(0.0, "no change"))
    n = sum(m.change.n for m in found.suites if m.model == models[0] and m.suite != ALL)
    caption = (
        "Change of accuracy when a modifier that should not matter is put between the parts of a "
        f"dependency; n = {n:,} pairs of items in {len({m.suite for m in found.suites} - {ALL})} "
        "suites. Bars are 95 % intervals of paired differences (Bonett & Price 2012), combined for "
        "the mean of suites."
    )
    return figure("stability-to-modifiers", "Stability under modifiers", caption, chart, rows)
