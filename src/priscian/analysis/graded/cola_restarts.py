"""Restarts of classifiers on CoLA: Table 5 and Figures 2 and 3 of Vázquez Martínez (2021)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np

from priscian.analysis.graded.cola import Cola
from priscian.analysis.graded.cola_logits import check_tested, logits_of, tested_sets
from priscian.analysis.vega import Figure, HasFigures
from priscian.datasets.cola import OUT_TEST
from priscian.errors import DataError
from priscian.files import read_tsv
from priscian.stats.interval import Interval
from priscian.stats.matthews import matthews, mean_matthews_interval
from priscian.training.classifiers.job import ensemble
from priscian.training.classifiers.reading import TRAINED_ON, TrainedRestarts

PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class SetMean:
    """The mean correlation over restarts on some sentences, with its 95 % interval."""

    n: int
    mean: float
    ci: Interval | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        ci = None if self.ci is None else list(self.ci)
        return {"n": self.n, "mean": self.mean, "ci": ci}


@dataclass(frozen=True, slots=True)
class RestartRow:
    """A model's correlation with the labels of the out-of-domain test set, over its restarts.

    `sd` is NaN for one restart. Published rows have a `source` and no interval. `sets` has the mean
    on every set; `unseen` has it on the sentences that were not among the training sentences, case
    and punctuation aside, and is empty where these are not known.
    """

    model: str
    mean: float
    sd: float
    max: float
    ensemble: float
    restarts: int | None = None
    collapsed: int = 0
    select: str = ""
    ci: Interval | None = None
    source: str = ""
    sets: Mapping[str, SetMean] = field(default_factory=dict)
    unseen: Mapping[str, SetMean] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "mean": self.mean,
            "sd": None if math.isnan(self.sd) else self.sd,
            "max": self.max,
            "ensemble": self.ensemble,
            "restarts": self.restarts,
            "collapsed": self.collapsed,
            "select": self.select,
            "ci": None if self.ci is None else list(self.ci),
            "source": self.source,
            "sets": {name: found.as_dict() for name, found in self.sets.items()},
            "unseen": {name: found.as_dict() for name, found in self.unseen.items()},
        }


@dataclass(frozen=True, slots=True)
class FeatureRange:
    """The correlation on the sentences of one feature: its mean and range over restarts.

    NaN where all sentences have one label.
    """

    n: int
    mean: float
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        known = not math.isnan(self.mean)
        return {"n": self.n, "mean": self.mean if known else None,
                "range": [self.low, self.high] if known else None}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RestartsAnalysis(HasFigures):
    """Every classifier's restarts beside the published rows, and by annotated feature."""

    rows: tuple[RestartRow, ...]
    published: tuple[RestartRow, ...]
    features: Mapping[str, Mapping[str, Mapping[str, FeatureRange]]]
    """By kind (major, minor), model and feature."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Correlations by major and by minor feature."""
        from priscian.analysis.graded.cola_figure import feature_figure

        return tuple(feature_figure(self, kind) for kind in self.features)

    @property
    def notes(self) -> tuple[str, ...]:
        """How many tested sentences were in training, and for which classifiers that is unknown."""
        groups: dict[str, list[str]] = {}
        for row in self.rows:
            groups.setdefault(_leaked(row), []).append(row.model)
        unknown = groups.pop("", [])
        notes = [
            f"{', '.join(models)}: the training sentences include {leaked} (case and punctuation "
            "aside); unseen is the mean without them"
            for leaked, models in groups.items()
        ]
        if groups:
            notes.append("The published rows are on all sentences, whether seen in training or not")
        if unknown:
            notes.append(
                f"{', '.join(unknown)}: no {TRAINED_ON}, so no mean on unseen sentences; priscian "
                "train classifier … --resume writes it again"
            )
        return tuple(notes)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "set": OUT_TEST,
            "notes": list(self.notes),
            "models": {row.model: row.as_dict() for row in self.rows},
            "published": {row.model: row.as_dict() for row in self.published},
        } | {
            kind: {
                model: {name: found.as_dict() for name, found in members.items()}
                for model, members in models.items()
            }
            for kind, models in self.features.items()
        }


