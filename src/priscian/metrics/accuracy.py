"""Accuracy of every set, of every class of the taxonomy and overall, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from priscian.errors import DataError
from priscian.files import plain
from priscian.metrics.forced_choice import Outcome
from priscian.stats.proportions import Accuracy, accuracy_of, mean_accuracy

_PLURALS = {"phenomenon": "phenomena"}
_LEVELS = ("field", "phenomenon")


def set_accuracy(outcomes: Sequence[Outcome]) -> Accuracy:
    """Mean credit over the items of one set and method."""
    return accuracy_of([o.correct for o in outcomes], sum(o.tie for o in outcomes))


def summarise(
    outcomes: Mapping[str, Iterable[Outcome]],
    taxonomy: Mapping[str, Sequence[str]],
    levels: Sequence[str] = _LEVELS,
) -> dict[str, dict[str, Any]]:
    """Accuracies by method: overall, for every node of each level, and for every set.

    `outcomes` and `taxonomy` are keyed by set; `levels` names the taxonomy's levels from the
    broadest to the narrowest, and a shorter path fills the narrowest ones:
    {"full": {"overall": {…}, "fields": {…}, "phenomena": {…}, "paradigms": {UID: {…}}}, …}.
    """
    by_method: dict[str, dict[str, list[Outcome]]] = {}
    for name, members in outcomes.items():
        for outcome in members:
            by_method.setdefault(outcome.method, {}).setdefault(name, []).append(outcome)
    return {
        method: _summary(
            {name: set_accuracy(rows) for name, rows in sets.items()}, taxonomy, levels
        )
        for method, sets in by_method.items()
    }


def _summary(
    sets: Mapping[str, Accuracy], taxonomy: Mapping[str, Sequence[str]], levels: Sequence[str]
) -> dict[str, Any]:
    nodes: dict[str, dict[str, list[Accuracy]]] = {
        level: {} for level in dict.fromkeys((*_LEVELS, *levels))
    }
    for name, result in sets.items():
        path = tuple(taxonomy.get(name, ()))
        if len(path) > len(levels):
            raise DataError(
                f"set {name}: its taxonomy {' > '.join(path)} is deeper than the levels "
                f"{', '.join(levels) or 'given (none)'}; name as many levels"
            )
        for level, node in zip(levels[len(levels) - len(path) :], path, strict=True):
            nodes[level].setdefault(node, []).append(result)
    return {
        "overall": plain(mean_accuracy(list(sets.values()))),
        **{
            _PLURALS.get(level, f"{level}s"): {
                node: plain(mean_accuracy(parts)) for node, parts in members.items()
            }
            for level, members in nodes.items()
        },
        "paradigms": {name: plain(result) for name, result in sets.items()},
    }
