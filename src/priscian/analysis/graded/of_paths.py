"""The ADC from paths: run folders, tables of scores, the released classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from priscian.analysis.graded.adc import AdcAnalysis, analyse_adc
from priscian.analysis.graded.leak import find_trained, three_ways
from priscian.analysis.graded.sources import (
    read_graded_data,
    read_graded_scores,
)
from priscian.analysis.registry import analysis
from priscian.errors import UnknownNameError
from priscian.metrics.adc import DELTAS, RULES, AdcRule, check_delta


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
