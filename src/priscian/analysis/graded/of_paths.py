"""Graded analyses from paths: run folders, tables of scores, folders of classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from priscian.analysis.graded.adc import AdcAnalysis, analyse_adc
from priscian.analysis.graded.cola import (
    ColaAnalysis,
    analyse_cola,
    analyse_restarts,
    read_analysis,
)
from priscian.analysis.graded.leak import find_trained, three_ways
from priscian.analysis.graded.sources import (
    find_cola,
    read_any_scores,
    read_graded_data,
    read_graded_scores,
)
from priscian.errors import UnknownNameError, UsageError
from priscian.metrics.adc import DELTAS, RULES, AdcRule, check_delta
from priscian.training.classifiers.reading import is_classifier, read_restarts


def adc_of_paths(
    data: Path | str,
    scores: Sequence[Path | str],
    deltas: Sequence[float],
    rule: str | AdcRule,
    cola: Path | str | None,
) -> AdcAnalysis:
    """The ADC of the models of runs and tables; those trained on CoLA three ways."""
    if isinstance(rule, str):
        if rule not in RULES:
            raise UnknownNameError("rule", rule, RULES)
        rule = RULES[rule]
    checked = [check_delta(delta) for delta in deltas or DELTAS]
    graded, known = read_graded_data(Path(data))
    known += read_graded_scores([Path(path) for path in scores], graded)
    found = analyse_adc(graded, known, deltas=checked, rule=rule)
    paths = [Path(path) for path in (data, *scores)]
    trained = find_trained(found, paths, None if cola is None else Path(cola))
    return replace(found, ways=three_ways(found, trained.seen), notes=trained.notes)


def cola_of_paths(
    paths: Sequence[Path], data: Path | None, threshold: float | None, seed: int
) -> ColaAnalysis:
    """Correlations with CoLA's labels, of runs and tables by a threshold, of classifiers as is."""
    if not paths:
        raise UsageError("name a run on cola:DIR, a classifier's folder, or a table of scores")
    trained = [read_restarts(path) for path in paths if is_classifier(path)]
    others = [path for path in paths if not is_classifier(path)]
    known = [found for path in others for found in read_any_scores(path)]
    if data is None:
        data = trained[0].data if trained else find_cola(others)
    labels = read_analysis(data)
    models = analyse_cola(labels, known, threshold=threshold, seed=seed) if others else []
    restarts = analyse_restarts(labels, trained, seed) if trained else None
    return ColaAnalysis(labels, len(labels.analysed), models, restarts)
