"""Table 1 and Figure 1 of the ADC paper, for any graded set and any models' scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from priscian.analysis.vega import Figure, HasFigures
from priscian.datasets.graded import GradedPair, GradedSet, SentenceScores, listed
from priscian.errors import DataError, UnknownNameError
from priscian.files import plain
from priscian.metrics.adc import (
    DELTAS,
    PAPER,
    AdcRule,
    adc_curve,
    check_delta,
    differences,
    meets_adc,
    meets_blimp,
    share,
    z_scores,
)
from priscian.stats.correlations import Correlation, correlation_matrix, pearson, spearman
from priscian.stats.proportions import Accuracy

if TYPE_CHECKING:
    from priscian.analysis.graded.leak import Way

FEWEST = 4
"""Fewest points whose correlation says anything."""
CURVE = tuple(n / 20 for n in range(101))  # δ from 0 to 5


@dataclass(frozen=True, slots=True)
class ModelAdc:
    """One model on the pairs: its differences, raw and as z-scores, and the criteria it meets."""

    name: str
    z_from: str
    raw: tuple[float, ...]
    deltas: tuple[float, ...]
    blimp: Accuracy
    adc: Mapping[float, Accuracy]

    @property
    def released(self) -> bool:
        """Whether the released z-scores are used, because the scores are incomplete."""
        return self.z_from == "released"


@dataclass(frozen=True, slots=True)
class SourceAdc:
    """One model on the pairs of one source."""

    blimp: Accuracy
    adc: Mapping[float, Accuracy]
    pearson: Correlation | None
    """With people, on differences; None where they are too few or all alike."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "pairs": self.blimp.n,
            "blimp": self.blimp.accuracy,
            "adc": {str(d): a.accuracy for d, a in self.adc.items()},
            "pearson": plain(self.pearson) if self.pearson else None,
        }


def _agreement(people: Sequence[float], model: Sequence[float]) -> Correlation | None:
    if len(people) < FEWEST or min(len(set(people)), len(set(model))) == 1:
        return None
    return pearson(people, model)


@dataclass(frozen=True, slots=True)
class AdcAnalysis(HasFigures):
    """People and models on the pairs of one graded set."""

    graded: GradedSet
    human: tuple[float, ...]
    models: tuple[ModelAdc, ...]
    scores: tuple[SentenceScores, ...]
    rule: AdcRule
    deltas: tuple[float, ...]
    ways: tuple[Way, ...] = ()
    """Models that were trained on CoLA: all pairs, those untouched by training, without ad03."""
    notes: tuple[str, ...] = ()
    """Classifiers that cannot be shown so, with the reason."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Correlations, scatter plots, and the ADC over δ."""
        from priscian.analysis.graded.adc_figure import FIGURES

        return tuple(draw(self) for draw in FIGURES)

    def model(self, name: str) -> ModelAdc:
        """The model of that name."""
        for model in self.models:
            if model.name == name:
                return model
        raise UnknownNameError("model", name, [m.name for m in self.models])

    def met(self, model: ModelAdc, delta: float) -> list[bool]:
        """Whether the model meets the ADC, pair by pair."""
        return meets_adc(self.human, model.deltas, delta, self.rule.sign)

    def matrix(self) -> dict[str, dict[str, float]]:
        """Pearson's r on the pairs' differences, people included: Figure 1."""
        columns: dict[str, Sequence[float]] = {"human": self.human}
        return correlation_matrix(columns | {m.name: m.deltas for m in self.models})

    def with_people(self, model: ModelAdc) -> dict[str, dict[str, Correlation]]:
        """Correlations with people on differences and on sentences."""
        values = next(s.values for s in self.scores if s.name == model.name)
        rated = [(s.rating, values[s.id]) for s in self.graded.sentences
                 if s.rating is not None and s.id in values]  # fmt: skip
        people, scores = [r for r, _ in rated], [v for _, v in rated]
        return {
            "deltas": {
                "pearson": pearson(self.human, model.deltas),
                "spearman": spearman(self.human, model.deltas),
            },
            "sentences": {
                "pearson": pearson(people, scores),
                "spearman": spearman(people, scores),
            },
        }

    def curve(self, model: ModelAdc, deltas: Sequence[float] = CURVE) -> list[tuple[float, float]]:
        """ADC over δ."""
        return adc_curve(self.human, model.deltas, deltas, self.rule.sign)

    def groups(self, model: ModelAdc) -> dict[str, SourceAdc]:
        """The same by data set or source, where the pairs name one."""
        places: dict[str, list[int]] = {}
        for place, pair in enumerate(self.graded.pairs):
            if pair.group:
                places.setdefault(pair.group, []).append(place)
        right = meets_blimp(model.raw)
        met = {d: self.met(model, d) for d in self.deltas}
        return {
            group: SourceAdc(
                share([right[i] for i in where]),
                {d: share([m[i] for i in where]) for d, m in met.items()},
                _agreement([self.human[i] for i in where], [model.deltas[i] for i in where]),
            )
            for group, where in places.items()
        }


