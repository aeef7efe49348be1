"""Two models on the same items: where they differ, whether it is chance, which items flipped."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct, field, structs

from priscian.analysis.charts import NO_CLEAR, UNSURE, inline, look, tips
from priscian.analysis.compare.matching import (
    Matched,
    Overlap,
    groups_of,
    headline_sets,
    match,
    sentences_of,
)
from priscian.analysis.intervals import covered, find_resample, how_made, usual_resample
from priscian.analysis.vega import SCHEMA, Chart, Figure, HasFigures
from priscian.errors import UsageError
from priscian.files import by, prefixed
from priscian.runs import Result
from priscian.stats.bootstrap import DRAWS, Resample, difference_mean_interval
from priscian.stats.differences import holm, mid_p, paired_interval
from priscian.stats.interval import Interval, combined_interval
from priscian.stats.sets import difference_sets_interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

LEVEL = 0.05
STEP = 15
SAYS = f"datum.label === '{NO_CLEAR}' ? datum.label : datum.label + ' better'"
OF_A_SET = "other items of the same set"
"""What the interval of a single set's difference covers."""


class MeanDifference(Struct, frozen=True):
    """Two means of the same sets, and the first minus the second with its 95 % interval.

    `resample` says what the interval covers.
    """

    a: float
    b: float
    difference: float
    ci: Interval
    resample: Resample
    covers: str
    sets: int
    n: int


class OverallDifference(MeanDifference, frozen=True):
    """The difference of the headline scores."""

    draws: int
    """Bootstrap draws of the interval; 0 if it is from a formula."""


class SetDifference(Struct, frozen=True):
    """One paradigm or suite: accuracies, items on which either model is better, the test."""

    name: str
    group: str
    n: int
    a: float
    b: float
    difference: float
    """The first accuracy minus the second."""
    ci: Interval
    covers: str
    only_a: int
    only_b: int
    p: float
    p_holm: float
    significant: bool
    """Whether it is significant at 5 % after Holm's correction."""


class Flip(Struct, frozen=True):
    """An item on which one model is better: it is right, or has a tie where the other is wrong.

    `texts` are its sentences; `delta_a` and `delta_b` are each model's margin: the log-probability
    of the good sentence minus that of the bad one.
    """

    set: str
    item: str
    a: float
    b: float
    delta_a: float | None
    delta_b: float | None
    texts: Annotated[Mapping[str, str], prefixed("text_")]

    @property
    def tied(self) -> bool:
        """Whether one model has a tie, with a part of the credit."""
        return {self.a, self.b} != {0.0, 1.0}

    @property
    def size(self) -> float:
        """The difference of the models' margins; 0 if there are none, as in suites."""
        if self.delta_a is None or self.delta_b is None:
            return 0.0
        return abs(self.delta_a - self.delta_b)


class FlipCounts(Struct, frozen=True):
    """How many items flipped, and on how many either model is better."""

    total: int
    only_a: int
    only_b: int


