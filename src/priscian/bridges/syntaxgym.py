"""A run's suites as SyntaxGym writes evaluated ones: `metric_value` in every region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from priscian.errors import RunError
from priscian.files import inside
from priscian.runs import Result, Run
from priscian.runs.suite_files import write_suite_files


def syntaxgym(run: Run, by_model: Mapping[str, Sequence[Result]], out: Path) -> list[Path]:
    """One JSON file for each suite of each model and data set."""
    made = [
        path
        for results in by_model.values()
        for result in results
        if result.kind == "suites"
        for path in write_suite_files(
            result,
            run.info.request.limit,
            inside(out, result.about.folder, result.facts.folder),
        )
    ]
    if not made:
        raise RunError(f"{run.path} has no result on suites; score --on sg:PATH first")
    return made
