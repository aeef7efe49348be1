"""The figures of public against fresh pairs: differences by phenomenon and by paradigm."""

from __future__ import annotations

from priscian.analysis.blimp.contamination import Contamination, ModelGap
from priscian.analysis.marks import dots, figure, tips
from priscian.analysis.named_results import words
from priscian.analysis.vega import Figure, Row

MEAN = "overall"


def contamination_figures(found: Contamination) -> tuple[Figure, ...]:
    """Phenomena with the mean of all paradigms, then every paradigm."""
    models = [model.model for model in found.models]
    phenomena = [row for model in found.models for row in _phenomena(model)]
    paradigms = [row for model in found.models for row in _paradigms(model)]
    told = " ".join(f"{_figures(m)}; {m.words.removeprefix(m.model + ': ')}." for m in found.models)
    intervals = (
        "Bars are 95 % intervals for other pairs of the same paradigms (Newcombe's); that of the "
        "mean is Student's t over paradigms, and covers other paradigms too."
    )
    return (
        _figure(
            "public-and-fresh",
            "Public pairs against fresh ones",
            f"Accuracy on public BLiMP minus accuracy on fresh pairs of the same paradigms. {told}"
            f" {intervals} The two sets can also differ in difficulty.",
            phenomena,
            models,
        ),
        _figure(
            "public-and-fresh-by-paradigm",
            "Public pairs against fresh ones, by paradigm",
            f"The same for every paradigm, sorted by the first model's difference. {intervals}",
            paradigms,
            models,
        ),
    )


def _figures(model: ModelGap) -> str:
    test = model.overall
    low, high = (f"{100 * limit:+.1f}" for limit in test.ci)
    return (
        f"{model.model}: {100 * model.public:.1f} and {100 * model.fresh:.1f} on "
        f"{test.sets} paradigms, {100 * test.difference:+.1f} points ({low} to {high}, "
        f"p = {test.p:.2g})"
    )


def _phenomena(model: ModelGap) -> list[Row]:
    rows: list[Row] = [
        {
            "model": model.model,
            "name": words(name),
            "difference": gap.difference,
            "low": gap.ci[0],
            "high": gap.ci[1],
        }
        for name, gap in model.phenomena.items()
    ]
    test = model.overall
    return [
        *rows,
        {
            "model": model.model,
            "name": MEAN,
            "difference": test.difference,
            "low": test.ci[0],
            "high": test.ci[1],
        },
    ]


def _paradigms(model: ModelGap) -> list[Row]:
    return [
        {
            "model": model.model,
            "name": words(p.name),
            "difference": p.gap.difference,
            "low": p.gap.ci[0],
            "high": p.gap.ci[1],
            "public": p.public.accuracy,
            "fresh": p.fresh.accuracy,
        }
        for p in sorted(model.paradigms, key=lambda p: -p.gap.difference)
    ]


def _figure(name: str, title: str, caption: str, rows: list[Row], models: list[str]) -> Figure:
    x = {
        "field": "difference",
        "type": "quantitative",
        "title": "accuracy on public pairs minus that on fresh ones",
        "axis": {"format": "+.0%"},
    }
    tooltip = tips("name", "model", "difference:+.1%", "low:+.1%", "high:+.1%")
    if "public" in rows[0]:
        tooltip += tips("public:.1%", "fresh:.1%")
    order = list(dict.fromkeys(str(row["name"]) for row in rows))
    chart = dots(rows, models, order, x, tooltip, line=(0.0, "no difference"))
    return figure(name, title, caption, chart, rows)
