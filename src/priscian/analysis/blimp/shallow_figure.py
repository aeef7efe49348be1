"""Figures of shallow predictors: accuracy in bins, and the coefficients of the regressions."""

from __future__ import annotations

from priscian.analysis.blimp.shallow import PREDICTORS, Shallow
from priscian.analysis.charts import (
    colour,
    dash,
    dots,
    figure,
    inline,
    line_at,
    shape,
    share,
    share_domain,
    tips,
)
from priscian.analysis.vega import Chart, Figure
from priscian.stats.logistic import FEW_CLUSTERS

LOGARITHMIC = frozenset({"perplexity"})


def shallow_figure(found: Shallow) -> Figure:
    """Accuracy in quantile bins of each predictor, one line for each model."""
    names = [m.name for m in found.models]
    rows = [
        {
            "model": m.name,
            "predictor": key,
            "from": round(b.low, 4),
            "to": round(b.high, 4),
            "median": round(b.median, 4),
            "accuracy": b.accuracy,
            "low": b.ci[0],
            "high": b.ci[1],
            "n": b.n,
            "ties": b.ties,
        }
        for m in found.models
        for key, bins in m.bins.items()
        for b in bins
    ]
    domain = share_domain([row["low"] for row in rows])
    panels = [
        _panel([r for r in rows if r["predictor"] == key], key, names, domain) for key in PREDICTORS
    ]
    caption = (
        "Share of pairs judged right in quantile bins of each predictor, at the bin's median; "
        f"{_counts(found)}. Bars are Wilson's 95 % intervals, pairs counted as independent. "
        "Perplexity is exp(−log P / words), so that models with different tokens can be compared."
    )
    chart: Chart = {"columns": 2, "concat": panels}
    return figure("shallow-predictors", "Shallow predictors of accuracy", caption, chart, rows)


def _panel(rows: list[dict[str, object]], key: str, names: list[str], domain: list[float]) -> Chart:
    y = share("accuracy", "accuracy", domain)
    x = {
        "field": "median",
        "type": "quantitative",
        "title": PREDICTORS[key],
        "scale": {"type": "log"} if key in LOGARITHMIC else {"zero": False},
        "axis": {"tickCount": 5, "grid": False, "format": "~s"},
    }
    tooltip = tips("model", "from:,.2~f", "to:,.2~f", "accuracy:.1%", "low:.1%", "high:.1%", "n:,")
    shared = {"x": x, "color": colour(names), "tooltip": tooltip}
    return {
        "width": 270,
        "height": 190,
        "data": inline(rows),
        "layer": [
            line_at("y", 0.5, "chance", y),
            {
                "mark": {"type": "rule", "opacity": 0.5},
                "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "line", "strokeWidth": 1.5},
                "encoding": {**shared, "y": y, "strokeDash": dash(names)},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 36, "opacity": 1},
                "encoding": {**shared, "y": y, "shape": shape(names)},
            },
        ],
    }


def regression_figure(found: Shallow) -> Figure:
    """Standardised coefficients of every model's regression, with intervals."""
    rows = [
        {
            "model": m.name,
            "predictor": c.name.replace("_", " "),
            "estimate": c.estimate,
            "low": c.ci[0],
            "high": c.ci[1],
            "p": c.p,
            "n": m.regression.n,
        }
        for m in found.models
        for c in m.regression.coefficients
    ]
    x = {
        "field": "estimate",
        "type": "quantitative",
        "title": "change in log-odds of a right choice with one standard deviation",
        "scale": {"zero": True},
    }
    chart = dots(
        rows,
        [m.name for m in found.models],
        [key.replace("_", " ") for key in PREDICTORS],
        x,
        tips("predictor", "model", "estimate:+.3f", "low:+.3f", "high:+.3f", "p:.2g", "n:,"),
        label="predictor",
        line=(0.0, "no effect"),
    )
    clusters = max((m.regression.clusters for m in found.models), default=0)
    how = (
        f"from errors clustered by paradigm ({clusters} clusters)"
        if clusters
        else f"pairs counted as independent (fewer than {FEW_CLUSTERS} paradigms)"
    )
    caption = (
        "Logistic regression of right choices on all four predictors at once, standardised, "
        f"perplexity as its logarithm; {_counts(found)}. Bars are Wald's 95 % intervals, {how}."
    )
    for m in found.models:
        if m.regression.problem:
            caption += f" {m.name} has no estimates: {m.regression.problem}."
    return figure("shallow-regression", "Shallow predictors together", caption, chart, rows)


def _counts(found: Shallow) -> str:
    counts = {m.n for m in found.models}
    if len(counts) == 1:
        return f"n = {counts.pop():,} pairs"
    return "n = " + ", ".join(f"{m.n:,} ({m.name})" for m in found.models) + " pairs"
