"""Public pairs against fresh ones of the same paradigms: is the score on the public set inflated?

A model that has read BLiMP during training can be better on its sentences than on new ones. The
two sets can also differ in difficulty, so a model that has never read BLiMP shows how much
difference to expect: name it as the reference, and differences are taken minus its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from priscian.analysis.named_results import pair_results, set_accuracies
from priscian.analysis.vega import Figure, HasFigures
from priscian.datasets.reference import REFERENCE, blimp_taxonomy
from priscian.errors import DataError, UnknownNameError
from priscian.runs import Result
from priscian.stats.differences import Difference, independent_difference, mean_difference
from priscian.stats.proportions import Accuracy, mean_accuracy
from priscian.stats.sets import PairedTest, paired_t

LEVEL = 0.05
Versions = Mapping[str, tuple[Accuracy, Accuracy]]
"""Accuracy on the public and on the fresh pairs of each paradigm."""


@dataclass(frozen=True, slots=True)
class ParadigmGap:
    """One paradigm: accuracy on public and on fresh pairs, and the first minus the second."""

    name: str
    phenomenon: str
    public: Accuracy
    fresh: Accuracy
    gap: Difference

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "phenomenon": self.phenomenon,
            "public": self.public.as_dict(),
            "fresh": self.fresh.as_dict(),
            "difference": self.gap.difference,
            "ci": list(self.gap.ci),
        }


@dataclass(frozen=True, slots=True)
class ModelGap:
    """A model's paradigms, and the mean of their differences tested over paradigms.

    `beyond` is the same mean minus that of `reference`, if such a model was named.
    """

    model: str
    paradigms: tuple[ParadigmGap, ...]
    overall: PairedTest
    beyond: PairedTest | None = None
    reference: str = ""

    @property
    def public(self) -> float:
        """Mean accuracy on the public pairs."""
        return math.fsum(p.public.accuracy for p in self.paradigms) / len(self.paradigms)

    @property
    def fresh(self) -> float:
        """Mean accuracy on the fresh pairs."""
        return math.fsum(p.fresh.accuracy for p in self.paradigms) / len(self.paradigms)

    @property
    def phenomena(self) -> dict[str, Difference]:
        """The mean difference in each phenomenon, for other pairs of its paradigms."""
        groups: dict[str, list[Difference]] = {}
        for paradigm in self.paradigms:
            groups.setdefault(paradigm.phenomenon, []).append(paradigm.gap)
        return {name: mean_difference(gaps) for name, gaps in sorted(groups.items())}

    @property
    def words(self) -> str:
        """The answer in a sentence."""
        test = self.beyond or self.overall
        other = f", judged by {self.reference}" if self.beyond else ""
        if test.p >= LEVEL:
            said = "no sign that the public score is inflated"
        elif test.difference > 0:
            said = "the public score is higher than chance explains"
        else:
            said = "the public score is the lower one, so it is not inflated"
        return f"{self.model}: {said}{other}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "public": self.public,
            "fresh": self.fresh,
            "overall": self.overall.as_dict(),
            "beyond_reference": self.beyond.as_dict() if self.beyond else None,
            "phenomena": {name: gap.as_dict() for name, gap in self.phenomena.items()},
            "paradigms": {p.name: p.as_dict() for p in self.paradigms},
        }


@dataclass(frozen=True, slots=True)
class Contamination(HasFigures):
    """Every model that was scored on public and on fresh pairs."""

    models: tuple[ModelGap, ...]
    reference: str = ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Differences by phenomenon and by paradigm."""
        from priscian.analysis.blimp.contamination_figure import contamination_figures

        return contamination_figures(self)

    def as_dict(self) -> dict[str, Any]:
        """By model."""
        return {
            "reference": self.reference or None,
            "models": {model.model: model.as_dict() for model in self.models},
        }


def has_both(results: Sequence[Result]) -> bool:
    """Whether some model was scored on public and on fresh pairs of at least two paradigms."""
    return any(len(versions) > 1 for versions in _versions(results).values())


def analyse_contamination(results: Sequence[Result], reference: str = "") -> Contamination:
    """Compare public BLiMP with fresh pairs of the same paradigms, model by model.

    Every paradigm has an interval for other pairs (Newcombe's). The mean over paradigms is tested
    with Student's t over the paradigms' differences, so it covers other paradigms too.
    """
    found = {
        model: versions
        for model, versions in _versions(pair_results(results)).items()
        if len(versions) > 1
    }
    if not found:
        raise DataError(
            "no model was scored on public BLiMP and on fresh pairs of two or more of its "
            "paradigms; score both: --on blimp:DIR --on generated:7"
        )
    if reference and reference not in found:
        raise UnknownNameError("model with public and fresh pairs", reference, list(found))
    gaps = {model: _paradigms(versions) for model, versions in found.items()}
    expected = {p.name: p.gap.difference for p in gaps.get(reference, ())}
    return Contamination(
        tuple(_tested(model, paradigms, reference, expected) for model, paradigms in gaps.items()),
        reference,
    )


def _tested(
    model: str,
    paradigms: tuple[ParadigmGap, ...],
    reference: str,
    expected: Mapping[str, float],
) -> ModelGap:
    overall = paired_t([p.gap.difference for p in paradigms])
    shared = [p.gap.difference - expected[p.name] for p in paradigms if p.name in expected]
    beyond = paired_t(shared) if model != reference and len(shared) > 1 else None
    return ModelGap(model, paradigms, overall, beyond, reference)


def _versions(results: Sequence[Result]) -> dict[str, Versions]:
    """For each model, the paradigms that it has in both versions."""
    seen: dict[str, dict[str, tuple[list[Accuracy], list[Accuracy]]]] = {}
    for result in results:
        if result.kind != "pairs":
            continue
        for name, accuracy in set_accuracies(result).items():
            if name in blimp_taxonomy():
                public = result.facts.sets[name].reference == REFERENCE
                sides = seen.setdefault(result.model, {}).setdefault(name, ([], []))
                sides[0 if public else 1].append(accuracy)
    return {
        model: {
            name: (mean_accuracy(public), mean_accuracy(fresh))
            for name, (public, fresh) in sides.items()
            if public and fresh
        }
        for model, sides in seen.items()
    }


def _paradigms(versions: Versions) -> tuple[ParadigmGap, ...]:
    return tuple(
        ParadigmGap(
            name, blimp_taxonomy()[name][1], public, fresh, independent_difference(public, fresh)
        )
        for name, (public, fresh) in versions.items()
    )
