"""A run in the file formats of other tools: lm-evaluation-harness, BabyLM, SyntaxGym, CSV."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from priscian.bridges.babylm import babylm
from priscian.bridges.lm_eval import lm_eval
from priscian.errors import RunError, UnknownNameError
from priscian.files import inside, name_files, write_text
from priscian.files.folder import lock_folder
from priscian.runs import Result, Run
from priscian.runs.suite_files import write_suite_files

OF_PAIRS = frozenset({"lm-eval", "babylm"})
"""Formats for minimal pairs only."""


def export(run: Run, form: str, out: Path) -> list[Path]:
    """Write a run in another tool's format and return the paths of the files."""
    if form not in FORMATS:
        raise UnknownNameError("export format", form, FORMATS)
    if not run.results:
        raise RunError(f"{run.path} has no finished result to export; run score with `resume=True`")
    by_model: dict[str, list[Result]] = {}
    for result in run.results:
        if form not in OF_PAIRS or result.kind in ("pairs", "graded"):
            by_model.setdefault(result.model, []).append(result)
    if not by_model:
        kinds = " and ".join(dict.fromkeys(r.kind for r in run.results))
        other = "syntaxgym" if kinds == "suites" else "csv"
        raise RunError(f"{run.path} has only {kinds}, which {form} cannot hold; use {other}")
    ordered = {model: sorted(own, key=lambda r: r.data) for model, own in by_model.items()}
    with lock_folder(out, "priscian export"):
        return FORMATS[form](run, ordered, out)


def csv(run: Run, by_model: ByModel, out: Path) -> list[Path]:
    """One table for each model and data set."""
    import polars

    made = []
    results = {(r.model, r.data): r for own in by_model.values() for r in own}
    files = name_files({k: f"{r.about.folder}_{r.facts.folder}" for k, r in results.items()})
    for key, result in results.items():
        frame = result.frame()
        if "values" in frame.columns:  # in suites: a list, which CSV cannot hold
            shown = [json.dumps(v, ensure_ascii=False) for v in frame["values"].to_list()]
            frame = frame.with_columns(polars.Series("values", shown))
        made.append(inside(out, f"{files[key]}.csv"))
        write_text(made[-1], frame.write_csv())
    return made


def syntaxgym(run: Run, by_model: ByModel, out: Path) -> list[Path]:
    """One JSON file for each suite, as SyntaxGym writes evaluated ones, with `metric_value`."""
    made = []
    for results in by_model.values():
        for result in results:
            if result.kind == "suites":
                place = inside(out, result.about.folder, result.facts.folder)
                made += write_suite_files(result, run.info.request.limit, place)
    if not made:
        raise RunError(f"{run.path} has no result on suites; score `on=sg:PATH` first")
    return made


ByModel = Mapping[str, Sequence[Result]]
Exporter = Callable[[Run, ByModel, Path], list[Path]]
"""Writes the results of all models, so that their folders are named together."""
FORMATS: dict[str, Exporter] = {
    "lm-eval": lm_eval,
    "babylm": babylm,
    "csv": csv,
    "syntaxgym": syntaxgym,
}
