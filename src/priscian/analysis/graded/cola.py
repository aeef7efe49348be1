"""CoLA: Matthews' correlation of scores with experts' labels, by split and by feature.

Restarts of classifiers too, as in Table 5 and Figures 2 and 3 of Vázquez Martínez (2021).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import mean, stdev
from typing import Annotated, Literal

import numpy as np
from msgspec import Struct, field

from priscian.analysis.charts import inline
from priscian.analysis.graded.sources import find_cola, read_any_scores
from priscian.analysis.registry import analysis
from priscian.analysis.result import AnalysisResult, Table
from priscian.analysis.vega import PALETTE, SCHEMA, Chart, Figure
from priscian.datasets.cola import (
    FEATURES,
    IN_DEV,
    OUT_DEV,
    OUT_TEST,
    SPLITS,
    TRAIN,
    read_cola_features,
    read_cola_sets,
)
from priscian.datasets.graded import SentenceScores, listed
from priscian.errors import DataError, UsageError
from priscian.files import HIDDEN, INLINE, by, read_tsv
from priscian.metrics.labels import Matthews, best_threshold, matthews_of
from priscian.stats.interval import Interval
from priscian.stats.matthews import matthews, mean_matthews_interval
from priscian.training.classifiers.data import Labelled
from priscian.training.classifiers.job import ensemble
from priscian.training.classifiers.reading import (
    TRAINED_ON,
    TrainedRestarts,
    is_classifier,
    read_restarts,
)

LABELS = frozenset({0.0, 1.0})
GIVEN, AS_LABELS = "given", "labels"
BEST = "best"
"""A threshold that is chosen."""
PEOPLE = "people"
FIGURES = {"major": 2, "minor": 3}
"""The paper's figures."""
CHOSEN = {"dev": "in-domain dev", "paper": "test (as the paper)"}
Features = Literal["major", "minor", "none"]
"""Which annotated features a table has."""


class Cola(Struct, frozen=True):
    """Labels by id, ids by split and by feature, and the id of each sentence."""

    labels: Mapping[str, bool]
    sets: Mapping[str, Sequence[str]]
    features: Mapping[str, Mapping[str, Sequence[str]]]
    texts: Mapping[str, str]

    @property
    def analysed(self) -> list[str]:
        """The analysis set: development sentences of both domains."""
        return [*self.sets[IN_DEV], *self.sets[OUT_DEV]]


class ColaModel(Struct, frozen=True):
    """One model: its threshold, where that was chosen, and the correlations with labels.

    `chosen_on` is a split, `given`, or `labels` where the scores are 0 and 1 themselves.
    """

    name: str
    threshold: float
    chosen_on: str
    overall: Matthews
    sets: Mapping[str, Matthews]
    features: Annotated[Mapping[str, Mapping[str, Matthews]], INLINE]


class SetMean(Struct, frozen=True):
    """The mean correlation over restarts on some sentences, with its 95 % interval."""

    n: int
    mean: float
    ci: Interval | None = None


class RestartRow(Struct, frozen=True):
    """A model's correlation with the labels of the out-of-domain test set, over its restarts.

    `sd` is None for one restart. Published rows have a `source` and no interval. `sets` has the
    mean on every set; `unseen` has it on the sentences that were not among the training sentences,
    case and punctuation aside, and is empty where these are not known.
    """

    model: str
    mean: float
    sd: float | None
    max: float
    ensemble: float
    restarts: int | None = None
    collapsed: int = 0
    select: str = ""
    ci: Interval | None = None
    source: str = ""
    sets: Mapping[str, SetMean] = field(default_factory=dict)
    unseen: Mapping[str, SetMean] = field(default_factory=dict)


class FeatureRange(Struct, frozen=True):
    """The correlation on the sentences of one feature: its mean and range over restarts.

    None where all sentences have one label.
    """

    n: int
    mean: float | None = None
    range: Interval | None = None

    def __str__(self) -> str:
        if self.mean is None or self.range is None:
            return "–"
        low, high = self.range
        return f"{self.mean:.2f}" + ("" if low == high else f"  {low:.2f}–{high:.2f}")


