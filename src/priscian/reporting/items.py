"""Every pair that any model scored, without duplicates, and each model's answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from priscian.errors import DataError
from priscian.runs import Result

if TYPE_CHECKING:
    import polars

WRONG, RIGHT, TIE, ABSENT = 0, 1, 2, 3
KEY = ["set", "good", "bad", "copy"]


@dataclass(frozen=True, slots=True)
class Answers:
    """One model's answers, in the order of the items."""

    label: str
    state: NDArray[np.uint8]  # (items,) WRONG, RIGHT, TIE or ABSENT
    delta: NDArray[np.float64]  # (items,)


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a board, set by set."""

    sets: tuple[tuple[str, int], ...]
    """Names of sets and how many items each has."""
    ids: list[str]
    good: list[str]
    bad: list[str] | None
    """None if items are single sentences."""
    answers: tuple[Answers, ...]

    @property
    def texts(self) -> list[str]:
        """Good and bad sentences alternating, or single sentences."""
        if self.bad is None:
            return self.good
        return [text for pair in zip(self.good, self.bad, strict=True) for text in pair]


def gather(results: Sequence[Result]) -> Items:
    """The union of the items of some results; the same set and sentences are the same item."""
    import polars

    frames = [_rows(result) for result in results]
    every = polars.concat([frame.select(*KEY, "item") for frame in frames])
    every = every.unique(KEY, keep="first", maintain_order=True)
    order = every.select("set").unique(maintain_order=True).with_row_index("rank")
    every = (
        every.join(order, on="set", how="left", maintain_order="left")
        .sort("rank", maintain_order=True)
        .drop("rank")
    )
    sizes = every.group_by("set", maintain_order=True).len()
    answers = tuple(
        _answers(result.label, every, frame) for result, frame in zip(results, frames, strict=True)
    )
    pairs = any(frame["pair"].any() for frame in frames)
    return Items(
        tuple(sizes.iter_rows()),
        every["item"].to_list(),
        every["good"].to_list(),
        every["bad"].to_list() if pairs else None,
        answers,
    )


def _rows(result: Result) -> polars.DataFrame:
    """One row per item, by its first method, with uniform column names."""
    import polars

    names = result.items.collect_schema().names()
    conditions = [n.removeprefix("text_") for n in names if n.startswith("text_")]
    if not conditions:
        raise DataError(f"{result.model} on {result.data}: its items have no texts to show")
    good = "good" if "good" in conditions else conditions[0]
    others = [c for c in conditions if c != good]
    bad = "bad" if "bad" in others else next(iter(others), None)
    return (
        result.items.unique(["set", "item"], keep="first", maintain_order=True)
        .select(
            "set",
            "item",
            "correct",
            delta=polars.col("delta") if "delta" in names else polars.lit(math.nan),
            tie=polars.col("tie") if "tie" in names else polars.lit(False),
            good=polars.col(f"text_{good}"),
            bad=polars.col(f"text_{bad}").fill_null("") if bad else polars.lit(""),
            pair=polars.lit(bad is not None),
        )
        .with_columns(copy=polars.int_range(polars.len()).over("set", "good", "bad"))
        .collect()
    )


def _answers(label: str, every: polars.DataFrame, frame: polars.DataFrame) -> Answers:
    joined = every.select(KEY).join(frame.drop("item"), on=KEY, how="left", maintain_order="left")
    correct = joined["correct"].to_numpy()
    tie = joined["tie"].fill_null(False).to_numpy()
    state = np.where(correct > 0.5, RIGHT, WRONG)
    state = np.where(tie, TIE, state)
    state = np.where(joined["correct"].is_null().to_numpy(), ABSENT, state)
    return Answers(
        label,
        state.astype(np.uint8),
        joined["delta"].to_numpy().astype(np.float64),
    )
