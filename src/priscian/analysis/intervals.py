"""The overall score of a result with an interval for other items, other sets, or both."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast, get_args

from msgspec import Struct

from priscian.errors import UnknownNameError, UsageError
from priscian.runs import Result
from priscian.stats.bootstrap import DRAWS, Resample, credit_mean_interval
from priscian.stats.interval import Interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

WHAT_IS_DRAWN: dict[Resample, str] = {
    "items": "items within each set",
    "sets": "sets",
    "both": "sets, and items within each",
}


def usual_resample(result: Result, sets: int) -> Resample:
    """What the interval of a result's own headline score covers, if it is of several sets.

    >>> import priscian
    >>> run = priscian.score("builtin:ngram", "generated:7,3,wh_island,causative")
    >>> usual_resample(run.results[0], 2)
    'items'
    """
    return "sets" if result.kind == "suites" and sets > 1 else "items"


def covered(resample: Resample, unit: str = "set") -> str:
    """What an interval covers: what might have been other items or sets.

    >>> covered("items", "paradigm"), covered("sets", "suite")
    ('other items of the same paradigms', 'other suites with other items')
    """
    if resample == "items":
        return f"other items of the same {unit}s"
    return f"other {unit}s with other items"


def how_made(resample: Resample, draws: int, paired: str = "") -> str:
    """How an interval of a mean of sets was computed, for a caption; 0 draws mean a formula."""
    covers = f"it covers {covered(resample)}"
    if resample == "items":
        covers += ", not other sets"
    if draws:
        return f"95 % {paired}bootstrap, {draws:,} draws of {WHAT_IS_DRAWN[resample]}; {covers}"
    if resample == "items":
        return f"95 % interval combined from the sets' own; {covers}"
    return f"95 % interval by Student's t over the sets' means; {covers}"


class OverallInterval(Struct, frozen=True):
    """A mean of sets and its 95 % interval, with what was resampled; no draws mean a formula."""

    score: float
    ci: Interval
    resample: Resample
    sets: int
    items: int
    draws: int

    @property
    def words(self) -> str:
        """How the interval was made, for a caption."""
        return how_made(self.resample, self.draws)


def find_resample(name: str) -> Resample:
    """items, sets or both."""
    if name not in get_args(Resample):
        raise UnknownNameError("way to resample", name, get_args(Resample))
    return cast(Resample, name)


def overall_interval(
    result: Result,
    method: str = "full",
    resample: Resample = "items",
    seed: int = 0,
    draws: int = DRAWS,
) -> OverallInterval:
    """The overall score, an unweighted mean of sets, and its interval."""
    credit = list(set_credits(result, method).values())
    mean = math.fsum(float(c.mean()) for c in credit) / len(credit)
    found = credit_mean_interval(credit, resample, seed, draws)
    items = sum(map(len, credit))
    return OverallInterval(mean, found.ci, resample, len(credit), items, found.draws)


def set_credits(result: Result, method: str = "full") -> dict[str, Array]:
    """The credit of every item, by set: of a pair by a method, of a suite's item as a whole."""
    import polars

    if result.kind == "suites":
        frame = result.items.unique(["set", "item"], keep="first", maintain_order=True).select(
            "set", credit="item_correct"
        )
    else:
        frame = result.items.filter(polars.col("method") == method).select("set", credit="correct")
    groups = frame.group_by("set", maintain_order=True).agg("credit").collect()
    if not len(groups):
        known = ", ".join(result.methods) or "none"
        raise UsageError(f"{result.model} on {result.data}: no method {method!r}; it has {known}")
    return {name: values.to_numpy() for name, values in zip(*groups.get_columns(), strict=True)}
