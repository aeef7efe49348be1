"""Two models on the same items: where they differ, whether it is chance, which items flipped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from priscian.analysis.compare.matching import (
    Matched,
    Overlap,
    groups_of,
    headline_sets,
    match,
    sentences_of,
)
from priscian.analysis.intervals import covered, find_resample, how_made, usual_resample
from priscian.analysis.vega import Figure, HasFigures
from priscian.errors import UsageError
from priscian.runs import Result
from priscian.stats.bootstrap import DRAWS, Resample, difference_mean_interval
from priscian.stats.differences import paired_interval
from priscian.stats.interval import Interval, combined_interval
from priscian.stats.mcnemar import holm, mid_p
from priscian.stats.sets import difference_sets_interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

LEVEL = 0.05
OF_A_SET = "other items of the same set"
"""What the interval of a single set's difference covers."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Two means of the same sets, and the first minus the second with its 95 % interval.

    `resample` says what the interval covers.
    """

    a: float
    b: float
    difference: float
    ci: Interval
    sets: int
    n: int
    resample: Resample

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "ci": list(self.ci),
            "resample": self.resample,
            "covers": covered(self.resample),
            "sets": self.sets,
            "n": self.n,
        }


@dataclass(frozen=True, slots=True)
class SetDifference:
    """One paradigm or suite: accuracies, items on which either model is better, the test."""

    name: str
    group: str
    n: int
    a: float
    b: float
    only_a: int
    only_b: int
    ci: Interval
    p: float
    p_holm: float

    @property
    def difference(self) -> float:
        """The first accuracy minus the second."""
        return self.a - self.b

    @property
    def significant(self) -> bool:
        """Whether it is significant at 5 % after Holm's correction."""
        return self.p_holm < LEVEL

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "group": self.group,
            "n": self.n,
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "ci": list(self.ci),
            "covers": OF_A_SET,
            "only_a": self.only_a,
            "only_b": self.only_b,
            "p": self.p,
            "p_holm": self.p_holm,
            "significant": self.significant,
        }


@dataclass(frozen=True, slots=True)
class Flip:
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
    texts: Mapping[str, str]

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

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON and CSV."""
        return {
            "set": self.set,
            "item": self.item,
            "a": self.a,
            "b": self.b,
            "delta_a": self.delta_a,
            "delta_b": self.delta_b,
            **{f"text_{condition}": text for condition, text in self.texts.items()},
        }


@dataclass(frozen=True, slots=True)
class Comparison(HasFigures):
    """Model `a` against model `b`, on the items that both have.

    Differences are a − b: positive where `a` is better. `flips` are sorted by size, largest first.
    """

    a: str
    b: str
    data: str
    method: str
    overlap: Overlap
    overall: Difference
    groups: Mapping[str, Difference]
    sets: tuple[SetDifference, ...]
    flips: tuple[Flip, ...]
    draws: int
    """Bootstrap draws of the overall interval; 0 if it is from a formula."""

    @property
    def minus(self) -> str:
        """What a difference is: `a − b`."""
        return f"{self.a} − {self.b}"

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The difference in every set."""
        from priscian.analysis.compare.comparison_figure import compare_figure

        return (compare_figure(self),)

    @property
    def interval_words(self) -> str:
        """How the overall interval was made."""
        return how_made(self.overall.resample, self.draws, "paired ")

    def as_dict(self, flips: bool = True) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "data": self.data,
            "method": self.method,
            "shared": self.overlap.as_dict(),
            "overall": {**self.overall.as_dict(), "draws": self.draws},
            "groups": {name: g.as_dict() for name, g in self.groups.items()},
            "sets": {s.name: s.as_dict() for s in self.sets},
            "significant": [s.name for s in self.sets if s.significant],
            "flipped": {
                "total": len(self.flips),
                "only_a": sum(s.only_a for s in self.sets),
                "only_b": sum(s.only_b for s in self.sets),
            },
        }
        if flips:
            found["flips"] = [f.as_dict() for f in self.flips]
        return found


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
            raise UsageError(f"{self.draws} bootstrap draws are too few; --draws is 100 or more")
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
    columns = dict(_columns(matched))
    sets = _set_differences(a, columns)
    counted = [columns[name] for name in headline_sets(a, list(columns))]
    resample = asked or usual_resample(a, len(counted))
    groups = {
        group: _group([columns[name] for name in members], resample)
        for group, members in groups_of(a, list(columns)).items()
    }
    overall, drawn = _difference(counted, resample, options.seed, options.draws)
    first, second = names or (a.model, b.model)
    return Comparison(
        a=first,
        b=second,
        data=a.data if a.data == b.data else f"{a.data} and {b.data}",
        method=matched.method,
        overlap=matched.overlap,
        overall=overall,
        groups=dict(sorted(groups.items())),
        sets=sets,
        flips=tuple(sorted(_flips(a, matched), key=lambda flip: -flip.size)),
        draws=drawn,
    )


def _columns(matched: Matched) -> Iterator[tuple[str, tuple[Array, Array]]]:
    """Each set with its items' credits by either model."""
    rows = matched.rows.group_by("set", maintain_order=True).agg("credit_a", "credit_b")
    for name, a, b in zip(*rows.get_columns(), strict=True):
        yield name, (a.to_numpy(), b.to_numpy())


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
            only_a=alone[name][0],
            only_b=alone[name][1],
            ci=paired_interval(a - b),
            p=tested[name],
            p_holm=corrected[name],
        )
        for name, (a, b) in columns.items()
    )


def _difference(
    sets: Sequence[tuple[Array, Array]], resample: Resample, seed: int, draws: int
) -> tuple[Difference, int]:
    """The overall difference, and how many samples were drawn for its interval."""
    first, second = (_mean(s[side] for s in sets) for side in (0, 1))
    found = difference_mean_interval([a - b for a, b in sets], resample, seed, draws)
    n = sum(len(a) for a, _ in sets)
    made = Difference(first, second, first - second, found.ci, len(sets), n, resample)
    return made, found.draws


def _group(sets: Sequence[tuple[Array, Array]], resample: Resample) -> Difference:
    """One set says nothing about others: its interval covers other items of it."""
    first, second = (_mean(s[side] for s in sets) for side in (0, 1))
    covers: Resample = resample if len(sets) > 1 else "items"
    ci = class_interval([a - b for a, b in sets], covers)
    n = sum(len(a) for a, _ in sets)
    return Difference(first, second, first - second, ci, len(sets), n, covers)


def class_interval(sets: Sequence[Array], resample: Resample) -> Interval:
    """The interval of a mean of a few sets of paired differences, by a formula."""
    if resample == "items":
        return combined_interval([(float(s.mean()), paired_interval(s)) for s in sets])
    return difference_sets_interval(sets)


def _mean(sets: Iterable[Array]) -> float:
    means = [float(s.mean()) for s in sets]
    return math.fsum(means) / len(means)


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
