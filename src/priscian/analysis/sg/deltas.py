"""ΔSG: how far architectures and corpus sizes lie from the mean, suite by suite.

Hu et al. (2020), Figures 3 and 4: the score of a trained model on a suite minus the mean of all
kinds of models on that suite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, Literal

from priscian.analysis.sg.published_figures import delta, means
from priscian.analysis.sg.released import Instance, SuiteScore
from priscian.analysis.vega import Figure, HasFigures
from priscian.errors import DataError
from priscian.stats.interval import Interval, student_t

By = Literal["architecture", "size"]


@dataclass(frozen=True, slots=True)
class Delta:
    """A mean difference over suites; Student's 95 % interval covers other suites."""

    by: By
    circuit: str
    """Empty for all suites."""
    name: str
    mean: float
    ci: Interval | None
    """None for a single suite."""
    suites: int

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        ci = list(self.ci) if self.ci else None
        return {"delta": self.mean, "ci": ci, "suites": self.suites}


@dataclass(frozen=True, slots=True)
class Deltas(HasFigures):
    """By architecture over the sizes that all have, by size over the architectures with all."""

    rows: tuple[Delta, ...]
    sizes: tuple[str, ...]
    """Sizes that the architectures are compared on."""
    architectures: tuple[str, ...]
    """Architectures that the sizes are compared on."""
    left_out: tuple[str, ...] = ()
    """Comparisons that have no full grid, and why."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Figures 3 and 4."""
        from priscian.analysis.sg.deltas_figure import circuit_deltas_figure, deltas_figure

        made = (deltas_figure(self),)
        circuits = {row.circuit for row in self.rows if row.circuit}
        return (*made, circuit_deltas_figure(self)) if len(circuits) > 1 else made

    def as_dict(self) -> dict[str, Any]:
        """By architecture or size, then by name; circuits below."""
        found: dict[str, Any] = {}
        for row in self.rows:
            mine = found.setdefault(row.by, {}).setdefault(row.name, {"circuits": {}})
            if row.circuit:
                mine["circuits"][row.circuit] = row.as_dict()
            else:
                mine.update(row.as_dict())
        return found


def analyse_deltas(scores: Sequence[SuiteScore], sizes: Sequence[str]) -> Deltas:
    """ΔSG of models whose instance names an architecture, a size and a seed.

    `sizes` are the names of the corpora from small to large. A kind of model without some of the
    sizes would shift the mean of the others, so each comparison uses a full grid, in which every
    cell counts once, whatever its number of seeds.
    """
    cells = {(s.instance.model, s.instance.corpus) for s in scores}
    kinds = list(dict.fromkeys(s.instance.model for s in scores))
    if len(cells) < 2:
        raise DataError("a difference from the mean needs two kinds of models or sizes or more")
    common = [z for z in sizes if all((kind, z) in cells for kind in kinds)]
    full = [k for k in kinds if all((k, z) in cells for z in sizes)]
    rows: list[Delta] = []
    left_out: list[str] = []
    if len(kinds) > 1 and common:
        rows += _deltas("architecture", [s for s in scores if s.instance.corpus in common], kinds)
    elif len(kinds) > 1:
        left_out.append(f"architectures are not compared: {', '.join(kinds)} have no common size")
    if len(sizes) > 1 and full:
        rows += _deltas("size", [s for s in scores if s.instance.model in full], sizes)
    elif len(sizes) > 1:
        left_out.append(
            f"sizes are not compared: no kind of model has all of {', '.join(sizes)} yet"
        )
    if not rows:
        raise DataError("; ".join(left_out))
    return Deltas(tuple(rows), tuple(common), tuple(full), tuple(left_out))


def _deltas(by: By, scores: Sequence[SuiteScore], names: Sequence[str]) -> list[Delta]:
    made = delta(_cells(scores))
    circuits = sorted({s.circuit for s in made} - {""})
    found = []
    for circuit in ("", *circuits):
        for name in names:
            own = [
                s
                for s in made
                if (not circuit or s.circuit == circuit)
                and name == (s.instance.model if by == "architecture" else s.instance.corpus)
            ]
            if own:
                values = list(means((s.suite, s.score) for s in own).values())
                found.append(
                    Delta(by, circuit, name, fmean(values), _interval(values), len(values))
                )
    return found


def _cells(scores: Sequence[SuiteScore]) -> list[SuiteScore]:
    """The mean over seeds of every kind of model with every size, suite by suite."""
    found = means(((s.instance.model, s.instance.corpus, s.suite), s.score) for s in scores)
    circuits = {s.suite: s.circuit for s in scores}
    return [
        SuiteScore(Instance(model, size, ""), suite, score, circuits[suite])
        for (model, size, suite), score in found.items()
    ]


def _interval(values: Sequence[float]) -> Interval | None:
    n = len(values)
    if n < 2:
        return None
    half = student_t(n - 1) * stdev(values) / math.sqrt(n)
    return (max(-1.0, fmean(values) - half), min(1.0, fmean(values) + half))
