"""Graded analyses from paths: run folders, tables of scores, folders of classifiers."""

from __future__ import annotations

import math
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
from priscian.analysis.registry import analysis
from priscian.errors import UnknownNameError, UsageError
from priscian.metrics.adc import DELTAS, RULES, AdcRule, check_delta
from priscian.training.classifiers.reading import is_classifier, read_restarts

BEST = "best"
"""A threshold that is chosen."""


@analysis("adc", "BLiMP's criterion and the ADC on graded sentences")
def adc(
    data: Path | str,
    scores: Sequence[Path | str] = (),
    *,
    deltas: Sequence[float] = (),
    rule: str | AdcRule = "paper",
    cola: Path | str | None = None,
) -> AdcAnalysis:
    """BLiMP's criterion, the Acceptability Delta Criterion and correlations with people.

    `data` is a run on graded data, the folder of the LI-Adger release, or a table of rated
    sentences; `scores` are further tables or runs. `rule` is paper or strict, or an `AdcRule`.
    Classifiers that were trained on CoLA are shown three ways (`ways`); `cola`, CoLA's folder, does
    the same for the released ones.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import priscian
    >>> folder = Path(tempfile.mkdtemp())
    >>> rows = ["sentence,rating,acceptable,phenomenon,lexicalisation", "It rains.,1.2,1,a,1",
    ...         "It rain.,-1,0,a,1", "She left.,0.9,1,b,1", "She leave.,-0.8,0,b,1"]
    >>> _ = (folder / "rated.csv").write_text("\\n".join(rows))
    >>> _ = priscian.score("builtin:lstm", f"graded:{folder / 'rated.csv'}", out=folder / "run")
    >>> found = priscian.analyse.adc(folder / "run")
    >>> len(found.graded.pairs), [model.name for model in found.models]
    (2, ['builtin:lstm'])
    """
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


@analysis("cola", "Matthews' correlation with CoLA's labels")
def cola(
    scores: Path | str | Sequence[Path | str],
    *,
    data: Path | str | None = None,
    threshold: float | str | None = BEST,
    seed: int = 0,
) -> ColaAnalysis:
    """Matthews' correlation of scores with CoLA's labels, by split and by annotated feature.

    A sentence with a score above the threshold counts as acceptable. The threshold is chosen for
    the highest correlation in domain, on the training sentences if they are scored, else on the
    dev sentences, and then used everywhere. Intervals are 95 %, from 10,000 draws of
    the table of labels and predictions; there is none if all sentences get the same label.

    Of a classifier's folder every restart counts, with its own threshold of 0: mean, standard
    deviation, highest and majority vote on the out-of-domain test set beside the published rows,
    with a 95 % interval of the mean from a bootstrap over sentences and restarts; the mean on test
    sentences that were not in training (unseen); and the mean and range over restarts by feature.

    Examples:
      priscian score builtin:lstm --on cola:data/cola --out runs/cola
      priscian analyse cola runs/cola
      priscian analyse cola classifier.csv --data data/cola --threshold 0 --features minor
      priscian analyse cola my-probe tuned --figures pictures

    >>> import priscian
    >>> found = priscian.analyse.cola("runs/cola")                            # doctest: +SKIP
    >>> found.models[0].overall.mcc                                           # doctest: +SKIP
    0.1...

    Parameters
    ----------
    scores
        Run folders on cola:DIR, folders of classifiers (priscian train classifier), or tables of
        scores (sentence, and one column per model). A column of 0 and 1 is read as labels.
    data
        Folder of CoLA's release, with its annotations; by default that of the first run or
        classifier.
    threshold
        best, or a number that scores must exceed.
    features
        Which annotated features to show: major, minor or none. JSON has both.
    seed
        Seed of the draws.
    """
    try:
        limit = None if threshold is None or threshold == BEST else float(threshold)
    except ValueError:
        limit = math.nan
    if limit is not None and not math.isfinite(limit):
        raise UsageError(f"`threshold=` takes {BEST} or a number, not {str(threshold)!r}")
    paths = [Path(p) for p in ([scores] if isinstance(scores, str | Path) else scores)]
    if not paths:
        raise UsageError("name a run on cola:DIR, a classifier's folder, or a table of scores")
    trained = [read_restarts(path) for path in paths if is_classifier(path)]
    others = [path for path in paths if not is_classifier(path)]
    known = [found for path in others for found in read_any_scores(path)]
    if data is None:
        data = trained[0].data if trained else find_cola(others)
    labels = read_analysis(Path(data))
    models = analyse_cola(labels, known, threshold=limit, seed=seed) if others else []
    restarts = analyse_restarts(labels, trained, seed) if trained else None
    return ColaAnalysis(labels, len(labels.analysed), models, restarts)
