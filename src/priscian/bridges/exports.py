"""A run in the file formats of other tools: lm-evaluation-harness, BabyLM, SyntaxGym, CSV."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from priscian.bridges.babylm import babylm
from priscian.bridges.lm_eval import lm_eval
from priscian.bridges.syntaxgym import syntaxgym
from priscian.errors import RunError, UnknownNameError
from priscian.files import write_text
from priscian.runs import Result, Run

OF_PAIRS = frozenset({"lm-eval", "babylm"})
"""Formats for minimal pairs only."""


def export(run: Run, form: str, out: Path) -> list[Path]:
    """Write a run in another tool's format and return the paths of the files."""
    if form not in FORMATS:
        raise UnknownNameError("export format", form, FORMATS)
    if not run.results:
        raise RunError(f"{run.path} has no finished result to export; run score with --resume")
    by_model: dict[str, list[Result]] = {}
    for result in run.results:
        if form not in OF_PAIRS or result.kind in ("pairs", "graded"):
            by_model.setdefault(result.model, []).append(result)
    if not by_model:
        kinds = " and ".join(dict.fromkeys(r.kind for r in run.results))
        other = "syntaxgym" if kinds == "suites" else "csv"
        raise RunError(f"{run.path} has only {kinds}, which {form} cannot hold; use {other}")
    return [
        path
        for results in by_model.values()
        for path in FORMATS[form](run, sorted(results, key=lambda r: r.data), out)
    ]


def _csv(run: Run, results: Sequence[Result], out: Path) -> list[Path]:
    import polars

    made = []
    for result in results:
        frame = result.frame()
        if "values" in frame.columns:  # in suites: a list, which CSV cannot hold
            shown = [json.dumps(v, ensure_ascii=False) for v in frame["values"].to_list()]
            frame = frame.with_columns(polars.Series("values", shown))
        made.append(out / f"{result.about.folder}_{result.facts.folder}.csv")
        write_text(made[-1], frame.write_csv())
    return made


Exporter = Callable[[Run, Sequence[Result], Path], list[Path]]
FORMATS: dict[str, Exporter] = {
    "lm-eval": lm_eval,
    "babylm": babylm,
    "csv": _csv,
    "syntaxgym": syntaxgym,
}