class Comparison(HasFigures, Struct, frozen=True):
    """Model `a` against model `b`, on the items that both have.

    Differences are a − b: positive where `a` is better. `flips` are sorted by size, largest first.
    """

    a: str
    b: str
    data: str
    method: str
    overlap: Overlap = field(name="shared")
    overall: OverallDifference
    groups: Mapping[str, MeanDifference]
    sets: Annotated[tuple[SetDifference, ...], by("name")]
    significant: tuple[str, ...]
    """The sets whose difference is."""
    flipped: FlipCounts
    flips: tuple[Flip, ...]

    @property
    def minus(self) -> str:
        """What a difference is: `a − b`."""
        return f"{self.a} − {self.b}"

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The difference in every set."""
        a, b = self.a, self.b
        better = {True: a, False: b}
        rows = [
            {
                "set": s.name,
                "group": s.group,
                "difference": round(100 * s.difference, 2),
                "low": round(100 * s.ci[0], 2),
                "high": round(100 * s.ci[1], 2),
                "a": round(100 * s.a, 2),
                "b": round(100 * s.b, 2),
                "n": s.n,
                "only_a": s.only_a,
                "only_b": s.only_b,
                "p": s.p,
                "p_holm": s.p_holm,
                "better": better[s.difference > 0] if s.significant else NO_CLEAR,
            }
            for s in sorted(self.sets, key=lambda s: (s.group, -s.difference, s.name))
        ]
        tested = (
            f"{sum(s.significant for s in self.sets)} of {len(rows)} are significant at "
            f"{100 * LEVEL:.0f} % by McNemar's test with mid-p after Holm's correction"
        )
        caption = (
            f"Accuracy of {a} minus that of {b} on {self.data}, in points, for each set "
            f"(paradigm or suite), sorted by its class; {self.overlap.words}. Lines are 95 % "
            "intervals of a paired difference (Bonett and Price) and cover other items of the same "
            f"set. {tested}."
        )
        chart = _chart(rows, a, b, self.minus)
        return (Figure("differences", self.minus, caption, chart, rows),)

    @property
    def interval_words(self) -> str:
        """How the overall interval was made."""
        return how_made(self.overall.resample, self.overall.draws, "paired ")


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How two models are compared.

    Parameters
    ----------
    method
        full, one_prefix or two_prefix; by default full.
    resample
        What the intervals of the overall difference and of groups cover: items (other items of the
        same paradigms), sets (other paradigms with other items) or both (the same, a little wider).
        By default what the intervals of the scores cover: items for pairs, sets for suites.
    draws
        Number of bootstrap draws.
    seed
        Seed of the bootstrap.
    """

    method: str | None = None
    resample: str | None = None
    draws: int = DRAWS
    seed: int = 0

    def check(self) -> Resample | None:
        """Check the options and return what is resampled; None leaves it to the scores."""
        if self.draws < 100:
            raise UsageError(f"{self.draws} bootstrap draws are too few; `draws=` is 100 or more")
        return None if self.resample is None else find_resample(self.resample)


DEFAULTS = CompareOptions()


def compare_results(
    a: Result,
    b: Result,
    options: CompareOptions = DEFAULTS,
    *,
    names: tuple[str, str] | None = None,
) -> Comparison:
    """Compare two results on the items that both have.

    For every set McNemar's test with mid-p, corrected by Holm; where ties have half credit, an item
    counts for the model with more. The overall difference is that of the headline scores: of the
    means of the sets that count for them. Its interval is a paired bootstrap over what `resample`
    says, by default over what the intervals of these scores cover.
    """
    asked = options.check()
    matched = match(a, b, options.method)
    rows = matched.rows.group_by("set", maintain_order=True).agg("credit_a", "credit_b")
    columns = {  # each set with its items' credits by either model
        name: (own.to_numpy(), other.to_numpy())
        for name, own, other in zip(*rows.get_columns(), strict=True)
    }
    sets = _set_differences(a, columns)
    counted = [columns[name] for name in headline_sets(a, list(columns))]
    resample = asked or usual_resample(a, len(counted))
    groups = {
        group: _difference(
            [columns[name] for name in members], resample if len(members) > 1 else "items"
        )
        for group, members in groups_of(a, list(columns)).items()
    }
    overall = _difference(counted, resample)
    drawn = difference_mean_interval(
        [x - y for x, y in counted], resample, options.seed, options.draws
    )
    flips = tuple(sorted(_flips(a, matched), key=lambda flip: -flip.size))
    first, second = names or (a.model, b.model)
    return Comparison(
        a=first,
        b=second,
        data=a.data if a.data == b.data else f"{a.data} and {b.data}",
        method=matched.method,
        overlap=matched.overlap,
        overall=OverallDifference(**{**structs.asdict(overall), "ci": drawn.ci}, draws=drawn.draws),
        groups=dict(sorted(groups.items())),
        sets=sets,
        significant=tuple(s.name for s in sets if s.significant),
        flipped=FlipCounts(len(flips), sum(s.only_a for s in sets), sum(s.only_b for s in sets)),
        flips=flips,
    )


