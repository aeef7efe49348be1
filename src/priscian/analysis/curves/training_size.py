"""Training size: accuracy against log₂ of training tokens, and tokens to reach people's level.

Warstadt et al. (2020), § 6.3 and Figure 5.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct, field

from priscian.analysis.charts import (
    CHANCE,
    colour,
    figure,
    inline,
    people_level,
    share,
    share_domain,
    tips,
)
from priscian.analysis.curves.facts import sizes_of_sweeps, tell_apart
from priscian.analysis.curves.sizes import TrainedResult, known_sizes, trained_models
from priscian.analysis.named_results import set_accuracies, words
from priscian.analysis.registry import analysis
from priscian.analysis.result import OVERALL, AnalysisResult, Runs, Table
from priscian.analysis.vega import Chart, Figure
from priscian.datasets.reference import published
from priscian.errors import DataError, PriscianWarning, UsageError
from priscian.files import HIDDEN, INLINE, by
from priscian.runs.choose import gather_runs
from priscian.stats.interval import Interval
from priscian.stats.lines import FittedLine, crossing_interval, fit_line
from priscian.stats.proportions import mean_accuracy

FEWEST_SIZES, FEWEST_MODELS = 2, 3
"""What a line with an interval needs: seeds of the same size count as models."""
NEEDED = f"a line with an interval needs {FEWEST_SIZES} sizes and {FEWEST_MODELS} models or more"
STRAIGHT = 3
"""Sizes from which on one can see whether a line is straight, and so extrapolate it."""
LARGEST = 1000.0  # log₂ of the largest number of tokens that is printed
COLUMNS = 3
TICKS = 4
TIES = {
    "wrong": "count as wrong, so a model with many ties may be below chance",
    "half": "count half",
    "random": "are decided at random",
}


class Point(Struct, frozen=True):
    """One model on a curve."""

    model: str
    tokens: float
    accuracy: float
    ci: Interval


class Reach(Struct, frozen=True):
    """Where a line meets people's accuracy."""

    human: float
    tokens: float | None = field(name="tokens_to_human")
    """The number of training tokens, if it can be printed."""
    log2_tokens: float | None = field(name="log2_tokens_to_human")
    """None if the line does not rise."""
    ci: tuple[float, float | None] | None = field(name="log2_tokens_to_human_ci")
    """Fieller's 95 % interval: an upper limit of None is beyond any printable number; None as a
    whole means that the slope may be zero."""
    extrapolated: bool
    """Whether it lies beyond the sizes that were trained."""

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


class FittedCurve(Struct, frozen=True):
    """One phenomenon, or overall, of one series of models."""

    curve: str
    name: str
    line: Annotated[FittedLine, INLINE]
    points: tuple[Point, ...]
    reach: Annotated[Reach | None, INLINE]
    """None if people's accuracy is unknown, or if there are only two sizes."""