class RestartsAnalysis(AnalysisResult, frozen=True):
    """Every classifier's restarts beside the published rows, and by annotated feature."""

    set: str
    notes: Sequence[str]
    rows: Annotated[Sequence[RestartRow], by("model")] = field(name="models")
    published: Annotated[Sequence[RestartRow], by("model")]
    features: Annotated[Mapping[str, Mapping[str, Mapping[str, FeatureRange]]], INLINE]
    """By kind (major, minor), model and feature."""

    def tables(self, *, features: Features = "major") -> list[Table]:
        """Restarts on the out-of-domain test set; then one kind of feature, or none."""
        head = ("model", "restarts", "collapsed", "mean (sd)", "95 %", "unseen", "highest",
                "ensemble", "chosen on, or source")  # fmt: skip
        rows = tuple(
            (
                row.model,
                str(row.restarts or ""),
                "" if row.source else str(row.collapsed),
                f"{row.mean:.3f}" + ("" if row.sd is None else f" ({row.sd:.3f})"),
                f"{row.ci[0]:.2f}–{row.ci[1]:.2f}" if row.ci else "",
                f"{row.unseen[OUT_TEST].mean:.3f}" if OUT_TEST in row.unseen else "",
                f"{row.max:.3f}",
                f"{row.ensemble:.3f}",
                row.source or CHOSEN.get(row.select, row.select),
            )
            for row in (*self.rows, *self.published)
        )
        title = "CoLA, out-of-domain test: Matthews' correlation over restarts"
        made = [Table(title, head, rows)]
        if features != "none":
            models = self.features[features]
            first = next(iter(models.values()))
            ranges = tuple(
                (name, str(cell.n), *(str(own[name]) for own in models.values()))
                for name, cell in first.items()
            )
            made.append(Table(f"by {features} feature", ("feature", "n", *models), ranges))
        return made

    @property
    def findings(self) -> Sequence[str]:
        """How many tested sentences were in training."""
        return self.notes

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Correlations by major and by minor feature."""
        return tuple(feature_figure(self, kind) for kind in self.features)


class ColaAnalysis(AnalysisResult, frozen=True, omit_defaults=True):
    """CoLA's labels, every model's correlation with them, and restarts of classifiers."""

    cola: Annotated[Cola, HIDDEN]
    sentences: int
    models: Annotated[Sequence[ColaModel], by("name")]
    restarts: RestartsAnalysis | None = None

    def tables(self, *, features: Features = "major") -> list[Table]:
        """Restarts of classifiers; then models by split, and by one kind of feature, or none."""
        made = self.restarts.tables(features=features) if self.restarts else []
        if not self.models:
            return made
        names = [name for name in self.cola.sets if any(name in m.sets for m in self.models)]
        rows = tuple(
            (
                m.name,
                f"{m.threshold:.4g}",
                str(m.overall),
                *(str(m.sets[name]) if name in m.sets else "" for name in names),
            )
            for m in self.models
        )
        title = f"CoLA: Matthews' correlation, {self.sentences:,} sentences of the analysis set"
        made.append(Table(title, ("model", "threshold", "overall", *names), rows))
        if features != "none":
            first = self.models[0].features[features]
            cells = tuple(
                (name, str(cell.n), *(str(m.features[features][name]) for m in self.models))
                for name, cell in first.items()
            )
            head = ("feature", "n", *(m.name for m in self.models))
            made.append(Table(f"by {features} feature", head, cells))
        return made

    @property
    def findings(self) -> list[str]:
        """What was in training, and where thresholds were chosen."""
        chosen = dict.fromkeys(m.chosen_on for m in self.models)
        return [
            *(self.restarts.findings if self.restarts else ()),
            *(
                f"Thresholds were chosen on {name}: correlations there are too good"
                for name in chosen
                if name in self.cola.sets
            ),
        ]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Correlations of classifiers by feature."""
        return self.restarts.figures if self.restarts else ()


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


