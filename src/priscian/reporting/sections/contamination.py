"""Public BLiMP against fresh pairs of the same paradigms."""

from __future__ import annotations

from priscian.analysis.blimp.contamination import analyse_contamination, has_both
from priscian.reporting.sections.registry import Draw, Given, page_section


@page_section("Is the score on the public set inflated?", place=95)
def contamination(given: Given) -> list[Draw]:
    """Only where a model was scored on both."""
    results = [result for run in given.runs for result in run.results]
    if not has_both(results):
        return []
    return [Draw("public and fresh pairs", lambda: analyse_contamination(results).figures)]
