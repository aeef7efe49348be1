"""Compares ways to judge a pair: full sentences, one prefix, two prefixes.

Each prefix method is compared with full-sentence choice on the pairs that it can judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from priscian.analysis.named_results import pair_results
from priscian.analysis.vega import Figure, HasFigures
from priscian.errors import DataError
from priscian.runs import Result
from priscian.stats.differences import Difference, mean_difference, paired_difference
from priscian.stats.proportions import Accuracy, accuracy_of, mean_accuracy

if TYPE_CHECKING:
    import polars

FULL = "full"
OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class MethodRow:
    """A method and full-sentence choice on the same pairs of one phenomenon."""

    model: str
    method: str
    name: str
    """The phenomenon, or overall."""
    paradigms: int
    accuracy: Accuracy
    full: Accuracy
    difference: Difference
    same: float
    """Share of pairs that both methods judge the same way."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "model": self.model,
            "method": self.method,
            "name": self.name,
            "paradigms": self.paradigms,
            "accuracy": self.accuracy.as_dict(),
            "full": self.full.as_dict(),
            "difference": self.difference.difference,
            "difference_ci": list(self.difference.ci),
            "same": self.same,
        }


@dataclass(frozen=True, slots=True)
class Methods(HasFigures):
    """All rows: models, then methods, then phenomena with overall last."""

    rows: tuple[MethodRow, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Each method against full sentences."""
        from priscian.analysis.blimp.methods_figure import methods_figure

        return (methods_figure(self),)

    def as_dict(self) -> dict[str, Any]:
        """By model, method and phenomenon."""
        found: dict[str, dict[str, dict[str, Any]]] = {}
        for row in self.rows:
            found.setdefault(row.model, {}).setdefault(row.method, {})[row.name] = row.as_dict()
        return found


@dataclass(frozen=True, slots=True)
class _Set:
    name: str
    method: Accuracy
    full: Accuracy
    difference: Difference
    same: float


def compare_methods(results: Sequence[Result]) -> Methods:
    """Every prefix method of every model against full-sentence choice."""
    rows: list[MethodRow] = []
    for result in pair_results(results):
        methods = result.methods
        if FULL not in methods:
            continue
        for method in methods:
            if method != FULL:
                rows += _rows(result, method)
    if not rows:
        raise DataError(
            "the runs judge pairs by full sentences only; score data with prefixes: --on blimp:DIR"
        )
    return Methods(tuple(rows))


def _rows(result: Result, method: str) -> list[MethodRow]:
    both = result.choices(method).join(
        result.choices(FULL), on=["set", "item"], suffix="_full", maintain_order="left"
    )
    sets = [_judge(str(name), part) for (name,), part in both.group_by("set", maintain_order=True)]
    groups: dict[str, list[_Set]] = {}
    for s in sets:
        groups.setdefault(result.narrowest(s.name) or s.name, []).append(s)
    named = {**dict(sorted(groups.items())), OVERALL: sets}
    return [
        MethodRow(
            result.label,
            method,
            name,
            len(members),
            mean_accuracy([s.method for s in members]),
            mean_accuracy([s.full for s in members]),
            mean_difference([s.difference for s in members]),
            sum(s.same for s in members) / len(members),
        )
        for name, members in named.items()
        if members
    ]


def _judge(name: str, part: polars.DataFrame) -> _Set:
    own, full = part["correct"].to_numpy(), part["correct_full"].to_numpy()
    return _Set(
        name,
        _accuracy(part, "correct", "tie"),
        _accuracy(part, "correct_full", "tie_full"),
        paired_difference(own, full),
        float((own == full).mean()),
    )


def _accuracy(part: polars.DataFrame, credit: str, tie: str) -> Accuracy:
    return accuracy_of(part[credit].to_list(), int(part[tie].sum()))
