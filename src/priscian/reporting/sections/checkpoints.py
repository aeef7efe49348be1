"""Learning curves of checkpoints, which come before all other figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from priscian.analysis.curves.checkpoints import checkpoint_curves, find_checkpoints, is_series
from priscian.analysis.vega import Figure
from priscian.reporting.sections.registry import Draw, Given, page_section
from priscian.runs import Result


@page_section("Checkpoints", place=4)
def checkpoints(given: Given) -> list[Draw]:
    """Only where names or cards of models give steps or tokens; a sweep has curves of its own."""
    if given.curves:
        return []
    by_data: dict[str, list[Result]] = {}
    for run in given.runs:
        for result in run.results:
            if result.kind != "labels":
                by_data.setdefault(result.data, []).append(result)
    kept = [found for found in by_data.values() if is_series(find_checkpoints(found))]
    return [
        Draw("learning curves", lambda n=n, found=found: _figures(n, found))  # type: ignore[misc]
        for n, found in enumerate(kept)
    ]


def _figures(number: int, results: Sequence[Result]) -> list[Figure]:
    made = checkpoint_curves(results).figures
    return [replace(f, name=f"{f.name}-{number + 1}" if number else f.name) for f in made]