def read_analysis(folder: Path) -> Cola:
    """CoLA's splits with the features of the analysis set."""
    features: dict[str, dict[str, list[str]]] = {}
    for kind in FEATURES:
        count = {IN_DEV: 0, OUT_DEV: 0}
        found: dict[str, list[str]] = {}
        for sentence in read_cola_features(folder, kind):
            split = IN_DEV if sentence.in_domain else OUT_DEV
            for feature in sentence.features:
                found.setdefault(feature, []).append(f"{split}.{count[split]}")
            count[split] += 1
        features[kind] = dict(sorted(found.items()))
    sets = read_cola_sets(folder, train=(folder / SPLITS["train"]).is_file())
    items = [item for itemset in sets for item in itemset.items]
    return Cola(
        {item.id: bool(item.meta["label"]) for item in items},
        {itemset.name: [item.id for item in itemset.items] for itemset in sets},
        features,
        {item.id: item["sentence"].text for item in items},
    )


def analyse_cola(
    cola: Cola, scores: Sequence[SentenceScores], *, threshold: float | None = None, seed: int = 0
) -> list[ColaModel]:
    """Every model's correlation with the labels, overall, by split and by feature.

    A score above the threshold means acceptable. It is chosen for the highest correlation on the
    in-domain training sentences where they are scored, else on the in-domain dev ones.
    """
    if not scores:
        raise DataError("no model's scores; give a run on cola:DIR, or a table of scores")
    twice = [s.name for n, s in enumerate(scores) if s.name in [t.name for t in scores[:n]]]
    if twice:
        raise DataError(f"two sets of scores are called {twice[0]!r}; rename a column")
    return [_model(cola, s, threshold, seed) for s in scores]


def _model(cola: Cola, scores: SentenceScores, given: float | None, seed: int) -> ColaModel:
    # scores by our ids; those keyed by the sentence itself go to every id that has it
    known = scores.values
    by_id = any(i in known for i in cola.labels)
    keys = ((i, i if by_id else text) for i, text in cola.texts.items())
    values = {i: known[key] for i, key in keys if key in known}
    sets = _scored_sets(cola, scores, values)
    threshold, chosen_on = given, GIVEN
    if threshold is None and set(values.values()) <= LABELS:
        threshold, chosen_on = 0.5, AS_LABELS
    if threshold is None:
        chosen_on = TRAIN if TRAIN in sets else IN_DEV
        own = sets[chosen_on]
        try:
            threshold = best_threshold([values[i] for i in own], [cola.labels[i] for i in own])
        except DataError as error:
            raise DataError(f"{scores.source or scores.name}: {scores.name}: {error}") from None

    def found(ids: Iterable[str]) -> Matthews:
        ids = list(ids)
        truth = [cola.labels[i] for i in ids]
        return matthews_of(truth, [values[i] > threshold for i in ids], seed)

    return ColaModel(
        scores.name,
        threshold,
        chosen_on,
        found(cola.analysed),
        {name: found(ids) for name, ids in sets.items()},
        {
            kind: {name: found(ids) for name, ids in members.items()}
            for kind, members in cola.features.items()
        },
    )


def _scored_sets(
    cola: Cola, scores: SentenceScores, values: Mapping[str, float]
) -> dict[str, Sequence[str]]:
    """Completely scored splits; a partly scored one, or no analysis set, is an error."""
    found = {}
    for name, ids in cola.sets.items():
        missing = [i for i in ids if i not in values]
        if len(missing) == len(ids) and name not in (IN_DEV, OUT_DEV):
            continue
        # training sentences that also occur in dev, keyed by text, do not make a scored split
        if missing and name == TRAIN and len(missing) > len(ids) / 2:
            continue
        if missing:
            raise DataError(
                f"{scores.source or scores.name}: {scores.name} has no score for {len(missing)} of "
                f"{len(ids)} sentences of {name} ({listed(missing)}); score them too"
            )
        found[name] = ids
    return found


