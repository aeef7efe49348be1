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
    uneven = _uneven(results)
    judged = {
        number: _credits(results[number]) for number in sorted({n for own in uneven for n in own})
    }
    for having, suites in uneven.items():
        for suite in suites:
            parts = [judged[number][suite] for number in having]
            shared = set(parts[0]).intersection(*parts[1:])
            for number, own in zip(having, parts, strict=True):
                # on all items if they share none
                kept = [own[item] for item in own if item in shared or not shared]
                found[number][suite] = sum(kept) / len(kept)
    return found, note_on(results)


def note_on(results: Sequence[Result]) -> str:
    """What `shared_accuracies` notes, without reading any item."""
    return NOTE if _uneven(results) else ""


def _uneven(results: Sequence[Result]) -> dict[tuple[int, ...], list[str]]:
    """Suites of which results on the same data have different numbers of items, by the results."""
    found: dict[tuple[int, ...], list[str]] = {}
    counts: dict[tuple[str, str], dict[int, int]] = {}
    for number, result in enumerate(results):
        cells = result.expect(SuitesSummary).suites
        for suite in suite_accuracies(result):
            counts.setdefault((result.facts.spec, suite), {})[number] = cells[suite].n
    for (_, suite), own in counts.items():
        if len(set(own.values())) > 1:
            found.setdefault(tuple(own), []).append(suite)
    return found


def _credits(result: Result) -> dict[str, dict[str, float]]:
    """The credit of every item, by suite."""
    rows = (
        result.items.unique(["set", "item"], keep="first", maintain_order=True)
        .select("set", "item", "item_correct")
        .collect()
    )
    found: dict[str, dict[str, float]] = {}
    for suite, item, credit in rows.iter_rows():
        found.setdefault(suite, {})[item] = float(credit)
    return found
