"""Two models on the same items: where they differ, whether it is chance, which items flipped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from priscian.analysis.compare.matching import Matched, Overlap, groups_of, match, sentences_of
from priscian.analysis.intervals import how_made
from priscian.runs import Result
from priscian.stats.bootstrap import DRAWS, Resample, difference_mean_interval
from priscian.stats.differences import paired_interval
from priscian.stats.interval import Interval, combined_interval
from priscian.stats.mcnemar import holm, mid_p

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Difference:
    """Two means of the same sets, and the second minus the first with its 95 % interval."""

    a: float
    b: float
    difference: float
    ci: Interval
    sets: int
    n: int

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "ci": list(self.ci),
            "sets": self.sets,
            "n": self.n,
        }


@dataclass(frozen=True, slots=True)
class SetDifference:
    """One paradigm or suite: accuracies, items that one model alone has right, the test."""

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
        """The second accuracy minus the first."""
        return self.b - self.a

    @property
    def significant(self) -> bool:
        """Whether it stands at 5 % after Holm's correction."""
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
            "only_a": self.only_a,
            "only_b": self.only_b,
            "p": self.p,
            "p_holm": self.p_holm,
            "significant": self.significant,
        }


@dataclass(frozen=True, slots=True)
class Flip:
    """An item that the two models do not agree on; `texts` are its sentences by condition."""

    set: str
    item: str
    a: float
    b: float
    delta_a: float | None
    delta_b: float | None
    texts: Mapping[str, str]

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
class Comparison:
    """Model `b` against model `a`; differences are b − a, of the items that both have."""

    a: str
    b: str
    data: str
    method: str
    overlap: Overlap
    overall: Difference
    groups: Mapping[str, Difference]
    sets: tuple[SetDifference, ...]
    flips: tuple[Flip, ...]
    resample: Resample
    draws: int

    @property
    def interval_words(self) -> str:
        """How the overall interval was made."""
        return how_made(self.resample, self.draws, "paired ")

    def as_dict(self, flips: bool = True) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "data": self.data,
            "method": self.method,
            "shared": self.overlap.as_dict(),
            "overall": {
                **self.overall.as_dict(),
                "resample": self.resample,
                "draws": self.draws,
            },
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


def compare(
    a: Result,
    b: Result,
    *,
    method: str | None = None,
    resample: Resample = "items",
    seed: int = 0,
    draws: int = DRAWS,
    names: tuple[str, str] | None = None,
) -> Comparison:
    """Compare two results on the items that both have.

    For every set McNemar's test with mid-p, corrected by Holm; where ties have half credit, an item
    counts for the model with more. The overall difference of means of sets has a paired bootstrap
    interval over what `resample` says; that of a group is joined from its sets'.
    """
    matched = match(a, b, method)
    columns = dict(_columns(matched))
    sets = _set_differences(a, columns)
    groups = {
        group: _group([s for s in sets if s.name in members])
        for group, members in groups_of(a, list(columns)).items()
    }
    overall, drawn = _difference(list(columns.values()), resample, seed, draws)
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
        flips=tuple(_flips(a, matched)),
        resample=resample,
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
            ci=paired_interval(b - a),
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
    found = difference_mean_interval([b - a for a, b in sets], resample, seed, draws)
    n = sum(len(a) for a, _ in sets)
    return Difference(first, second, second - first, found.ci, len(sets), n), found.draws


def _group(sets: Sequence[SetDifference]) -> Difference:
    ci = combined_interval([(s.difference, s.ci) for s in sets])
    first, second = (math.fsum(getattr(s, k) for s in sets) / len(sets) for k in ("a", "b"))
    return Difference(first, second, second - first, ci, len(sets), sum(s.n for s in sets))


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
