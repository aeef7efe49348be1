"""The figure of SG score over perplexity: one point for each model."""

from __future__ import annotations

from priscian.analysis.charts import colour, figure, inline, share, tips
from priscian.analysis.sg.perplexity import SgPerplexity
from priscian.analysis.vega import Chart, Figure


def perplexity_figure(found: SgPerplexity) -> Figure:
    """SG score over perplexity, one point for each model."""
    kinds = found.kinds
    rows = [
        {"model": m, "perplexity": ppl, "sg": sg, "low": ci[0], "high": ci[1]}
        | ({"name": m, "model": kinds[m][0], "size": kinds[m][1]} if m in kinds else {})
        for m, ppl, sg, ci in found.points
    ]
    names = list(dict.fromkeys(str(row["model"]) for row in rows))
    x = {
        "field": "perplexity",
        "type": "quantitative",
        "title": "perplexity",
        "scale": {"type": "log", "nice": False, "padding": 30},
        "axis": {"format": "~s", "tickCount": 5},
    }
    y = share("sg", "SG score", [0, 1])
    named = ("name", "model", "size") if kinds else ("model",)
    tooltip = tips(*named, "perplexity:,.1f", "sg:.1%", "low:.1%", "high:.1%")
    shared = {"x": x, "color": colour(names), "tooltip": tooltip}
    sizes = list(dict.fromkeys(size for _, size in kinds.values()))
    shape = {"field": "size", "type": "nominal", "title": "corpus", "sort": sizes}
    chart: Chart = {
        "width": 420,
        "height": 280,
        "data": inline(rows),
        "layer": [
            {
                "mark": {"type": "rule", "opacity": 0.5},
                "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {**shared, "y": y, **({"shape": shape} if kinds else {})},
            },
        ],
    }
    caption = (
        f"SG score over perplexity (logarithmic) of {len(rows)} models. Bars are 95 % intervals: "
        "Student's t over suites, in Wilson's form; they cover other suites with other items."
    )
    if kinds:
        caption += (
            " Perplexity is per word; it is not comparable between closed vocabularies of "
            "different sizes, and that of a grammar is an upper bound."
        )
    if found.pearson and found.spearman:
        caption += (
            f" Pearson's r with log perplexity {found.pearson.r:.2f} "
            f"({found.pearson.ci[0]:.2f} to {found.pearson.ci[1]:.2f}), Spearman's ρ "
            f"{found.spearman.r:.2f}."
        )
    return figure("sg-perplexity", "SG score and perplexity", caption, chart, rows)