class TrainingSize(AnalysisResult, frozen=True):
    """Every curve, phenomena in alphabetical order and overall last."""

    curves: Annotated[tuple[FittedCurve, ...], by("curve", "name"), INLINE]
    ties: Annotated[tuple[str, ...], HIDDEN] = ("wrong",)
    """How ties count: `wrong`, `half`, `random` or `vote:N`; several if the runs differ."""
    most_ties: Annotated[float, HIDDEN] = 0.0
    """The largest share of tied items that a model has."""

    def tables(self) -> list[Table]:
        """The slope of every line, and where it reaches people's level."""
        rows = tuple(
            (
                c.curve,
                c.name,
                str(len(c.points)),
                f"{100 * c.line.slope:+.2f}",
                f"{100 * c.line.ci[0]:+.2f} to {100 * c.line.ci[1]:+.2f}",
                f"{100 * c.reach.human:.1f}" if c.reach else "",
                str(c.reach or ""),
            )
            for c in self.curves
        )
        head = ("curve", "phenomenon", "models", "points per doubling", "95 % interval", "people",
                "tokens to people")  # fmt: skip
        return [Table("Accuracy over log₂ of training tokens", head, rows, names=2)]

    @property
    def findings(self) -> list[str]:
        """What an extrapolation is worth."""
        if not any(c.reach and c.reach.extrapolated for c in self.curves):
            return []
        return [
            "extrapolated: people's level is beyond the sizes that were trained, and the line may "
            "not continue that far"
        ]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Accuracy over training tokens."""
        names = list(dict.fromkeys(_curve(c) for c in self.curves))
        rows = [
            {
                "model": _curve(c),
                "name": _name(c.name),
                "checkpoint": p.model,
                "tokens": p.tokens,
                "accuracy": p.accuracy,
                "low": p.ci[0],
                "high": p.ci[1],
                "fitted": c.line.intercept + c.line.slope * math.log2(p.tokens),
                "slope": c.line.slope,
                "slope_low": c.line.ci[0],
                "slope_high": c.line.ci[1],
            }
            for c in self.curves
            for p in c.points
        ]
        people = [
            {"name": _name(c.name), "human": c.reach.human, "line": "people"}
            for c in self.curves
            if c.reach is not None
        ]
        domain = share_domain([row["low"] for row in rows])
        panels = [
            _panel(
                [r for r in rows if r["name"] == name],
                [p for p in people if p["name"] == name][:1],
                name,
                names,
                domain,
            )
            for name in dict.fromkeys(_name(c.name) for c in self.curves)
        ]
        sizes = len({(p.model, p.tokens) for c in self.curves for p in c.points})
        # beside chance, how ties count: if they are wrong, a line may only show that they get rare
        said = [TIES.get(rule, f"are decided by {rule.replace(':', ' of ')}") for rule in self.ties]
        most = f"; one model has {self.most_ties:.0%} ties" if self.most_ties else ""
        ties = f"Chance is {CHANCE:.0%}; ties {' or '.join(said)}{most}.".replace("%", " %")
        caption = (
            "Accuracy over training tokens, by phenomenon and overall (the mean of paradigms); "
            f"{sizes} models. Bars are 95 % intervals over items: Wilson's, combined for means of "
            "paradigms. Lines are least squares on log₂ tokens; slopes have Student's 95 % "
            f"intervals. {ties}"
        )
        if people:
            caption += " Dashes are people's individual accuracy on BLiMP's own sentences."
        return (
            figure(
                "training-size",
                "Accuracy over training tokens",
                caption,
                {"columns": COLUMNS, "concat": panels},
                rows,
            ),
        )


@analysis("training-size", "accuracy by number of training tokens")
def training_size(
    runs: Runs,
    tokens: Mapping[str, str | float] | Sequence[str] = (),
    *,
    sizes: Path | str | None = None,
    method: str = "full",
) -> TrainingSize:
    """Accuracy against log2 of training tokens, and how many tokens would reach people's level.

    A line is fitted for each phenomenon; its slope is the accuracy gained with each doubling.
    If people's level is beyond the trained sizes, it is marked as extrapolated.

    Examples:
      priscian analyse training-size runs/curve --tokens lstm-1M=1M --tokens lstm-4M=4M …
      priscian analyse training-size runs/a runs/b runs/c --sizes sizes.csv --figures pictures

    >>> import priscian
    >>> models = [f"builtin:ngram?order={n}" for n in (1, 2, 3)]
    >>> run = priscian.score(models, "generated:7,5,wh_island,causative")
    >>> tokens = {model: 10 ** (5 + n) for n, model in enumerate(run.models)}
    >>> [curve.name for curve in priscian.analyse.training_size(run, tokens).curves][-1]
    'overall'

    Parameters
    ----------
    runs
        Run folders.
    sizes
        Table with the columns model, tokens and optionally run and curve: models with another
        curve get a line of their own.
    tokens
        MODEL=1M; also 250k, 1/2M or 3.1B. Repeat for several.
    method
        full, one_prefix or two_prefix.
    """
    known = known_sizes(None if sizes is None else Path(sizes), tokens)
    if known:
        return analyse_training_size(trained_models(gather_runs(runs), known), method)
    given, tables = tell_apart(runs)
    of_sweeps = sizes_of_sweeps(tables)
    if not of_sweeps:
        raise UsageError(
            "runs do not contain training sizes: add `sizes=FILE` or `tokens=MODEL=1M`"
        )
    trained, note = with_lines(trained_models(gather_runs(given), of_sweeps))
    if note:
        warnings.warn(note, PriscianWarning, stacklevel=2)
    return analyse_training_size(trained, method)


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


def analyse_training_size(models: Sequence[TrainedResult], method: str = "full") -> TrainingSize:
    """Fit a line for each curve and phenomenon; a curve needs two sizes and three models."""
    by_curve: dict[str, list[TrainedResult]] = {}
    for model in models:
        by_curve.setdefault(model.curve, []).append(model)
    if not by_curve:
        raise DataError("no model has a training size; name sizes with `tokens=MODEL=1M`")
    made: list[FittedCurve] = []
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


def with_lines(models: Sequence[TrainedResult]) -> tuple[list[TrainedResult], str]:
    """The models of curves that have lines, if there are any, and a note on the others."""
    members: dict[str, list[TrainedResult]] = {}
    for model in models:
        members.setdefault(model.curve, []).append(model)
    few = [curve for curve, own in members.items() if not _has_line(own)]
    if not few or len(few) == len(members):
        return list(models), ""
    return [m for m in models if m.curve not in few], f"{', '.join(few)} left out: {NEEDED}"


def _has_line(members: Sequence[TrainedResult]) -> bool:
    return len({m.tokens for m in members}) >= FEWEST_SIZES and len(members) >= FEWEST_MODELS


def _curves(curve: str, members: Sequence[TrainedResult], method: str) -> list[FittedCurve]:
    people: Mapping[str, float] = published()["human"]
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
        reach = None
        if all(uid in people for uid in sets) and len(set(logs)) >= STRAIGHT:
            human = math.fsum(people[uid] for uid in sets) / len(sets)
            if line.slope <= 0:
                reach = reached(human, None, None, extrapolated=True)
            else:
                at = (human - line.intercept) / line.slope
                fieller = crossing_interval(logs, scores, line, human)
                outside = not min(logs) <= at <= max(logs)
                reach = reached(human, at, fieller, extrapolated=outside)
        made.append(FittedCurve(curve, name, line, tuple(points), reach))
    return made


def reached(
    human: float, log2_tokens: float | None, ci: Interval | None, *, extrapolated: bool
) -> Reach:
    """People's level at a power of 2; numbers that are too large to print become None."""
    tokens = None
    if log2_tokens is not None and abs(log2_tokens) <= LARGEST:
        tokens = float(2.0**log2_tokens)
    upper = ci and (ci[0], ci[1] if ci[1] <= LARGEST else None)
    return Reach(human, tokens, log2_tokens, upper, extrapolated)


