"""Stability under modifiers: suites and their versions with material that should not matter.

Hu et al. (2020), Figure 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from priscian.analysis.named_results import suite_results
from priscian.analysis.vega import Figure, HasFigures
from priscian.errors import DataError
from priscian.runs import Result, SuitesSummary
from priscian.stats.differences import Difference, mean_difference, paired_difference

ALL = "all suites with a modifier"


@dataclass(frozen=True, slots=True)
class Modified:
    """A suite, its version with a modifier, and how accuracy changes on the same items."""

    model: str
    suite: str
    modified_suite: str
    plain: float
    modified: float
    change: Difference
    same: float
    """Share of items that are right in both versions, or in neither."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "modified_suite": self.modified_suite,
            "accuracy": self.plain,
            "modified": self.modified,
            "change": self.change.difference,
            "change_ci": list(self.change.ci),
            "pairs": self.change.n,
            "same": self.same,
        }


@dataclass(frozen=True, slots=True)
class Stability(HasFigures):
    """Every suite that has a modifier version, by model; the mean of suites is last."""

    suites: tuple[Modified, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Accuracy without and with a modifier."""
        from priscian.analysis.sg.stability_figure import stability_figure

        return (stability_figure(self),)

    def as_dict(self) -> dict[str, Any]:
        """By model, then by suite."""
        found: dict[str, dict[str, Any]] = {}
        for m in self.suites:
            found.setdefault(m.model, {})[m.suite] = m.as_dict()
        return found


def analyse_stability(results: Sequence[Result]) -> Stability:
    """Compare suites with their modifier versions, item by item."""
    made: list[Modified] = []
    for result in suite_results(results):
        credit = _credits(result)
        mine = []
        for suite, about in result.expect(SuitesSummary).modifiers.items():
            plain, modified = credit.get(suite, {}), credit.get(about.modified_suite, {})
            shared = [number for number in plain if number in modified]
            if not shared:
                continue
            a, b = [modified[i] for i in shared], [plain[i] for i in shared]
            mine.append(
                Modified(
                    result.label,
                    suite,
                    about.modified_suite,
                    sum(b) / len(b),
                    sum(a) / len(a),
                    paired_difference(a, b),
                    sum(p == q for p, q in zip(a, b, strict=True)) / len(a),
                )
            )
        made += mine
        if len(mine) > 1:
            k = len(mine)
            made.append(
                Modified(
                    result.label,
                    ALL,
                    "",
                    sum(m.plain for m in mine) / k,
                    sum(m.modified for m in mine) / k,
                    mean_difference([m.change for m in mine]),
                    sum(m.same for m in mine) / k,
                )
            )
    if not made:
        raise DataError(
            "no suite was scored in a version with a modifier too; score sg:DIR with both versions"
        )
    return Stability(tuple(made))


def _credits(result: Result) -> dict[str, dict[str, float]]:
    """Credit of every item by suite and number."""
    rows = result.items.select("set", "item", "item_correct").unique(maintain_order=True).collect()
    found: dict[str, dict[str, float]] = {}
    for name, item, credit in rows.iter_rows():
        found.setdefault(name, {})[str(item).rpartition("/")[2]] = float(credit)
    return found