def _leaked(row: RestartRow) -> str:
    """`17 of 533 sentences of out-of-domain test, …`; empty where it is not known."""
    if not row.unseen:
        return ""
    counts = {s: found.n - (row.unseen[s].n if s in row.unseen else 0)
              for s, found in row.sets.items()}  # fmt: skip
    told = [f"{n} of {row.sets[s].n} sentences of {s}" for s, n in counts.items() if n]
    return ", ".join(told) or "no tested sentence"


@cache
def published_rows() -> tuple[RestartRow, ...]:
    """The paper's rows, people first."""
    file = Path(__file__).parent / "data" / "published_cola.tsv"
    return tuple(_published(row) for _, row in read_tsv(file))


def _published(row: Mapping[str, str]) -> RestartRow:
    middle, sd, highest, together = (float(row[n]) for n in ("mean", "sd", "max", "ensemble"))
    restarts = int(row["restarts"]) if row["restarts"] else None
    return RestartRow(row["model"], middle, sd, highest, together, restarts, source=row["source"])


def analyse_restarts(
    cola: Cola, classifiers: Sequence[TrainedRestarts], seed: int = 0
) -> RestartsAnalysis:
    """Mean, sd, highest and ensemble of every classifier, and its correlation by feature."""
    names = [c.name for c in classifiers]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"two classifiers are called {twice[0]!r}; rename a folder")
    for classifier in classifiers:
        check_tested(cola, classifier)
    features = {
        kind: {
            c.name: {feature: _range(cola, c, ids) for feature, ids in members.items()}
            for c in classifiers
        }
        for kind, members in cola.features.items()
    }
    rows = tuple(_row(cola, c, seed) for c in classifiers)
    return RestartsAnalysis(rows, published_rows(), features)


def _row(cola: Cola, classifier: TrainedRestarts, seed: int) -> RestartRow:
    ids = cola.sets.get(OUT_TEST, ())
    if not ids:
        raise DataError("CoLA's folder has no out-of-domain test sentences; add their file")
    truth = [cola.labels[i] for i in ids]
    logits = [logits_of(classifier, one, ids) for one in classifier.logits]
    guesses = [[value > 0 for value in one] for one in logits]
    found = [matthews(truth, guess) for guess in guesses]
    sets = {name: _mean(cola, classifier, cola.sets[name], seed) for name in tested_sets(cola)}
    return RestartRow(
        classifier.name,
        mean(found),
        stdev(found) if len(found) > 1 else math.nan,
        max(found),
        matthews(truth, ensemble([np.array(one) for one in logits]).tolist()),
        len(found),
        classifier.collapsed,
        classifier.select,
        sets[OUT_TEST].ci,
        sets=sets,
        unseen=_unseen(cola, classifier, seed),
    )


def _mean(cola: Cola, classifier: TrainedRestarts, ids: Sequence[str], seed: int) -> SetMean:
    truth = [cola.labels[i] for i in ids]
    guesses = [[v > 0 for v in logits_of(classifier, one, ids)] for one in classifier.logits]
    varied = any(len(set(guess)) > 1 for guess in guesses)  # else 0 is a convention
    ci = mean_matthews_interval(truth, guesses, seed) if varied else None
    return SetMean(len(ids), mean(matthews(truth, guess) for guess in guesses), ci)


def _unseen(cola: Cola, classifier: TrainedRestarts, seed: int) -> dict[str, SetMean]:
    """The same on the sentences of each set that were not in training."""
    seen = classifier.seen
    if seen is None:
        return {}
    new = {
        name: [i for i in cola.sets[name] if not seen.has_seen(cola.texts[i])]
        for name in tested_sets(cola)
    }
    return {name: _mean(cola, classifier, ids, seed) for name, ids in new.items() if ids}


def _range(cola: Cola, classifier: TrainedRestarts, ids: Sequence[str]) -> FeatureRange:
    truth = [cola.labels[i] for i in ids]
    if len(set(truth)) < 2:
        return FeatureRange(len(ids), math.nan, math.nan, math.nan)
    found = [
        matthews(truth, [value > 0 for value in logits_of(classifier, one, ids)])
        for one in classifier.logits
    ]
    return FeatureRange(len(ids), mean(found), min(found), max(found))
