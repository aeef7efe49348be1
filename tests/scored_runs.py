"""Results as a run holds them, made without a model: credits of items are given outright."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars

from priscian.metrics import Outcome, summarise
from priscian.metrics.generalization import ItemOutcome, SuiteOutcome, summarise_suites
from priscian.runs import PairsSummary, Result, SuitesSummary
from tests.run_folders import make_result, write_run


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
) -> Result:
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
    summary: dict[str, Any] = {
        "model": model,
        "data": data,
        "measure": measure,
        "tie": "half",
        "methods": summarise(made, taxonomy, levels),
    }
    hashes = {name: f"{data}-{name}" for name in sets}
    frame = polars.DataFrame(table, infer_schema_length=None)
    paths = {name: taxonomy.get(name, ()) for name in sets}
    made_of = PairsSummary(**summary)
    return make_result(made_of, paths, hashes, levels, {"items": frame})


def scored_suites(
    model: str,
    suites: Mapping[str, tuple[str, Sequence[float]]],
    modifier_of: Mapping[str, str] | None = None,
    data: str = "sg",
) -> Result:
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
    summary = {
        "kind": "suites", "model": model, "data": data, "tie": "wrong", "predictions": "first",
        "eos": "exclude", "punctuation": "attached", "boundary": "plain",
        **summarise_suites(outcomes),
    }  # fmt: skip
    table = [
        {
            "set": s.name, "item": i.item, "prediction": 0, "margin": 0.0, "correct": i.correct,
            "tie": i.tie, "item_correct": i.correct, "item_tie": i.tie, "values": [],
        }
        for s in outcomes
        for i in s.items
    ]  # fmt: skip
    taxonomy = {name: (circuit,) if circuit else () for name, (circuit, _) in suites.items()}
    frame = polars.DataFrame(table)
    made_of = msgspec.convert(summary, SuitesSummary)
    return make_result(made_of, taxonomy, {}, ("circuit",), {"items": frame})


def save_run(folder: Path, *results: Result, status: str = "finished") -> Path:
    """A run folder with these results."""
    return write_run(folder, *results, status=status)


def rights(right: int, n: int, ties: int = 0) -> list[float]:
    """So many right, then so many ties, the rest wrong."""
    return [1.0] * right + [0.5] * ties + [0.0] * (n - right - ties)
