"""CoLA: Matthews' correlation of models' scores with experts' labels, by split and by feature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.analysis.vega import Figure, HasFigures
from priscian.datasets.cola import (
    FEATURES,
    IN_DEV,
    OUT_DEV,
    SPLITS,
    TRAIN,
    read_cola_features,
    read_cola_sets,
)
from priscian.datasets.graded import SentenceScores, listed
from priscian.errors import DataError
from priscian.metrics.labels import Matthews, best_threshold, matthews_of

if TYPE_CHECKING:
    from priscian.analysis.graded.cola_restarts import RestartsAnalysis

LABELS = frozenset({0.0, 1.0})
GIVEN, AS_LABELS = "given", "labels"


@dataclass(frozen=True, slots=True)
class ColaModel:
    """One model: its threshold, where that was chosen, and the correlations with labels.

    `chosen_on` is a split, `given`, or `labels` where the scores are 0 and 1 themselves.
    """

    name: str
    threshold: float
    chosen_on: str
    overall: Matthews
    sets: Mapping[str, Matthews]
    features: Mapping[str, Mapping[str, Matthews]]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "threshold": self.threshold,
            "chosen_on": self.chosen_on,
            "overall": self.overall.as_dict(),
            "sets": {name: m.as_dict() for name, m in self.sets.items()},
        } | {
            kind: {name: m.as_dict() for name, m in members.items()}
            for kind, members in self.features.items()
        }


@dataclass(frozen=True, slots=True)
class Cola:
    """Labels by id, ids by split and by feature, and the id of each sentence."""

    labels: Mapping[str, bool]
    sets: Mapping[str, Sequence[str]]
    features: Mapping[str, Mapping[str, Sequence[str]]]
    texts: Mapping[str, str]

    @property
    def analysed(self) -> list[str]:
        """The analysis set: development sentences of both domains."""
        return [*self.sets[IN_DEV], *self.sets[OUT_DEV]]


@dataclass(frozen=True, slots=True)
class ColaAnalysis(HasFigures):
    """CoLA's labels, every model's correlation with them, and restarts of classifiers."""

    cola: Cola
    models: tuple[ColaModel, ...]
    restarts: RestartsAnalysis | None = None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Correlations of classifiers by feature."""
        return self.restarts.figures if self.restarts else ()

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        models = {model.name: model.as_dict() for model in self.models}
        found = {"sentences": len(self.cola.analysed), "models": models}
        return found | ({"restarts": self.restarts.as_dict()} if self.restarts else {})


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
    values = _by_id(cola, scores)
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


def _by_id(cola: Cola, scores: SentenceScores) -> dict[str, float]:
    """Scores by our ids; those keyed by the sentence itself go to every id that has it."""
    known = scores.values
    if any(i in known for i in cola.labels):
        return {i: known[i] for i in cola.labels if i in known}
    return {i: known[text] for i, text in cola.texts.items() if text in known}


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
