"""Several sweeps in one analysis: jobs of the same name are other models in each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from priscian.analysis.curves.facts import sweep_folders
from priscian.analysis.curves.table import CurveTable, read_curve
from priscian.runs import Result, Run
from priscian.runs.choose import Choice, gather_results, gather_runs


def tell_apart(choices: Choice | Iterable[Choice]) -> tuple[list[Choice], list[CurveTable]]:
    """The choices, and the tables of those that are sweeps, with names that do not clash.

    A model or curve whose name occurs elsewhere too gets the name of its folder: `small:lstm`.
    """
    given = [choices] if isinstance(choices, str | Path | Run | Result) else list(choices)
    folders = list({folder.resolve(): folder for folder in sweep_folders(given)}.values())
    if not folders:
        return given, []
    tables = [read_curve(folder) for folder in folders]
    rest = [c for c in given if not sweep_folders(c)]
    if len(folders) == 1 and not rest:
        return [folders[0]], tables
    others: list[Choice] = []
    for choice in rest:
        others += [choice] if isinstance(choice, Result) else gather_runs(choice)
    models = Counter(model for table in tables for model in {m.model for m in table.models})
    models.update({result.model for result in (gather_results(others) if others else [])})
    curves = Counter(curve for table in tables for curve in {m.curve for m in table.models})
    found: list[Choice] = []
    renamed = []
    for folder, name, table in zip(folders, _names(folders), tables, strict=True):
        new_models = {m.model: f"{name}:{m.model}" for m in table.models if models[m.model] > 1}
        new_curves = {m.curve: f"{name}:{m.curve}" for m in table.models if curves[m.curve] > 1}
        renamed.append(_renamed_table(table, new_models, new_curves))
        found += [_renamed_run(run, new_models) for run in gather_runs(folder)]
    return found + others, renamed


def _names(folders: Sequence[Path]) -> list[str]:
    """The last part of each path, or the whole path if several have the same."""
    short = [folder.resolve().name for folder in folders]
    return [
        name if short.count(name) == 1 else str(folder)
        for name, folder in zip(short, folders, strict=True)
    ]


def _renamed_table(table: CurveTable, models: dict[str, str], curves: dict[str, str]) -> CurveTable:
    change = msgspec.structs.replace
    return change(
        table,
        models=tuple(
            change(m, model=models.get(m.model, m.model), curve=curves.get(m.curve, m.curve))
            for m in table.models
        ),
        scores=tuple(change(s, model=models.get(s.model, s.model)) for s in table.scores),
    )


def _renamed_run(run: Run, models: dict[str, str]) -> Run:
    results = []
    for result in run.results:
        name = models.get(result.model, result.model)
        results.append(replace(result, model=name, label=name))
    return replace(run, results=tuple(results))