def _set_differences(
    result: Result, columns: Mapping[str, tuple[Array, Array]]
) -> tuple[SetDifference, ...]:
    alone = {name: (int((a > b).sum()), int((a < b).sum())) for name, (a, b) in columns.items()}
    tested = {name: mid_p(*counts) for name, counts in alone.items()}
    corrected = holm(tested)
    return tuple(
        SetDifference(
            name=name,
            group=result.narrowest(name),
            n=len(a),
            a=float(a.mean()),
            b=float(b.mean()),
            difference=float(a.mean()) - float(b.mean()),
            ci=paired_interval(a - b),
            covers=OF_A_SET,
            only_a=alone[name][0],
            only_b=alone[name][1],
            p=tested[name],
            p_holm=corrected[name],
            significant=corrected[name] < LEVEL,
        )
        for name, (a, b) in columns.items()
    )


def _difference(sets: Sequence[tuple[Array, Array]], resample: Resample) -> MeanDifference:
    """The difference of two means. One set says nothing about others: its interval covers items."""
    first, second = (math.fsum(float(s[k].mean()) for s in sets) / len(sets) for k in (0, 1))
    ci = class_interval([a - b for a, b in sets], resample)
    n = sum(len(a) for a, _ in sets)
    return MeanDifference(
        first, second, first - second, ci, resample, covered(resample), len(sets), n
    )


def class_interval(sets: Sequence[Array], resample: Resample) -> Interval:
    """The interval of a mean of a few sets of paired differences, by a formula."""
    if resample == "items":
        return combined_interval([(float(s.mean()), paired_interval(s)) for s in sets])
    return difference_sets_interval(sets)


def _flips(result: Result, matched: Matched) -> Iterator[Flip]:
    import polars

    rows = matched.rows.filter(polars.col("credit_a") != polars.col("credit_b"))
    suites = sentences_of(result, rows)
    for row in rows.iter_rows(named=True):
        texts = {k.removeprefix("text_"): v for k, v in row.items() if k.startswith("text_")}
        yield Flip(
            set=row["set"],
            item=row["item"],
            a=row["credit_a"],
            b=row["credit_b"],
            delta_a=row["delta_a"],
            delta_b=row["delta_b"],
            texts=texts or suites.get((row["set"], row["item"]), {}),
        )


def _chart(rows: list[dict[str, object]], a: str, b: str, minus: str) -> Chart:
    names = [a, b, NO_CLEAR]
    legend = {"orient": "top", "labelLimit": 400, "labelExpr": SAYS}
    x = {"type": "quantitative", "title": f"accuracy, points: {minus}"}
    called = {
        "difference": minus,
        "a": f"accuracy of {a}",
        "b": f"accuracy of {b}",
        "only_a": f"{a} better, items",
        "only_b": f"{b} better, items",
        "group": "phenomenon",
    }
    return {
        "$schema": SCHEMA,
        "width": 460,
        "height": {"step": STEP},
        "data": inline(rows),
        "encoding": {
            "y": {
                "field": "set",
                "type": "nominal",
                "sort": [row["set"] for row in rows],
                "title": None,
                "axis": {"labelLimit": 360, "grid": False},
            },
            "color": {**look("color", names, "better"), "legend": legend},
            "tooltip": tips(
                "set", "group", "difference:+.1f", "low:+.1f", "high:+.1f", "a:.1f", "b:.1f", "n:,",
                "only_a:,", "only_b:,", "p:.2g", "p_holm:.2g", called=called,
            ),
        },
        "layer": [
            {
                "data": {"values": [{"zero": 0}]},
                "mark": {"type": "rule", "strokeDash": [4, 3], "color": UNSURE},
                "encoding": {
                    "x": {"field": "zero", "type": "quantitative"},
                    "y": None,
                    "color": None,
                    "tooltip": None,
                },
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
            },
            {  # a rule with a shape would get points of its own
                "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
                "encoding": {
                    "x": {"field": "difference", "type": "quantitative"},
                    "shape": {**look("shape", names, "better"), "legend": legend},
                },
            },
        ],
    }  # fmt: skip