def _panel(
    rows: list[dict[str, Any]],
    people: list[dict[str, Any]],
    name: str,
    names: list[str],
    domain: list[float],
) -> Chart:
    trained = sorted({float(row["tokens"]) for row in rows})
    ticks = trained[:: -(-len(trained) // TICKS)]  # with all of them, labels would not fit
    x = {
        "field": "tokens",
        "type": "quantitative",
        "title": "training tokens",
        "scale": {"type": "log", "base": 2, "nice": False, "padding": 8},
        "axis": {"format": ".3~s", "values": ticks, "grid": False},
    }
    y = share("accuracy", None, domain)
    tooltip = tips(
        "checkpoint", "tokens:,", "accuracy:.1%", "low:.1%", "high:.1%", "slope:+.4f",
        "slope_low:+.4f", "slope_high:+.4f",
    )  # fmt: skip
    shared = {"x": x, "color": colour(names), "tooltip": tooltip}
    layers: list[Chart] = [
        {
            "mark": {"type": "rule", "opacity": 0.4},
            "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 30, "opacity": 1},
            "encoding": {**shared, "y": y},
        },
        {
            "mark": {"type": "line", "strokeWidth": 1.5},
            "encoding": {**shared, "y": {**y, "field": "fitted"}},
        },
    ]
    if people:
        layers.append(people_level(people, y, tips("line", "human:.1%")))
    return {"title": name, "width": 170, "height": 120, "data": inline(rows), "layer": layers}


def _curve(curve: FittedCurve) -> str:
    return curve.curve or "models"


def _name(name: str) -> str:
    return name if name == OVERALL else words(name)