def analyse_adc(
    graded: GradedSet,
    scores: Sequence[SentenceScores],
    *,
    deltas: Sequence[float] = DELTAS,
    rule: AdcRule = PAPER,
) -> AdcAnalysis:
    """BLiMP criterion and ADC of every model on the pairs of a rated set."""
    if not graded.pairs:
        raise DataError(f"{graded.name}: no pairs; without pairs there are no differences")
    if not scores:
        raise DataError(f"{graded.name}: no model's scores; add them with --scores FILE.csv")
    for delta in deltas:
        check_delta(delta)
    twice = sorted({s.name for s in scores if [t.name for t in scores].count(s.name) > 1})
    if twice:
        raise DataError(f"two sets of scores are called {twice[0]!r}; rename a column")
    deltas = tuple(dict.fromkeys(float(d) for d in deltas))
    human = graded.human_deltas()
    models = tuple(_model(graded, human, s, deltas, rule) for s in scores)
    return AdcAnalysis(graded, tuple(human), models, tuple(scores), rule, deltas)


def _model(
    graded: GradedSet,
    human: Sequence[float],
    scores: SentenceScores,
    deltas: Sequence[float],
    rule: AdcRule,
) -> ModelAdc:
    ids = [p.ids for p in graded.pairs]
    missing = [i for pair in ids for i in pair if i not in scores.values]
    if missing:
        raise DataError(
            f"{scores.source or scores.name}: {scores.name} has no score for "
            f"{listed(dict.fromkeys(missing))}; score these sentences too"
        )
    z, z_from = _z(graded, scores, rule)
    raw, own = differences(ids, scores.values), differences(ids, z)
    ties = sum(d == 0 for d in raw)
    return ModelAdc(
        scores.name,
        z_from,
        tuple(raw),
        tuple(own),
        share(meets_blimp(raw), ties),
        {d: share(meets_adc(human, own, d, rule.sign), ties) for d in deltas},
    )


def _z(graded: GradedSet, scores: SentenceScores, rule: AdcRule) -> tuple[Mapping[str, float], str]:
    """z-scores over the rule's population; the released ones if scores are incomplete."""
    if rule.population == "pairs":
        over = list(dict.fromkeys(i for p in graded.pairs for i in p.ids))
    else:
        over = [s.id for s in graded.sentences]
    missing = [i for i in over if i not in scores.values]
    if missing and scores.z is not None:
        return scores.z, "released"
    if missing:
        raise DataError(
            f"{scores.source or scores.name}: {scores.name} has no score for {len(missing)} of "
            f"{len(over)} sentences ({listed(missing)}); score them too, or use "
            "--population pairs"
        )
    z = z_scores(scores.values, over, ddof=rule.ddof, name=scores.name)
    return z, f"{len(over)} sentences"


def disagreements(
    analysis: AdcAnalysis, a: ModelAdc, b: ModelAdc, delta: float
) -> list[GradedPair]:
    """Pairs where one model meets the ADC and another does not."""
    met = zip(analysis.graded.pairs, analysis.met(a, delta), analysis.met(b, delta), strict=True)
    return [pair for pair, first, second in met if first and not second]


def against_experts(analysis: AdcAnalysis) -> list[GradedPair]:
    """Pairs where people rate the sentence that experts accept below the other."""
    both = zip(analysis.graded.pairs, analysis.human, strict=True)
    return [pair for pair, delta in both if delta < 0]


def blimp_not_adc(analysis: AdcAnalysis, model: ModelAdc, delta: float) -> list[GradedPair]:
    """Pairs that a model gets right by BLiMP's criterion and wrong by the ADC."""
    met = zip(
        analysis.graded.pairs, meets_blimp(model.raw), analysis.met(model, delta), strict=True
    )
    return [pair for pair, right, matched in met if right and not matched]
