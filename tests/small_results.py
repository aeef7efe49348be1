"""Results made by hand, in memory and as run folders, for what is computed from runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars

from priscian.analysis.scored import Scored
from priscian.metrics.accuracy import summarise
from priscian.metrics.forced_choice import Outcome

Credits = Mapping[str, Sequence[float]]
TAXONOMY = {
    "adjunct_island": ("syntax", "island_effects"),
    "wh_island": ("syntax", "island_effects"),
    "passive_1": ("syntax", "argument_structure"),
    "causative": ("syntax", "argument_structure"),
}


def pairs_result(
    model: str,
    judged: Credits,
    *,
    data: str = "small",
    words: str = "",
    method: str = "full",
    first: int = 0,
) -> Scored:
    """A result on pairs; `words` and `first` make other sentences and other items."""
    rows: list[dict[str, Any]] = []
    outcomes: dict[str, list[Outcome]] = {}
    for name, values in judged.items():
        for number, credit in enumerate(values, start=first):
            item, delta = f"{name}/{number}", 2 * credit - 1
            rows.append(
                {
                    "set": name,
                    "item": item,
                    "method": method,
                    "score_good": -10.0,
                    "score_bad": -10.0 - delta,
                    "delta": delta,
                    "correct": float(credit),
                    "tie": credit == 0.5,
                    "text_good": f"{words}Good {name} {number}.",
                    "text_bad": f"{words}Bad {name} {number}.",
                }
            )
            outcomes.setdefault(name, []).append(
                Outcome(item, method, {}, delta, float(credit), credit == 0.5)
            )
    taxonomy = {name: TAXONOMY.get(name, ()) for name in judged}
    levels = ("field", "phenomenon")
    return Scored(
        model=model,
        data=data,
        kind="pairs",
        summary={
            "model": model,
            "data": data,
            "tie": "wrong",
            "methods": summarise(outcomes, taxonomy, levels),
        },
        levels=levels,
        taxonomy=taxonomy,
        hashes={name: f"{words}{first}{len(v)}" for name, v in judged.items()},
        items=polars.DataFrame(rows).lazy(),
    )


def suites_result(
    model: str, judged: Credits, *, data: str = "sg", stop: str = ".", words: str = ""
) -> Scored:
    """A result on suites with two predictions an item and conditions `plain` and `odd`."""
    rows: list[dict[str, Any]] = []
    regions: list[tuple[str, str, str, int, str, float]] = []
    for name, values in judged.items():
        for number, credit in enumerate(values, start=1):
            item = f"{name}/{number}"
            rows += [
                {
                    "set": name,
                    "circuit": "Gross Syntactic State",
                    "item": item,
                    "prediction": prediction,
                    "margin": 1.0,
                    "correct": 1.0,
                    "tie": False,
                    "item_correct": float(credit),
                    "item_tie": False,
                }
                for prediction in (0, 1)
            ]
            regions += [
                (name, item, condition, place, content, 2.0)
                for condition in ("plain", "odd")
                for place, content in enumerate([f"{words}The {condition}", f"one {number}{stop}"])
            ]
    columns = ["set", "item", "condition", "region", "content", "surprisal"]
    means = {name: sum(v) / len(v) for name, v in judged.items()}
    return Scored(
        model=model,
        data=data,
        kind="suites",
        summary={
            "model": model,
            "data": data,
            "sg": {"score": sum(means.values()) / len(means), "ci": [0.0, 1.0]},
            "suites": {name: {"accuracy": m} for name, m in means.items()},
        },
        levels=("circuit",),
        taxonomy=dict.fromkeys(judged, ("Gross Syntactic State",)),
        hashes={name: f"{words}{len(v)}" for name, v in judged.items()},
        items=polars.DataFrame(rows).lazy(),
        regions=polars.DataFrame(regions, schema=columns, orient="row").lazy(),
    )


def write_run(folder: Path, *results: Scored, missing: Sequence[str] = ()) -> Path:
    """The results as a run folder; models in `missing` were asked for and not begun."""
    models = list(dict.fromkeys(r.model for r in results))
    data = {
        r.data: {
            "levels": list(r.levels),
            "sets": {s: {"taxonomy": list(r.taxonomy[s]), "hash": h} for s, h in r.hashes.items()},
        }
        for r in results
    }
    for number, model in enumerate(models):
        for result in (r for r in results if r.model == model):
            place = folder / f"m{number}" / result.data
            place.mkdir(parents=True)
            result.items.collect().write_parquet(place / "items.parquet")
            if result.regions is not None:
                result.regions.collect().write_parquet(place / "regions.parquet")
            (place / "summary.json").write_text(json.dumps(result.summary), "utf-8")
    info = {
        "format": 1,
        "status": "running" if missing else "finished",
        "request": {"models": [*models, *missing], "data": data},
        "models": {m: {"folder": f"m{n}"} for n, m in enumerate(models)},
    }
    (folder / "run.json").write_text(json.dumps(info), "utf-8")
    return folder
