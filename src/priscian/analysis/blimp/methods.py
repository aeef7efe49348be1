"""Compares ways to judge a pair: full sentences, one prefix, two prefixes.

Each prefix method is compared with full-sentence choice on the pairs that it can judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct

from priscian.analysis.charts import LANES, dots, figure, tips
from priscian.analysis.named_results import pair_results, words
from priscian.analysis.registry import Section, analysis
from priscian.analysis.result import OVERALL, AnalysisResult, Runs, Table, percent, points
from priscian.analysis.vega import Chart, Figure, Row
from priscian.errors import DataError
from priscian.files import INLINE, by
from priscian.runs import Result
from priscian.runs.choose import gather_results
from priscian.stats.differences import Difference, mean_difference, paired_difference
from priscian.stats.interval import Interval
from priscian.stats.proportions import Accuracy, accuracy_of, mean_accuracy

if TYPE_CHECKING:
    import polars

FULL = "full"
WHOLE = "score"
"""The measure of scores that were computed elsewhere, one for each sentence: without prefixes."""


class MethodRow(Struct, frozen=True):
    """A method and full-sentence choice on the same pairs of one phenomenon."""

    model: str
    method: str
    name: str
    """The phenomenon, or overall."""
    paradigms: int
    accuracy: Accuracy
    full: Accuracy
    difference: float
    difference_ci: Interval
    same: float
    """Share of pairs that both methods judge the same way."""


class Methods(AnalysisResult, frozen=True):
    """All rows: models, then methods, then phenomena with overall last."""

    rows: Annotated[tuple[MethodRow, ...], by("model", "method", "name", keep=True), INLINE]

    def tables(self) -> list[Table]:
        """A row for each phenomenon, with a rule between methods."""
        rows: list[tuple[str, ...] | None] = []
        before = ("", "")
        for row in self.rows:
            if rows and (row.model, row.method) != before:
                rows.append(None)
            before = (row.model, row.method)
            rows.append((
                *before, row.name, f"{row.accuracy.n:,}", percent(row.accuracy), percent(row.full),
                points(row.difference, row.difference_ci), f"{100 * row.same:.1f}",
            ))  # fmt: skip
        head = ("model", "method", "phenomenon", "n", "accuracy", "full", "difference", "same")
        return [Table("Methods: accuracy in per cent", head, tuple(rows), names=3)]

    @property
    def findings(self) -> list[str]:
        """What the columns are."""
        return [
            "Differences are a method minus full, in points, over the same pairs; same is the "
            "share of pairs that both judge the same."
        ]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Differences from full-sentence choice by phenomenon, one panel for each method."""
        models = list(dict.fromkeys(r.model for r in self.rows))
        rows = [
            {
                "model": r.model,
                "method": _said(r.method),
                "name": r.name if r.name == OVERALL else words(r.name),
                "difference": r.difference,
                "low": r.difference_ci[0],
                "high": r.difference_ci[1],
                "accuracy": r.accuracy.accuracy,
                "full": r.full.accuracy,
                "same": r.same,
                "n": r.accuracy.n,
                "paradigms": r.paradigms,
            }
            for r in self.rows
        ]
        n = {
            method: max(r.accuracy.n for r in self.rows if r.method == method)
            for method in dict.fromkeys(r.method for r in self.rows)
        }
        caption = (
            "How much more (or less) often the acceptable sentence wins when only critical words "
            "are compared, after the same prefix (one-prefix) or different ones (two-prefix); n = "
            + ", ".join(f"{count:,} pairs ({_said(method)})" for method, count in n.items())
            + ". Bars are 95 % intervals of paired differences (Bonett & Price 2012), combined for "
            "means of paradigms; overall is the mean of all."
        )
        limits = [0.0, *(v for r in self.rows for v in (r.difference, *r.difference_ci))]
        x: Chart = {
            "field": "difference",
            "type": "quantitative",
            "title": "accuracy minus that of full sentences on the same pairs",
            "axis": {"format": "+.0%"},
            "scale": {"domain": [round(min(limits) - 0.02, 2), round(max(limits) + 0.02, 2)]},
        }
        panels = [_panel(rows, _said(method), models, x) for method in n]
        chart = {"vconcat": panels, "resolve": LANES}
        title = "Prefix methods against full sentences"
        return (figure("methods-by-phenomenon", title, caption, chart, rows),)


@analysis(
    "methods",
    "prefix methods against full sentences",
    section=Section(
        "methods",
        place=50,
        kinds=frozenset({"pairs"}),
        pick=lambda results: [r for r in results if r.summary.measure != WHOLE],
    ),
)
def methods(runs: Runs) -> Methods:
    """One-prefix and two-prefix choice against full sentences, on the same pairs.

    Examples:
      priscian analyse methods runs/two
      priscian analyse methods runs/two --figures pictures --json

    >>> import priscian
    >>> run = priscian.score("builtin:ngram", "generated:7,5,anaphor_number_agreement")
    >>> {row.method for row in priscian.analyse.methods(run).rows}
    {'one_prefix'}

    Parameters
    ----------
    runs
        Run folders.
    """
    rows: list[MethodRow] = []
    for result in pair_results(gather_results(runs)):
        if FULL in result.methods:
            for method in result.methods:
                if method != FULL:
                    rows += _rows(result, method)
    if not rows:
        raise DataError(
            "the runs judge pairs by full sentences only; score data with prefixes: `on=blimp:DIR`"
        )
    return Methods(tuple(rows))


class _Set(NamedTuple):
    """A paradigm by a method and by full sentences."""

    name: str
    method: Accuracy
    full: Accuracy
    difference: Difference
    same: float


def _rows(result: Result, method: str) -> list[MethodRow]:
    both = result.choices(method).join(
        result.choices(FULL), on=["set", "item"], suffix="_full", maintain_order="left"
    )
    sets = [_judge(str(name), part) for (name,), part in both.group_by("set", maintain_order=True)]
    groups: dict[str, list[_Set]] = {}
    for s in sets:
        groups.setdefault(result.narrowest(s.name) or s.name, []).append(s)
    found = []
    for name, members in {**dict(sorted(groups.items())), OVERALL: sets}.items():
        if members:
            change = mean_difference([s.difference for s in members])
            found.append(
                MethodRow(
                    result.label,
                    method,
                    name,
                    len(members),
                    mean_accuracy([s.method for s in members]),
                    mean_accuracy([s.full for s in members]),
                    change.difference,
                    change.ci,
                    sum(s.same for s in members) / len(members),
                )
            )
    return found


def _judge(name: str, part: polars.DataFrame) -> _Set:
    own, full = part["correct"].to_numpy(), part["correct_full"].to_numpy()
    return _Set(
        name,
        accuracy_of(part["correct"].to_list(), int(part["tie"].sum())),
        accuracy_of(part["correct_full"].to_list(), int(part["tie_full"].sum())),
        paired_difference(own, full),
        float((own == full).mean()),
    )


def _panel(rows: Sequence[Row], method: str, models: Sequence[str], x: Chart) -> Chart:
    mine = [r for r in rows if r["method"] == method]
    tooltip = tips(
        "name", "model", "difference:+.1%", "low:+.1%", "high:+.1%", "accuracy:.1%", "full:.1%",
        "same:.1%", "n:,",
    )  # fmt: skip
    order = list(dict.fromkeys(str(r["name"]) for r in mine))
    return {"title": method, **dots(mine, models, order, x, tooltip, line=(0.0, "no difference"))}


def _said(method: str) -> str:
    """`one_prefix` as `one-prefix`."""
    return method.replace("_", "-")
