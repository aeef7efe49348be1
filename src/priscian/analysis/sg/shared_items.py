"""Suite scores on the items that all models have: slow ones may have been scored on fewer."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.analysis.named_results import suite_accuracies
from priscian.runs import Result, SuitesSummary

NOTE = (
    "models were scored on different numbers of items, and are compared on those that all of them "
    "have"
)


def shared_accuracies(results: Sequence[Result]) -> tuple[list[dict[str, float]], str]:
    """Each result's accuracy on every suite; a note if it is on a part of its items.

    If results on the same data have different numbers of items, those that all have are used.
    """
    found = [suite_accuracies(result) for result in results]
    note = ""
    for spec in dict.fromkeys(result.facts.spec for result in results):
        alike = [number for number, result in enumerate(results) if result.facts.spec == spec]
        for suite in dict.fromkeys(name for number in alike for name in found[number]):
            having = [number for number in alike if suite in found[number]]
            if len({_count(results[number], suite) for number in having}) > 1:
                note = NOTE
                parts = _on_shared([results[number] for number in having], suite)
                for number, accuracy in zip(having, parts, strict=True):
                    found[number][suite] = accuracy
    return found, note


def _count(result: Result, suite: str) -> int:
    return result.expect(SuitesSummary).suites[suite].n


def _on_shared(results: Sequence[Result], suite: str) -> list[float]:
    """Accuracies on the items that all results have; on all items if they share none."""
    judged = [_credits(result, suite) for result in results]
    shared = set(judged[0]).intersection(*judged[1:])
    kept = [[own[item] for item in own if item in shared or not shared] for own in judged]
    return [sum(own) / len(own) for own in kept]


def _credits(result: Result, suite: str) -> dict[str, float]:
    import polars

    rows = (
        result.items.filter(polars.col("set") == suite)
        .unique("item", keep="first", maintain_order=True)
        .select("item", "item_correct")
        .collect()
    )
    return {item: float(credit) for item, credit in rows.iter_rows()}
