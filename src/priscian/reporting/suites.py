"""Suites on the page: every region of every condition with surprisals, formulas, and means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from priscian.analysis.sg.suite_view import (
    Prediction,
    RegionMean,
    condition_means,
    prediction_scores,
    predictions_of,
)
from priscian.formulas import region_labels
from priscian.reporting.items import state_of
from priscian.reporting.pack import FINE, MOST, pack_columns, planes
from priscian.runs import Result
from priscian.runs.facts import Score

if TYPE_CHECKING:
    import polars

UNKNOWN = 0xFFFFFF
KEY = ["set", "item", "condition", "region"]


@dataclass(frozen=True, slots=True)
class Layout:
    """The cells of all suites in a row: by suite, item, condition and region.

    Every item has a place for each condition and region of its suite, filled or not.
    """

    head: dict[str, Any]
    """Names of suites, conditions and items, and the text of the regions."""
    items: polars.DataFrame  # set, item, place
    cells: polars.DataFrame  # set, item, condition, region, place
    contents: bytes


def lay_out(results: Sequence[Result]) -> Layout:
    """The union of the items of some results, and the words in their regions."""
    import polars

    frames = [e.regions for e in results if e.regions is not None]
    every = polars.concat(frames).unique(KEY, keep="first", maintain_order=True).collect()
    names = every["content"].unique().sort().to_list()
    code = polars.DataFrame({"content": names}).with_row_index("code")
    suites, items, cells, before = [], [], [], 0
    for (suite,), rows in every.sort("set", maintain_order=True).group_by(
        "set", maintain_order=True
    ):
        conditions = rows["condition"].unique(maintain_order=True).to_list()
        own = rows.select("set", "item").unique(maintain_order=True).with_row_index("number")
        regions = int(str(rows["region"].max()))
        suites.append(
            {
                "name": suite,
                "conditions": conditions,
                "regions": regions,
                "items": [str(i).removeprefix(f"{suite}/") for i in own["item"]],
                "used": _used(results, str(suite)),
            }
        )
        order = polars.DataFrame({"condition": conditions}).with_row_index("which")
        size = len(conditions) * regions
        placed = (
            rows.join(own, on=["set", "item"], maintain_order="left")
            .join(order, on="condition", maintain_order="left")
            .with_columns(
                place=before
                + polars.col("number").cast(polars.Int64) * size
                + polars.col("which").cast(polars.Int64) * regions
                + polars.col("region").cast(polars.Int64)
                - 1
            )
        )
        items.append(own)
        cells.append(placed.join(code, on="content", maintain_order="left"))
        before += len(own) * size
    every_cell = polars.concat(cells)
    codes = np.full(before, len(names), np.int64)
    codes[every_cell["place"].to_numpy()] = every_cell["code"].to_numpy()
    every_item = polars.concat(items).drop("number").with_row_index("place")
    head = {"suites": suites, "contents": [*names, ""]}
    return Layout(head, every_item, every_cell.select(*KEY, "place"), planes(codes, 3))


def pack_layout(layout: Layout) -> str:
    """The data that the page needs before any model's numbers."""
    return pack_columns(layout.head, layout.contents)


def pack_bits(layout: Layout, result: Result) -> str:
    """A model's surprisal of every region, and its result on every item."""
    bits: NDArray[np.int64] = np.full(len(layout.contents) // 3, UNKNOWN, np.int64)
    if result.regions is not None:
        known = layout.cells.join(result.regions.collect(), on=KEY).drop_nulls("surprisal")
        level = np.round(known["surprisal"].to_numpy() / FINE)
        bits[known["place"].to_numpy()] = np.clip(level, 0, UNKNOWN - 1).astype(np.int64)
    judged = result.items.unique(["set", "item"], keep="first", maintain_order=True).collect()
    answers = layout.items.join(judged, on=["set", "item"], how="left", maintain_order="left")
    margin = np.nan_to_num(answers["margin"].to_numpy().astype(np.float64))
    step = max(FINE, float(np.abs(margin).max(initial=0.0)) / MOST)
    return pack_columns(
        {"step": FINE, "margin": step},
        planes(bits, 3),
        state_of(answers, "item_correct", "item_tie").tobytes(),
        planes(np.round(margin / step).astype(np.int64) & 0xFFFFFF, 3),
    )


def _used(results: Sequence[Result], suite: str) -> list[list[Any]]:
    """Conditions and regions that the first prediction uses; `*` is the whole sentence."""
    import polars

    for result in results:
        rows = result.items.filter(polars.col("set") == suite).select("values").head(1).collect()
        if len(rows):
            return [[v["condition"], v["region"]] for v in rows["values"][0].to_list()]
    return []


def about_suites(results: Sequence[Result], layout: Mapping[str, Any]) -> dict[str, Any]:
    """By suite: labels of regions, formulas with every model's accuracy, every model's means.

    `layout` is the head of the packed suites, whose order of conditions and regions is used.
    """
    scores = [prediction_scores(result) for result in results]
    means = [condition_means(result) for result in results]
    found = {}
    for suite in layout["suites"]:
        name = suite["name"]
        formulas = []
        for n, prediction in enumerate(formulas_of(results, name)):
            own = [s[name][n] if len(s.get(name, ())) > n else None for s in scores]
            said = [
                {"words": p.words, "symbols": p.symbols, "chance": round(p.chance, 4)}
                for p in (prediction, *prediction.parts)
            ]
            accuracies = [o and [_score(part) for part in (o.whole, *o.parts)] for o in own]
            formulas.append({"joined": prediction.joined, "said": said, "models": accuracies})
        found[name] = {
            "regions": list(region_names(results, name, suite["regions"])),
            "formulas": formulas,
            "means": [_means(suite, m.get(name, ())) for m in means],
        }
    return found


def _score(found: Score) -> list[float]:
    return [*(round(x, 4) for x in (found.accuracy, *found.ci)), found.n, found.ties]


def _means(suite: Mapping[str, Any], means: Sequence[RegionMean]) -> list[list[Any]]:
    """By condition and region: mean and interval in bits, or nothing."""
    known = {(m.condition, int(m.region)): [round(x, 3) for x in (m.mean, *m.ci)] for m in means}
    return [
        [known.get((condition, region)) for region in range(1, suite["regions"] + 1)]
        for condition in suite["conditions"]
    ]


def region_names(results: Sequence[Result], suite: str, count: int) -> tuple[str, ...]:
    """Labels of a suite's regions; numbers, if no run recorded their names."""
    known = (r.facts.sets[suite].regions for r in results if suite in r.facts.sets)
    names = next((names for names in known if len(names) >= count), ("",) * count)
    return region_labels(names)[:count]


def formulas_of(results: Sequence[Result], suite: str) -> tuple[Prediction, ...]:
    """A suite's formulas, from the first result that recorded them."""
    return next((found for r in results if (found := predictions_of(r, suite))), ())
