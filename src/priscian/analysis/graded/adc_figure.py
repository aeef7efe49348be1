"""Pictures of an ADC analysis: correlations, people against models, ADC over δ."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.analysis.charts import colour, correlation_square, dash, inline
from priscian.analysis.graded.adc import AdcAnalysis, ModelAdc
from priscian.analysis.vega import SCHEMA, Chart, Figure
from priscian.stats.lines import fitted_line

COLUMNS = 3
FORMATS = ("svg", "png")
MET, UNMET, FIT = "#1b7837", "#9e9e9e", "#b2182b"


def heat_map(analysis: AdcAnalysis) -> Figure:
    """The matrix of correlations on differences: Figure 1."""
    matrix = analysis.matrix()
    names = {name: "people" if name == "human" else name for name in matrix}
    rows = [
        {"a": names[a], "b": names[b], "r": r, "shown": f"{r:.2f}"}
        for a, row in matrix.items()
        for b, r in row.items()
    ]
    chart = correlation_square(rows, list(names.values()), "r") | {
        "title": "Pearson's r on differences"
    }
    caption = (
        f"Pearson's r between differences of {len(analysis.human):,} pairs: the acceptable "
        "sentence's z-score minus the other's, people included."
    )
    return Figure("correlations", "Correlations on differences", caption, chart, rows)


def scatter(analysis: AdcAnalysis, delta: float | None = None) -> Figure:
    """People's difference against each model's, with the fitted line and the band of δ."""
    band = delta if delta is not None else min(analysis.deltas)
    panels, rows = [], []
    for model in analysis.models:
        points = [
            {"model": model.name, "lm": round(m, 4), "h": round(h, 4), "met": met}
            for m, h, met in zip(
                model.deltas, analysis.human, analysis.met(model, band), strict=True
            )
        ]
        panels.append(_panel(analysis, model, band, points))
        rows += points
    chart: Chart = {
        "$schema": SCHEMA,
        "title": f"Differences of people and models; within the band |Δh − Δlm| < {band:g}",
        "columns": COLUMNS,
        "concat": panels,
    }
    caption = (
        f"A point is one of {len(analysis.human):,} pairs: people's difference over the model's, "
        f"in standard deviations. In the band, differences are less than {band:g} apart; points in "
        "it whose signs agree meet the ADC. The line is the least-squares fit."
    )
    return Figure("scatter", "People's differences against models'", caption, chart, rows)


def _panel(
    analysis: AdcAnalysis, model: ModelAdc, delta: float, points: Sequence[dict[str, object]]
) -> Chart:
    edge = 0.03 * (max(model.deltas) - min(model.deltas))  # room for points at the ends
    low, high = min(model.deltas) - edge, max(model.deltas) + edge
    slope, intercept = fitted_line(model.deltas, analysis.human)
    x = {
        "field": "lm",
        "type": "quantitative",
        "title": "Δlm",
        "scale": {"domain": [low, high], "nice": False},
    }
    tall = {"domain": [min(analysis.human), max(analysis.human)], "nice": False}
    y = {"field": "h", "type": "quantitative", "title": "Δh", "scale": tall}
    met = {
        "field": "met",
        "type": "nominal",
        "title": "meets the ADC",
        "scale": {"domain": [True, False], "range": [MET, UNMET]},
        "legend": {"symbolOpacity": 1, "symbolSize": 80},
    }
    edges = [{"lm": at, "low": at - delta, "high": at + delta} for at in (low, high)]
    line = [{"lm": at, "h": slope * at + intercept} for at in (low, high)]
    return {
        "title": model.name,
        "width": 220,
        "height": 220,
        "layer": [
            {
                "data": inline(edges),
                "mark": {"type": "area", "opacity": 0.15, "color": MET, "clip": True},
                "encoding": {
                    "x": x,
                    "y": {
                        "field": "low",
                        "type": "quantitative",
                        "stack": None,
                        "title": "Δh",
                        "scale": tall,
                    },
                    "y2": {"field": "high"},
                },
            },
            {
                "data": inline(points),
                "mark": {"type": "circle", "size": 10, "opacity": 0.35, "clip": True},
                "encoding": {"x": x, "y": y, "color": met},
            },
            {
                "data": inline(line),
                "mark": {"type": "line", "color": FIT, "clip": True},
                "encoding": {"x": x, "y": y},
            },
        ],
    }


def curves(analysis: AdcAnalysis) -> Figure:
    """ADC over δ from 0 to 5, one line for each model; dashes are BLiMP's criterion."""
    order = [m.name for m in analysis.models]
    rows = [
        {"model": m.name, "delta": d, "adc": value}
        for m in analysis.models
        for d, value in analysis.curve(m)
    ]
    blimp = [{"model": m.name, "blimp": m.blimp.accuracy} for m in analysis.models]
    looks = {"color": colour(order), "strokeDash": dash(order)}
    share = {"type": "quantitative", "title": "share of pairs", "scale": {"domain": [0, 1]}}
    chart: Chart = {
        "$schema": SCHEMA,
        "title": "Acceptability Delta Criterion over δ",
        "width": 480,
        "height": 320,
        "layer": [
            {
                "data": inline(rows),
                "mark": {"type": "line"},
                "encoding": {
                    "x": {
                        "field": "delta",
                        "type": "quantitative",
                        "title": "δ (standard deviations)",
                    },
                    "y": {"field": "adc", **share},
                    **looks,
                },
            },
            {
                "data": inline(blimp),
                "mark": {"type": "rule", "strokeWidth": 0.7, "opacity": 0.7},
                "encoding": {"y": {"field": "blimp", **share}, **looks},
            },
        ],
    }
    caption = (
        f"Share of {len(analysis.human):,} pairs that meet the ADC, as δ grows from 0 to 5; "
        "thin straight lines are the share by BLiMP's criterion, which ignores size."
    )
    return Figure("adc-curve", "ADC over δ", caption, chart, rows)


FIGURES = (heat_map, scatter, curves)