@cache
def published_rows() -> tuple[RestartRow, ...]:
    """The paper's rows, people first."""
    rows = []
    for _, row in read_tsv(Path(__file__).parent / "data" / "published_cola.tsv"):
        middle, sd, highest, together = (float(row[n]) for n in ("mean", "sd", "max", "ensemble"))
        restarts = int(row["restarts"]) if row["restarts"] else None
        rows.append(
            RestartRow(row["model"], middle, sd, highest, together, restarts, source=row["source"])
        )
    return tuple(rows)


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
    rows = [_row(cola, c, seed) for c in classifiers]
    return RestartsAnalysis(OUT_TEST, _notes(rows), rows, published_rows(), features)


def _notes(rows: Sequence[RestartRow]) -> list[str]:
    """How many tested sentences were in training, and for which classifiers that is unknown."""
    leaks: dict[str, list[str]] = {}
    for row in rows:
        leaked = ""
        if row.unseen:
            counts = {
                name: found.n - (row.unseen[name].n if name in row.unseen else 0)
                for name, found in row.sets.items()
            }
            told = [f"{n} of {row.sets[s].n} sentences of {s}" for s, n in counts.items() if n]
            leaked = ", ".join(told) or "no tested sentence"
        leaks.setdefault(leaked, []).append(row.model)
    unknown = leaks.pop("", [])
    notes = [
        f"{', '.join(models)}: the training sentences include {leaked} (case and punctuation "
        "aside); unseen is the mean without them"
        for leaked, models in leaks.items()
    ]
    if leaks:
        notes.append("The published rows are on all sentences, whether seen in training or not")
    if unknown:
        notes.append(
            f"{', '.join(unknown)}: no {TRAINED_ON}, so no mean on unseen sentences; resuming the "
            "training writes it again"
        )
    return notes


def _row(cola: Cola, classifier: TrainedRestarts, seed: int) -> RestartRow:
    ids = cola.sets.get(OUT_TEST, ())
    if not ids:
        raise DataError("CoLA's folder has no out-of-domain test sentences; add their file")
    truth = [cola.labels[i] for i in ids]
    logits = [logits_of(classifier, one, ids) for one in classifier.logits]
    guesses = [[value > 0 for value in one] for one in logits]
    found = [matthews(truth, guess) for guess in guesses]
    sets = {name: _mean(cola, classifier, cola.sets[name], seed) for name in tested_sets(cola)}
    unseen = {}
    if classifier.seen is not None:
        for name in sets:
            new = [i for i in cola.sets[name] if not classifier.seen.has_seen(cola.texts[i])]
            if new:
                unseen[name] = _mean(cola, classifier, new, seed)
    return RestartRow(
        classifier.name,
        mean(found),
        stdev(found) if len(found) > 1 else None,
        max(found),
        matthews(truth, ensemble([np.array(one) for one in logits]).tolist()),
        len(found),
        classifier.collapsed,
        classifier.select,
        sets[OUT_TEST].ci,
        sets=sets,
        unseen=unseen,
    )


def _mean(cola: Cola, classifier: TrainedRestarts, ids: Sequence[str], seed: int) -> SetMean:
    truth = [cola.labels[i] for i in ids]
    guesses = [[v > 0 for v in logits_of(classifier, one, ids)] for one in classifier.logits]
    varied = any(len(set(guess)) > 1 for guess in guesses)  # else 0 is a convention
    ci = mean_matthews_interval(truth, guesses, seed) if varied else None
    return SetMean(len(ids), mean(matthews(truth, guess) for guess in guesses), ci)


def _range(cola: Cola, classifier: TrainedRestarts, ids: Sequence[str]) -> FeatureRange:
    truth = [cola.labels[i] for i in ids]
    if len(set(truth)) < 2:
        return FeatureRange(len(ids))
    found = [
        matthews(truth, [value > 0 for value in logits_of(classifier, one, ids)])
        for one in classifier.logits
    ]
    return FeatureRange(len(ids), mean(found), (min(found), max(found)))


