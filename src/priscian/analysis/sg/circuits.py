"""Syntactic generalization of runs: by circuit, by suite, and against perplexity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from priscian.analysis.named_results import suite_results
from priscian.analysis.vega import Figure, HasFigures
from priscian.runs import Result, SuitesSummary
from priscian.runs.kinds.suites import SgScore as SgMean
from priscian.runs.kinds.suites import SuiteScore
from priscian.stats.interval import Interval

OVERALL = "SG score"


@dataclass(frozen=True, slots=True)
class SgScore:
    """The score of a suite, of a circuit, or of all suites."""

    model: str
    name: str
    circuit: str
    """The circuit of a suite; empty for a circuit and for the SG score."""
    accuracy: float
    n: int
    ties: int
    chance: float
    ci: Interval

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "accuracy": self.accuracy,
            "n": self.n,
            "ties": self.ties,
            "chance": self.chance,
            "ci": list(self.ci),
        }


@dataclass(frozen=True, slots=True)
class SgRuns(HasFigures):
    """Every model's SG score, its circuits and its suites."""

    circuits: tuple[SgScore, ...]
    """The SG score comes last for every model."""
    suites: tuple[SgScore, ...]
    deltas: Mapping[str, Mapping[str, float]]
    """By model and circuit: accuracy minus the mean of the models, where there are several."""
    trained: Mapping[str, str] = field(default_factory=dict)
    """The model's own name, by the name of its result: `lstm on sg` is a result of `lstm`."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Scores by circuit and by suite."""
        from priscian.analysis.sg.circuits_figure import circuits_figure, suites_figure

        return (circuits_figure(self), suites_figure(self))

    def as_dict(self) -> dict[str, Any]:
        """By model."""
        found: dict[str, dict[str, Any]] = {}
        for s in self.circuits:
            mine = found.setdefault(s.model, {"circuits": {}, "suites": {}})
            if s.name == OVERALL:
                mine["sg"] = s.as_dict()
            else:
                mine["circuits"][s.name] = s.as_dict()
        for s in self.suites:
            found[s.model]["suites"][s.name] = {"circuit": s.circuit, **s.as_dict()}
        for model, deltas in self.deltas.items():
            found[model]["delta"] = dict(deltas)
        return found


def analyse_sg_runs(results: Sequence[Result]) -> SgRuns:
    """Collect the scores of the runs, with their intervals."""
    circuits: list[SgScore] = []
    suites: list[SgScore] = []
    named = suite_results(results)
    for r in named:
        summary = r.expect(SuitesSummary)
        circuits += [_score(r.label, c, "", cell) for c, cell in summary.circuits.items()]
        circuits.append(_score(r.label, OVERALL, "", summary.sg))
        suites += [
            _score(r.label, name, r.narrowest(name), cell)
            for name, cell in sorted(
                summary.suites.items(), key=lambda kv: (r.narrowest(kv[0]), kv[0])
            )
        ]
    return SgRuns(
        tuple(circuits), tuple(suites), _deltas(circuits), {r.label: r.model for r in named}
    )


def _score(model: str, name: str, circuit: str, cell: SuiteScore | SgMean) -> SgScore:
    return SgScore(model, name, circuit, cell.accuracy, cell.n, cell.ties, cell.chance, cell.ci)


def _deltas(circuits: Sequence[SgScore]) -> dict[str, dict[str, float]]:
    models = list(dict.fromkeys(s.model for s in circuits))
    if len(models) < 2:
        return {}
    found: dict[str, dict[str, float]] = {model: {} for model in models}
    for name in dict.fromkeys(s.name for s in circuits):
        same = [s for s in circuits if s.name == name]
        if len(same) == len(models):
            mean = math.fsum(s.accuracy for s in same) / len(same)
            for s in same:
                found[s.model][name] = s.accuracy - mean
    return found
