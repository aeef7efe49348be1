"""People's ratings of pairs, and whether each model meets the Acceptability Delta Criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from priscian.analysis.graded.adc import AdcAnalysis, ModelAdc
from priscian.reporting.items import Items
from priscian.runs import Result


def people_of(
    items: Items, results: Sequence[Result], graded: Mapping[str, AdcAnalysis]
) -> dict[str, Any] | None:
    """By item: people's ratings of its sentences; by model: its difference and the verdict.

    None if no data of the board have ratings. A verdict is 1, 0, or None for an item without one.
    """
    analyses = {r.data: graded[r.data] for r in results if r.data in graded}
    if not analyses or items.bad is None:
        return None
    analysis = next(iter(analyses.values()))
    sentences = analysis.graded.by_id
    places = {
        (sentences[pair.good].text, sentences[pair.bad].text): n
        for n, pair in enumerate(analysis.graded.pairs)
    }
    at = [places.get(texts) for texts in zip(items.good, items.bad, strict=True)]
    ratings = [
        None if n is None else [sentences[i].rating for i in analysis.graded.pairs[n].ids]
        for n in at
    ]
    delta = min(analysis.deltas)
    known = {model.name: model for model in analysis.models}
    return {
        "delta": delta,
        "ratings": ratings,
        "models": [_of_model(known.get(r.model), analysis, at, delta) for r in results],
    }


def _of_model(
    model: ModelAdc | None, analysis: AdcAnalysis, at: Sequence[int | None], delta: float
) -> list[Any] | None:
    if model is None:
        return None
    met = analysis.met(model, delta)
    return [None if n is None else [round(model.deltas[n], 3), int(met[n])] for n in at]
