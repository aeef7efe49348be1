"""Results as a run holds them, made without a model: credits of items are given outright."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars

from priscian.analysis.scored import Scored
from priscian.metrics import Outcome, summarise
from priscian.metrics.generalization import ItemOutcome, SuiteOutcome, summarise_suites


def scored_pairs(
    model: str,
    sets: Mapping[str, Sequence[float]],
    taxonomy: Mapping[str, tuple[str, ...]],
    *,
    prefixes: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
    rows: Mapping[str, Sequence[tuple[str, float, float]]] | None = None,
    data: str = "pairs",
    levels: tuple[str, ...] = ("field", "phenomenon"),
    measure: str = "surprisal",
) -> Scored:
    """A result on minimal pairs: credits by set, ½ being a tie.

    `prefixes` has the credits of other methods; `rows` texts and log-probabilities of good and bad.
    """
    made: dict[str, list[Outcome]] = {name: [] for name in sets}
    table = []
    for method, credit in {"full": sets, **(prefixes or {})}.items():
        for name, values in credit.items():
            for number, correct in enumerate(values):
                text, good, bad = (
                    rows[name][number]
                    if rows
                    else (f"{name} {number} .", -10.0, -10.0 - (correct - 0.5))
                )
                item = f"{name}/{number}"
                tie = correct == 0.5
                outcome = Outcome(
                    item, method, {"good": -good, "bad": -bad}, good - bad, correct, tie
                )
                made[name].append(outcome)
                table.append(
                    {
                        "set": name,
                        "item": item,
                        "method": method,
                        "score_good": good,
                        "score_bad": bad,
                        "delta": good - bad,
                        "correct": float(correct),
                        "tie": tie,
                        "text_good": text,
                        "text_bad": f"{text} bad",
                    }
                )
    summary = {
        "model": model,
        "data": data,
        "measure": measure,
        "tie": "half",
        "methods": summarise(made, taxonomy, levels),
    }
    hashes = {name: f"{data}-{name}" for name in sets}
    frame = polars.DataFrame(table, infer_schema_length=None).lazy()
    return Scored(model, data, "pairs", summary, levels, dict(taxonomy), hashes, frame)


def scored_suites(
    model: str,
    suites: Mapping[str, tuple[str, Sequence[float]]],
    modifier_of: Mapping[str, str] | None = None,
    data: str = "sg",
) -> Scored:
    """A result on suites: circuit and credits by suite."""
    outcomes = [
        SuiteOutcome(
            name,
            circuit,
            0.25,
            tuple(
                ItemOutcome(f"{name}/{number}", credit, credit == 0.5, (), {})
                for number, credit in enumerate(values, 1)
            ),
            (modifier_of or {}).get(name, ""),
        )
        for name, (circuit, values) in suites.items()
    ]
    summary = {"model": model, "data": data, "tie": "wrong", **summarise_suites(outcomes)}
    table = [
        {"set": s.name, "item": i.item, "prediction": 0, "item_correct": i.correct}
        for s in outcomes
        for i in s.items
    ]
    taxonomy = {name: (circuit,) for name, (circuit, _) in suites.items()}
    frame = polars.DataFrame(table).lazy()
    return Scored(model, data, "suites", summary, ("circuit",), taxonomy, {}, frame)


def save_run(folder: Path, *results: Scored, status: str = "finished") -> Path:
    """A run folder with these results."""
    folder.mkdir(parents=True)
    models = {r.model: {"folder": r.model, "status": "finished"} for r in results}
    data: dict[str, Any] = {
        r.data: {
            "spec": r.data,
            "levels": list(r.levels),
            "sets": {
                name: {"n": 1, "hash": r.hashes.get(name, ""), "taxonomy": list(path)}
                for name, path in r.taxonomy.items()
            },
        }
        for r in results
    }
    info = {
        "format": 1,
        "priscian": "0",
        "status": status,
        "request": {"models": list(models), "data": data},
        "models": models,
    }
    (folder / "run.json").write_text(json.dumps(info), "utf-8")
    for r in results:
        place = folder / r.model / r.data
        place.mkdir(parents=True)
        r.items.collect().write_parquet(place / "items.parquet")
        (place / "summary.json").write_text(json.dumps(r.summary), "utf-8")
    return folder


def rights(right: int, n: int, ties: int = 0) -> list[float]:
    """So many right, then so many ties, the rest wrong."""
    return [1.0] * right + [0.5] * ties + [0.0] * (n - right - ties)
