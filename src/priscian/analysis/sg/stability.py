"""Stability under modifiers: suites and their versions with material that should not matter.

Hu et al. (2020), Figure 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Struct, field

from priscian.analysis.charts import dots, figure, tips
from priscian.analysis.named_results import suite_results
from priscian.analysis.result import AnalysisResult, Table, points
from priscian.analysis.vega import Figure
from priscian.errors import DataError
from priscian.files import INLINE, by
from priscian.runs import Result, SuitesSummary
from priscian.stats.differences import Difference, mean_difference, paired_difference
from priscian.stats.interval import Interval

ALL = "all suites with a modifier"


class Modified(Struct, frozen=True):
    """A suite, its version with a modifier, and how accuracy changes on the same items."""

    model: str
    suite: str
    modified_suite: str
    plain: float = field(name="accuracy")
    modified: float
    change: float
    ci: Interval = field(name="change_ci")
    n: int = field(name="pairs")
    same: float
    """Share of items that are right in both versions, or in neither."""


class Stability(AnalysisResult, frozen=True):
    """Every suite that has a modifier version, by model; the mean of suites is last."""

    suites: Annotated[tuple[Modified, ...], by("model", "suite"), INLINE]

    def tables(self) -> list[Table]:
        """One row for each suite and model."""
        rows = tuple(
            (
                m.model,
                m.suite,
                f"{100 * m.plain:.1f}",
                f"{100 * m.modified:.1f}",
                points(m.change, m.ci),
                f"{100 * m.same:.1f}",
            )
            for m in self.suites
        )
        head = ("model", "suite", "without", "with", "change", "same")
        title = "Stability under modifiers: accuracy in per cent, change in points"
        return [Table(title, head, rows, names=2)]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """How accuracy changes when a modifier is added."""
        models = list(dict.fromkeys(m.model for m in self.suites))
        rows = [
            {
                "model": m.model,
                "suite": m.suite,
                "change": m.change,
                "low": m.ci[0],
                "high": m.ci[1],
                "plain": m.plain,
                "modified": m.modified,
                "same": m.same,
                "n": m.n,
            }
            for m in self.suites
        ]
        names = list(dict.fromkeys(m.suite for m in self.suites))
        order = sorted(names, key=lambda name: name == ALL)  # the mean of all comes last
        x = {
            "field": "change",
            "type": "quantitative",
            "title": "accuracy with a modifier minus accuracy without",
            "axis": {"format": "+.0%"},
            "scale": {"zero": True},
        }
        tooltip = tips(
            "suite", "model", "plain:.1%", "modified:.1%", "change:+.1%", "low:+.1%", "high:+.1%",
            "same:.1%", "n:,",
        )  # fmt: skip
        chart = dots(rows, models, order, x, tooltip, label="suite", line=(0.0, "no change"))
        n = sum(m.n for m in self.suites if m.model == models[0] and m.suite != ALL)
        caption = (
            "Change of accuracy when a modifier that should not matter is put between the parts of "
            f"a dependency; n = {n:,} pairs of items in {len({*names} - {ALL})} suites. Bars are "
            "95 % intervals of paired differences (Bonett & Price 2012), combined for the mean of "
            "suites."
        )
        title = "Stability under modifiers"
        return (figure("stability-to-modifiers", title, caption, chart, rows),)


def analyse_stability(results: Sequence[Result]) -> Stability:
    """Compare suites with their modifier versions, item by item."""
    made: list[Modified] = []
    for result in suite_results(results):
        credit: dict[str, dict[str, float]] = {}  # by suite and number of the item
        rows = result.items.select("set", "item", "item_correct").unique(maintain_order=True)
        for name, item, right in rows.collect().iter_rows():
            credit.setdefault(name, {})[str(item).rpartition("/")[2]] = float(right)
        mine = []
        for suite, about in result.expect(SuitesSummary).modifiers.items():
            plain, modified = credit.get(suite, {}), credit.get(about.modified_suite, {})
            shared = [number for number in plain if number in modified]
            if not shared:
                continue
            a, b = [modified[i] for i in shared], [plain[i] for i in shared]
            change = paired_difference(a, b)
            mine.append(
                Modified(
                    result.label,
                    suite,
                    about.modified_suite,
                    sum(b) / len(b),
                    sum(a) / len(a),
                    change.difference,
                    change.ci,
                    change.n,
                    sum(p == q for p, q in zip(a, b, strict=True)) / len(a),
                )
            )
        made += mine
        if len(mine) > 1:
            k = len(mine)
            mean = mean_difference([Difference(m.change, m.n, m.ci) for m in mine])
            made.append(
                Modified(
                    result.label,
                    ALL,
                    "",
                    sum(m.plain for m in mine) / k,
                    sum(m.modified for m in mine) / k,
                    mean.difference,
                    mean.ci,
                    mean.n,
                    sum(m.same for m in mine) / k,
                )
            )
    if not made:
        raise DataError(
            "no suite was scored in a version with a modifier too; score sg:DIR with both versions"
        )
    return Stability(tuple(made))
