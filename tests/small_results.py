"""Results made by hand, in memory and as run folders, for what is computed from runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import polars

from priscian.metrics.forced_choice import Outcome, summarise
from priscian.runs import PairsSummary, Result, SuitesSummary
from tests.run_folders import make_result
from tests.run_folders import write_run as write_run

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
) -> Result:
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
    summary: dict[str, Any] = {
        "model": model,
        "data": data,
        "methods": summarise(outcomes, taxonomy, levels),
    }
    hashes = {name: f"{words}{first}{len(v)}" for name, v in judged.items()}
    made_of = PairsSummary(**summary)
    return make_result(made_of, taxonomy, hashes, levels, {"items": polars.DataFrame(rows)})


def suites_result(
    model: str, judged: Credits, *, data: str = "sg", stop: str = ".", words: str = ""
) -> Result:
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
                    "values": [],
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
    score = {"n": len(rows), "ties": 0, "chance": 0.25, "ci": (0.0, 1.0)}
    summary = {
        "kind": "suites", "model": model, "data": data, "predictions": "first", "eos": "exclude",
        "punctuation": "attached", "boundary": "plain", "circuits": {},
        "sg": {"score": sum(means.values()) / len(means), "suites": len(means), **score},
        "suites": {name: {"accuracy": m, **score} for name, m in means.items()},
    }  # fmt: skip
    tables = {
        "items": polars.DataFrame(rows),
        "regions": polars.DataFrame(regions, schema=columns, orient="row"),
    }
    taxonomy = dict.fromkeys(judged, ("Gross Syntactic State",))
    hashes = {name: f"{words}{len(v)}" for name, v in judged.items()}
    made_of = msgspec.convert(summary, SuitesSummary)
    return make_result(made_of, taxonomy, hashes, ("circuit",), tables)
