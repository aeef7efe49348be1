"""Training size: accuracy against log₂ of training tokens, and tokens to reach people's level.

Warstadt et al. (2020), § 6.3 and Figure 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from priscian.analysis.named_results import set_accuracies
from priscian.analysis.vega import Figure, HasFigures
from priscian.datasets.reference import published
from priscian.errors import DataError
from priscian.runs import Result
from priscian.stats.interval import Interval
from priscian.stats.lines import FittedLine, crossing_interval, fit_line
from priscian.stats.proportions import mean_accuracy

OVERALL = "overall"
FEWEST_SIZES, FEWEST_MODELS = 2, 3
"""What a line with an interval needs: seeds of the same size count as models."""
NEEDED = f"a line with an interval needs {FEWEST_SIZES} sizes and {FEWEST_MODELS} models or more"
STRAIGHT = 3
"""Sizes from which on one can see whether a line is straight, and so extrapolate it."""
LARGEST = 1000.0  # log₂ of the largest number of tokens that is printed


@dataclass(frozen=True, slots=True)
class Trained:
    """A result, how many tokens its model was trained on, and the curve it belongs to."""

    result: Result
    tokens: float
    curve: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """One model on a curve."""

    model: str
    tokens: float
    accuracy: float
    ci: Interval


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a line meets people's accuracy, in log₂ of tokens."""

    human: float
    log2_tokens: float | None
    """None if the line does not rise."""
    ci: tuple[float, float | None] | None
    """Fieller's 95 % interval: an upper limit of None is beyond any printable number; None as a
    whole means that the slope may be zero."""
    extrapolated: bool
    """Whether it lies beyond the sizes that were trained."""

    @property
    def tokens(self) -> float | None:
        """The number itself, if it can be printed."""
        if self.log2_tokens is None or abs(self.log2_tokens) > LARGEST:
            return None
        return float(2.0**self.log2_tokens)

    def __str__(self) -> str:
        if self.log2_tokens is None:
            return "never: the line does not rise"
        text = written(self.log2_tokens)
        if self.ci is None:
            text += " (slope not clearly above 0)"
        else:
            high = self.ci[1]
            text += f" ({written(self.ci[0])} to {'∞' if high is None else written(high)})"
        return text + (" extrapolated" if self.extrapolated else "")


@dataclass(frozen=True, slots=True)
class Curve:
    """One phenomenon, or overall, of one series of models."""

    curve: str
    name: str
    points: tuple[Point, ...]
    line: FittedLine
    reach: Reach | None
    """None if people's accuracy is unknown, or if there are only two sizes."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found: dict[str, Any] = {
            "slope": self.line.slope,
            "slope_ci": list(self.line.ci),
            "intercept": self.line.intercept,
            "residual_deviation": self.line.deviation,
            "points": [
                {"model": p.model, "tokens": p.tokens, "accuracy": p.accuracy, "ci": list(p.ci)}
                for p in self.points
            ],
        }
        if self.reach is not None:
            found["human"] = self.reach.human
            found["tokens_to_human"] = self.reach.tokens
            found["log2_tokens_to_human"] = self.reach.log2_tokens
            found["log2_tokens_to_human_ci"] = list(self.reach.ci) if self.reach.ci else None
            found["extrapolated"] = self.reach.extrapolated
        return found


@dataclass(frozen=True, slots=True)
class TrainingSize(HasFigures):
    """Every curve, phenomena in alphabetical order and overall last."""

    curves: tuple[Curve, ...]
    ties: tuple[str, ...] = ("wrong",)
    """How ties count: `wrong`, `half`, `random` or `vote:N`; several if the runs differ."""
    most_ties: float = 0.0
    """The largest share of tied items that a model has."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Accuracy over training tokens."""
        from priscian.analysis.curves.training_size_figure import training_size_figure

        return (training_size_figure(self),)

    def as_dict(self) -> dict[str, Any]:
        """By curve, then by phenomenon."""
        found: dict[str, dict[str, Any]] = {}
        for c in self.curves:
            found.setdefault(c.curve, {})[c.name] = c.as_dict()
        return found