def tested_sets(cola: Cola) -> list[str]:
    """The sets that classifiers are tested on and that have sentences."""
    return [name for name in (OUT_TEST, IN_DEV, OUT_DEV) if cola.sets.get(name)]


def check_tested(cola: Cola, classifier: TrainedRestarts) -> None:
    """Refuse sentences or labels that are not those of the training: ids are only row numbers.

    A classifier of an older version has no hashes; the recorded correlations must come out again.
    """
    for name in tested_sets(cola):
        ids = cola.sets[name]
        labels = [cola.labels[i] for i in ids]
        if classifier.tested:
            texts = tuple(cola.texts[i] for i in ids)
            same = classifier.tested.get(name) == Labelled(name, texts, tuple(labels)).digest
        else:
            same = all(
                math.isclose(
                    known[name],
                    matthews(labels, [value > 0 for value in logits_of(classifier, one, ids)]),
                    abs_tol=1e-6,
                )
                for one, known in zip(classifier.logits, classifier.recorded, strict=False)
                if name in known
            )
        if not same:
            raise DataError(
                f"{classifier.name} was tested on other sentences or labels of {name} than these; "
                f"give the files that it was trained with (`data={classifier.data}`), or train it "
                "again"
            )


def logits_of(
    classifier: TrainedRestarts, logits: Mapping[str, float], ids: Sequence[str]
) -> list[float]:
    """The logits of some sentences, in order; a missing one is an error."""
    missing = [i for i in ids if i not in logits]
    if missing:
        raise DataError(
            f"{classifier.name} has no logit for {listed(missing)}; it was trained with another "
            "release of CoLA: train it again, or give its folder as `data=`"
        )
    return [logits[i] for i in ids]


def feature_figure(found: RestartsAnalysis, kind: str) -> Figure:
    """One point for each feature and model, a line for its range, dashed lines for the test set."""
    rows: list[dict[str, object]] = [
        {
            "feature": feature,
            "model": model,
            "n": cell.n,
            "mcc": round(cell.mean, 4),
            "low": round(cell.range[0], 4),
            "high": round(cell.range[1], 4),
        }
        for model, members in found.features[kind].items()
        for feature, cell in members.items()
        if cell.mean is not None and cell.range is not None
    ]
    models = list(found.features[kind])
    shades = [PALETTE[n % len(PALETTE)] for n in range(len(models))]
    colour = {
        "field": "model",
        "type": "nominal",
        "title": None,
        "sort": models,
        "scale": {"domain": models, "range": shades},
    }
    place = {
        "x": {"field": "feature", "type": "nominal", "title": None, "axis": {"labelAngle": -45}},
        "xOffset": {"field": "model", "sort": models},
        "color": colour,
    }
    low = {"field": "low", "type": "quantitative", "title": "MCC"}
    means = [{"model": row.model, "mean": round(row.mean, 4)} for row in found.rows]
    chart: Chart = {
        "$schema": SCHEMA,
        "title": f"CoLA's analysis set by {kind} feature",
        "width": {"step": max(10, 30 // max(1, len(models)))},
        "height": 260,
        "layer": [
            {
                "data": inline(rows),
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": place | {"y": low, "y2": {"field": "high"}},
            },
            {
                "data": inline(rows),
                "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
                "encoding": place | {"y": {"field": "mcc", "type": "quantitative"}},
            },
            {
                "data": inline(means),
                "mark": {"type": "rule", "strokeDash": [5, 4]},
                "encoding": {"y": {"field": "mean", "type": "quantitative"}, "color": colour},
            },
        ],
    }
    caption = (
        f"Matthews' correlation with the labels of the analysis set, by {kind} feature, as in "
        f"Figure {FIGURES[kind]} of Vázquez Martínez (2021): the mean over restarts and, as a "
        "line, their range. Dashed: the mean on the out-of-domain test set. Features whose "
        "sentences all have one label are left out."
    )
    return Figure(f"cola-{kind}", f"CoLA by {kind} feature", caption, chart, rows)
