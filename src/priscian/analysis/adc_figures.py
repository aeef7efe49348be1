"""Pictures of an ADC analysis: correlations, people against models, ADC over δ."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from priscian.analysis.adc import AdcAnalysis, ModelAdc
from priscian.errors import RunError
from priscian.metrics.correlations import fitted_line

COLUMNS = 3
FORMATS = ("svg", "png")


def heat_map(analysis: AdcAnalysis) -> Any:
    """The matrix of correlations on differences: Figure 1."""
    import altair as alt  # heavy: only where a picture is drawn

    matrix = analysis.matrix()
    order = list(matrix)
    cells = [
        {"a": a, "b": b, "r": r, "shown": f"{r:.2f}"}
        for a, row in matrix.items()
        for b, r in row.items()
    ]
    side = 46 * len(order)
    base = alt.Chart(alt.InlineData(values=cells), title="Pearson's r on differences").encode(
        x=alt.X("a:N", sort=order, title=None, axis=alt.Axis(labelAngle=-45)),
        y=alt.Y("b:N", sort=order, title=None),
    )
    squares = base.mark_rect().encode(
        color=alt.Color("r:Q", scale=alt.Scale(scheme="blueorange", domain=[-1, 1]), title="r")
    )
    return (squares + base.mark_text(fontSize=11).encode(text="shown:N")).properties(
        width=side, height=side
    )


def scatter(analysis: AdcAnalysis, delta: float | None = None) -> Any:
    """People's difference against each model's, with the fitted line and the band of δ."""
    import altair as alt

    band = delta if delta is not None else min(analysis.deltas)
    panels = [_panel(alt, analysis, model, band) for model in analysis.models]
    return alt.concat(*panels, columns=COLUMNS).properties(
        title=f"Differences of people and models; within the band |Δh − Δlm| < {band:g}"
    )


def _panel(alt: Any, analysis: AdcAnalysis, model: ModelAdc, delta: float) -> Any:
    points = [
        {"lm": round(m, 4), "h": round(h, 4), "met": met}
        for m, h, met in zip(model.deltas, analysis.human, analysis.met(model, delta), strict=True)
    ]
    low, high = min(model.deltas), max(model.deltas)
    slope, intercept = fitted_line(model.deltas, analysis.human)
    line = [{"lm": x, "h": slope * x + intercept} for x in (low, high)]
    edges = [{"lm": x, "low": x - delta, "high": x + delta} for x in (low, high)]
    x = alt.X("lm:Q", title="Δlm", scale=alt.Scale(domain=[low, high]))
    people = [min(analysis.human), max(analysis.human)]
    y = alt.Y("h:Q", title="Δh", scale=alt.Scale(domain=people))
    cloud = (
        alt.Chart(alt.InlineData(values=points))
        .mark_circle(size=10, opacity=0.35, clip=True)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "met:N",
                title="meets the ADC",
                scale=alt.Scale(domain=[True, False], range=["#1b7837", "#9e9e9e"]),
            ),
        )
    )
    area = (
        alt.Chart(alt.InlineData(values=edges))
        .mark_area(opacity=0.15, color="#1b7837", clip=True)
        .encode(x=x, y=alt.Y("low:Q", scale=alt.Scale(domain=people)), y2="high:Q")
    )
    fit = (
        alt.Chart(alt.InlineData(values=line))
        .mark_line(color="#b2182b", clip=True)
        .encode(x=x, y=y)
    )
    return (area + cloud + fit).properties(width=220, height=220, title=model.name)


def curves(analysis: AdcAnalysis) -> Any:
    """ADC over δ from 0 to 5, one line a model; dashes are BLiMP's criterion."""
    import altair as alt

    order = [m.name for m in analysis.models]
    points = [
        {"delta": d, "adc": value, "model": m.name}
        for m in analysis.models
        for d, value in analysis.curve(m)
    ]
    blimp = [{"blimp": m.blimp.accuracy, "model": m.name} for m in analysis.models]
    colour = alt.Color("model:N", sort=order, title=None)
    lines = (
        alt.Chart(alt.InlineData(values=points))
        .mark_line()
        .encode(
            x=alt.X("delta:Q", title="δ (standard deviations)"),
            y=alt.Y("adc:Q", title="share of pairs", scale=alt.Scale(domain=[0, 1])),
            color=colour,
        )
    )
    dashes = (
        alt.Chart(alt.InlineData(values=blimp))
        .mark_rule(strokeDash=[4, 4], opacity=0.5)
        .encode(y="blimp:Q", color=colour)
    )
    return (lines + dashes).properties(
        width=480, height=320, title="Acceptability Delta Criterion over δ"
    )


FIGURES: dict[str, Callable[[AdcAnalysis], Any]] = {
    "correlations": heat_map,
    "scatter": scatter,
    "adc-curve": curves,
}


def write_figures(analysis: AdcAnalysis, folder: Path) -> list[Path]:
    """Every picture as SVG and PNG."""
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, draw in FIGURES.items():
            chart = draw(analysis)
            for suffix in FORMATS:
                path = folder / f"{name}.{suffix}"
                chart.save(str(path), **({"ppi": 144} if suffix == "png" else {}))
                written.append(path)
    except OSError as error:
        raise RunError(f"cannot write to {folder}: {error}; change --figures") from None
    return written
