"""Every pair that any model scored, once, with each model's answer and people's ratings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from priscian.analysis.graded.adc import AdcAnalysis
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
    answers = []
    for result, frame in zip(results, frames, strict=True):
        own = every.select(KEY).join(frame.drop("item"), on=KEY, how="left", maintain_order="left")
        answers.append(
            Answers(
                result.label,
                state_of(own, "correct", "tie"),
                own["delta"].to_numpy().astype(np.float64),
            )
        )
    pairs = any(frame["pair"].any() for frame in frames)
    return Items(
        tuple(sizes.iter_rows()),
        every["item"].to_list(),
        every["good"].to_list(),
        every["bad"].to_list() if pairs else None,
        tuple(answers),
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


def state_of(rows: polars.DataFrame, correct: str, tie: str) -> NDArray[np.uint8]:
    """WRONG, RIGHT, TIE or ABSENT by row, from columns of credits and of ties."""
    state = np.where(rows[correct].to_numpy() > 0.5, RIGHT, WRONG)
    state = np.where(rows[tie].fill_null(False).to_numpy(), TIE, state)
    return np.where(rows[correct].is_null().to_numpy(), ABSENT, state).astype(np.uint8)


def people_of(
    items: Items, results: Sequence[Result], graded: Mapping[str, AdcAnalysis]
) -> dict[str, Any] | None:
    """By item: people's ratings of its sentences; by model: its difference and the verdict.

    The verdict is whether the model meets the Acceptability Delta Criterion: 1, 0, or None for an
    item without ratings. None if no data of the board have ratings.
    """
    analyses = {r.data: graded[r.data] for r in results if r.data in graded}
    if not analyses or items.bad is None:
        return None
    analysis = next(iter(analyses.values()))
    sentences, pairs = analysis.graded.by_id, analysis.graded.pairs
    places = {
        (sentences[pair.good].text, sentences[pair.bad].text): n for n, pair in enumerate(pairs)
    }
    at = [places.get(texts) for texts in zip(items.good, items.bad, strict=True)]
    delta = min(analysis.deltas)
    known = {model.name: model for model in analysis.models}
    models: list[list[list[float] | None] | None] = []
    for result in results:
        model = known.get(result.model)
        if model is None:
            models.append(None)
            continue
        met = analysis.met(model, delta)
        models.append([None if n is None else [round(model.deltas[n], 3), int(met[n])] for n in at])
    return {
        "delta": delta,
        "ratings": [None if n is None else [sentences[i].rating for i in pairs[n].ids] for n in at],
        "models": models,
    }
