"""The folder of a sweep that no model made: scores rise with the corpus, by architecture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
import polars

from priscian.analysis.curves.table import CurveModel, CurveTable, scores_of
from priscian.files import write_json
from priscian.runs import Result
from priscian.runs.result import in_memory
from tests.scored_runs import rights, scored_pairs, scored_suites, write_run

SIZES = {"250k": 250_000, "1M": 1_000_000, "4M": 4_000_000}
LEVEL = {"5-gram": 0.30, "lstm": 0.42, "gpt2": 0.40, "rnng": 0.55}
CIRCUITS = ("Agreement", "Licensing", "Garden-Path Effects")
PARADIGMS = {
    "adjunct_island": ("syntax", "island_effects"),
    "wh_island": ("syntax", "island_effects"),
    "passive_1": ("syntax", "argument_structure"),
    "causative": ("syntax", "argument_structure"),
}


def write_curve(
    folder: Path,
    level: Mapping[str, float] = LEVEL,
    *,
    suites: int = 6,
    items: int = 20,
    seeds: int = 1,
    limits: Mapping[str, int] | None = None,
) -> Path:
    """Every kind of model with every size and seed; a grammar has no largest size.

    `limits` gives some kinds another number of items.
    """
    models, scores, runs = [], [], []
    for kind, base in level.items():
        limit = (limits or {}).get(kind, items)
        for size, tokens in SIZES.items():
            for seed in range(1, seeds + 1):
                if kind == "rnng" and size == "4M":
                    continue
                name = f"{kind}-{size}-seed{seed}"
                draw = np.random.default_rng(crc32(name.encode()))
                gain = 0.03 * math.log2(tokens / 250_000)

                def right(extra: float = 0.0, draw: np.random.Generator = draw,
                          mean: float = base + gain, n: int = limit) -> list[float]:  # fmt: skip
                    share = min(1.0, max(0.0, mean + extra + draw.normal(0, 0.08)))
                    return rights(round(share * n), n)

                on_suites = scored_suites(
                    name,
                    {f"suite{n}": (CIRCUITS[n % len(CIRCUITS)], right()) for n in range(suites)},
                )
                on_pairs = scored_pairs(
                    name, {p: right(0.2) for p in PARADIGMS}, PARADIGMS, data="blimp"
                )
                run = f"runs/{name}"
                write_run(folder / run, on_pairs, _with_regions(on_suites))
                runs.append(run)
                scores += [*scores_of(on_pairs, "blimp:data"), *scores_of(on_suites, "sg")]
                models.append(
                    CurveModel(
                        model=name, curve=kind, architecture=kind.replace("5-gram", "ngram"),
                        tokens=tokens, size=size, words=tokens + 7, seed=seed, order_seed=1,
                        tokens_seen=4 * tokens, parameters=3_000_000, vocabulary=9000,
                        closed_vocabulary=kind != "gpt2", training_seconds=tokens / 500,
                        perplexity=400 * (1 - base) * math.exp(-gain * 5), test_sentences=500,
                        test_words=9000, string=f"lstm:{name}", run_folder=run,
                    )
                )  # fmt: skip
    CurveTable(priscian="0", models=tuple(models), scores=tuple(scores)).write(folder)
    write_json(folder / "runs.json", runs)
    return folder


def _with_regions(result: Result) -> Result:
    """Two regions in two conditions of every item, which the page shows."""
    items = result.items.collect()
    columns = ["model", "data", "circuit", "set", "item", "condition", "region", "content",
               "surprisal"]  # fmt: skip
    rows = [
        (*named, condition, place, content, 2.0)
        for named in items.select(columns[:5]).iter_rows()
        for condition in ("plain", "odd")
        for place, content in enumerate([f"The {condition}", "one."])
    ]
    regions = polars.DataFrame(rows, schema=columns, orient="row")
    return replace(result, open_table=in_memory({"items": items, "regions": regions}))
