"""Learning curves of checkpoints, which come before all other figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from priscian.analysis.curves.checkpoints import FEWEST, checkpoint_curves, parse_checkpoint
from priscian.analysis.vega import Figure
from priscian.reporting.sections.registry import Draw, Given, page_section
from priscian.runs import Result


@page_section("Checkpoints", place=4)
def checkpoints(given: Given) -> list[Draw]:
    """Only where names of models speak of steps or tokens; a sweep has curves of its own."""
    if given.curves:
        return []
    by_data: dict[str, list[Result]] = {}
    for run in given.runs:
        for result in run.results:
            if result.kind != "labels" and parse_checkpoint(result.model):
                by_data.setdefault(result.data, []).append(result)
    kept = [found for found in by_data.values() if _is_series(found)]
    return [
        Draw("learning curves", lambda n=n, found=found: _figures(n, found))  # type: ignore[misc]
        for n, found in enumerate(kept)
    ]


def _is_series(results: Sequence[Result]) -> bool:
    counts: dict[tuple[str, bool], set[float]] = {}
    for result in results:
        found = parse_checkpoint(result.model)
        if found is not None:
            counts.setdefault((found.series, found.tokens), set()).add(found.amount)
    return any(len(amounts) >= FEWEST for amounts in counts.values())


def _figures(number: int, results: Sequence[Result]) -> list[Figure]:
    made = checkpoint_curves(results).figures
    return [replace(f, name=f"{f.name}-{number + 1}" if number else f.name) for f in made]