def written(log2: float) -> str:
    """A power of 2 in readable form.

    >>> written(20), written(70), written(5000)
    ('1.0M', '1.2·10^21', '10^1505')
    """
    power = log2 * math.log10(2)
    for unit, digits in (("k", 3), ("M", 6), ("B", 9), ("T", 12)):
        if digits <= power < digits + 3:
            scaled = 10 ** (power - digits)
            return f"{scaled:.0f}{unit}" if scaled >= 100 else f"{scaled:.1f}{unit}"
    if power > 300:  # too large for a float
        return f"10^{power:.0f}"
    if 0 <= power < 3:
        return f"{10**power:.0f}"
    mantissa, _, exponent = f"{10**power:.1e}".partition("e")
    return f"{mantissa}·10^{int(exponent)}"


def analyse_training_size(models: Sequence[Trained], method: str = "full") -> TrainingSize:
    """Fit a line for each curve and phenomenon; a curve needs two sizes and three models."""
    by_curve: dict[str, list[Trained]] = {}
    for model in models:
        by_curve.setdefault(model.curve, []).append(model)
    if not by_curve:
        raise DataError("no model has a training size; name sizes with --tokens MODEL=1M")
    made: list[Curve] = []
    for curve, members in by_curve.items():
        if not _has_line(members):
            what = f"curve {curve!r}" if curve else "the curve"
            sizes = len({m.tokens for m in members})
            raise DataError(
                f"{what} has {len(members)} model{'s' * (len(members) != 1)} of {sizes} training "
                f"size{'s' * (sizes != 1)}; {NEEDED}: score models of other sizes or seeds"
            )
        made += _curves(curve, members, method)
    scores = [m.result.summary.headline for m in models]
    return TrainingSize(
        tuple(made),
        tuple(sorted({m.result.summary.tie for m in models})),
        max(score.ties / score.n if score.n else 0.0 for score in scores),
    )


def with_lines(models: Sequence[Trained]) -> tuple[list[Trained], str]:
    """The models of curves that have lines, if there are any, and a note on the others."""
    members: dict[str, list[Trained]] = {}
    for model in models:
        members.setdefault(model.curve, []).append(model)
    few = [curve for curve, own in members.items() if not _has_line(own)]
    if not few or len(few) == len(members):
        return list(models), ""
    return [m for m in models if m.curve not in few], f"{', '.join(few)} left out: {NEEDED}"


def _has_line(members: Sequence[Trained]) -> bool:
    return len({m.tokens for m in members}) >= FEWEST_SIZES and len(members) >= FEWEST_MODELS


def _curves(curve: str, members: Sequence[Trained], method: str) -> list[Curve]:
    accuracies = [set_accuracies(m.result, method) for m in members]
    shared = set(accuracies[0]).intersection(*accuracies)
    if not shared:
        raise DataError(
            "the models of a curve share no paradigm; score all of them on the same data"
        )
    groups: dict[str, list[str]] = {}
    for name in sorted(shared):
        inside = members[0].result.facts.node(name, "phenomenon")
        if inside:
            groups.setdefault(inside, []).append(name)
    made = []
    for name, sets in {**dict(sorted(groups.items())), OVERALL: sorted(shared)}.items():
        points = []
        for m, found in zip(members, accuracies, strict=True):
            mean = mean_accuracy([found[s] for s in sets])
            points.append(Point(m.result.model, m.tokens, mean.accuracy, mean.ci))
        points.sort(key=lambda p: p.tokens)
        logs = [math.log2(p.tokens) for p in points]
        scores = [p.accuracy for p in points]
        line = fit_line(logs, scores)
        made.append(Curve(curve, name, tuple(points), line, _reach(logs, scores, line, sets)))
    return made


def _reach(
    x: Sequence[float], y: Sequence[float], line: FittedLine, sets: Sequence[str]
) -> Reach | None:
    people: Mapping[str, float] = published()["human"]
    if any(name not in people for name in sets) or len(set(x)) < STRAIGHT:
        return None
    human = math.fsum(people[name] for name in sets) / len(sets)
    if line.slope <= 0:
        return Reach(human, None, None, True)
    at = (human - line.intercept) / line.slope
    return Reach(human, at, _until(x, y, line, human), not min(x) <= at <= max(x))


def _until(
    x: Sequence[float], y: Sequence[float], line: FittedLine, level: float
) -> tuple[float, float | None] | None:
    """Fieller's interval; without an upper limit if that is too large to print."""
    found = crossing_interval(x, y, line, level)
    return found and (found[0], found[1] if found[1] <= LARGEST else None)
