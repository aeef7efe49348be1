"""An ADC analysis as plain values: JSON, Table 1 as rows, and lists of pairs to look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from priscian.analysis.graded.adc import (
    AdcAnalysis,
    ModelAdc,
    against_experts,
    blimp_not_adc,
    disagreements,
)
from priscian.datasets.graded import Formation, GradedPair, PairOverlap
from priscian.files import file_names, inside, plain, write_delimited


def adc_json(analysis: AdcAnalysis, *, full: bool = False) -> dict[str, Any]:
    """`{"pairs": …, "models": {NAME: {"blimp": …, "adc": {"0.5": …}}}, "pearson": {…}}`.

    `full` adds intervals, correlations with people, groups, the curve over δ, and the rule.
    """
    found: dict[str, Any] = {
        "pairs": len(analysis.graded.pairs),
        "models": {m.name: _model(m) for m in analysis.models},
        "pearson": analysis.matrix(),
    }
    if analysis.ways:
        found["three_ways"] = [way.as_dict() for way in analysis.ways]
    if analysis.notes:
        found["notes"] = list(analysis.notes)
    if not full:
        return found
    found["rule"] = {
        "population": analysis.rule.population,
        "ddof": analysis.rule.ddof,
        "sign": analysis.rule.sign,
    }
    for model in analysis.models:
        found["models"][model.name] |= {
            "blimp_ci": list(model.blimp.ci),
            "adc_ci": {str(d): list(a.ci) for d, a in model.adc.items()},
            "with_people": {
                level: {name: plain(r) for name, r in kinds.items()}
                for level, kinds in analysis.with_people(model).items()
            },
            "groups": {name: found.as_dict() for name, found in analysis.groups(model).items()},
            "curve": analysis.curve(model),
        }
    return found


def _model(model: ModelAdc) -> dict[str, Any]:
    return {
        "blimp": model.blimp.accuracy,
        "adc": {str(d): a.accuracy for d, a in model.adc.items()},
        "ties": model.blimp.ties,
        "z": model.z_from,
    }


def formation_json(formation: Formation, agreement: PairOverlap) -> dict[str, Any]:
    """The pairs that a rule forms, compared with the pairs that the data list."""
    reasons: dict[str, list[str]] = {}
    for name, reason in formation.left_out.items():
        reasons.setdefault(reason, []).append(name)
    return {
        "rule": formation.rule,
        "pairs": agreement.found,
        "reference": agreement.reference,
        "recall": agreement.recall,
        "precision": agreement.precision,
        "extra": [list(ids) for ids in agreement.extra],
        "missing": [list(ids) for ids in agreement.missing],
        "left_out": reasons,
    }


def pair_lists(
    analysis: AdcAnalysis, delta: float, compare: tuple[str, str] | None = None
) -> dict[str, list[GradedPair]]:
    """Lists by name: people against experts; BLiMP but not ADC; one model but not another."""
    lists = {"people-against-experts": against_experts(analysis)}
    for model in analysis.models:
        lists[f"blimp-not-adc {model.name}"] = blimp_not_adc(analysis, model, delta)
    if compare:
        a, b = (analysis.model(name) for name in compare)
        lists[f"{a.name} not {b.name}"] = disagreements(analysis, a, b, delta)
        lists[f"{b.name} not {a.name}"] = disagreements(analysis, b, a, delta)
    return lists


def write_lists(
    analysis: AdcAnalysis, lists: Mapping[str, Sequence[GradedPair]], folder: Path
) -> None:
    """Write every list as a CSV file with its name."""
    files = file_names(lists)
    for name, pairs in lists.items():
        write_list(analysis, pairs, inside(folder, f"{files[name]}.csv"))


def write_list(analysis: AdcAnalysis, pairs: Iterable[GradedPair], path: Path) -> None:
    """Pairs with both sentences, people's difference and every model's, as CSV."""
    sentences = analysis.graded.by_id
    places = {pair.ids: n for n, pair in enumerate(analysis.graded.pairs)}
    names = [f"delta_{m.name}" for m in analysis.models]
    columns = ["good_id", "bad_id", "good", "bad", "delta_human", *names]
    rows = []
    for pair in pairs:
        n = places[pair.ids]
        texts = [sentences[i].text for i in pair.ids]
        own = [f"{m.deltas[n]:.6f}" for m in analysis.models]
        cells = [*pair.ids, *texts, f"{analysis.human[n]:.6f}", *own]
        rows.append(dict(zip(columns, cells, strict=True)))
    write_delimited(path, rows, columns)
