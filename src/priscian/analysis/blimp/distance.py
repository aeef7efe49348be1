"""Agreement at a distance, over attractors, and of irregular nouns.

Warstadt et al. (2020), § 6.1 and § 6.2, Figures 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from priscian.analysis.marks import (
    LANES,
    SHAPES,
    colour,
    figure,
    line_at,
    share,
    share_domain,
    tips,
)
from priscian.analysis.named_results import pair_results, set_accuracies
from priscian.analysis.vega import Chart, Figure, HasFigures, inline
from priscian.datasets.published import published
from priscian.errors import DataError
from priscian.files import read_tsv
from priscian.runs import Result
from priscian.stats.differences import Difference, independent_difference
from priscian.stats.proportions import Accuracy, mean_accuracy

Contrasts = dict[str, dict[str, tuple[str, ...]]]


@cache
def contrasts() -> Contrasts:
    """Paradigms by comparison and condition; the first condition is what others are set against.

    The paper does not say which paradigms have no attractor. Of five choices that were tried on the
    published accuracies (all four paradigms, the regular ones, those whose verb varies, those whose
    noun varies, the first regular one) only the last gives its 20 points for the LSTM and 5 for
    Transformer-XL, so it is used here; with all four they are 16 and 11.

    >>> contrasts()["subject and verb"]["relational noun"]
    ('distractor_agreement_relational_noun',)
    """
    found: dict[str, dict[str, list[str]]] = {}
    for _, row in read_tsv(Path(__file__).parent / "data" / "agreement_contrasts.tsv"):
        members = found.setdefault(row["comparison"], {})
        members.setdefault(row["condition"], []).append(row["paradigm"])
    return {c: {k: tuple(v) for k, v in members.items()} for c, members in found.items()}


@dataclass(frozen=True, slots=True)
class Condition:
    """Accuracy in one condition, and how it differs from the comparison's first."""

    comparison: str
    condition: str
    model: str
    published: bool
    accuracy: Accuracy
    """Of a published system only the accuracy counts: its items are not known."""
    change: Difference | None
    paradigms: int
    missing: tuple[str, ...] = ()
    """Paradigms of the condition that were not scored."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found: dict[str, Any] = {"model": self.model, "published": self.published}
        found["accuracy"] = self.accuracy.accuracy
        if not self.published:
            found |= self.accuracy.as_dict()
        if self.change is not None:
            found["change"] = self.change.difference
            if not self.published:
                found["change_ci"] = list(self.change.ci)
        return found | {"paradigms": self.paradigms, "missing": list(self.missing)}


@dataclass(frozen=True, slots=True)
class Distance(HasFigures):
    """Every comparison, condition by condition and model by model."""

    conditions: tuple[Condition, ...]
    n: Mapping[str, int]
    """Pairs that were compared, by model, each counted once."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Accuracy in every condition."""
        return (distance_figure(self),)

    def as_dict(self) -> dict[str, Any]:
        """By comparison, then by condition."""
        found: dict[str, dict[str, list[dict[str, Any]]]] = {}
        for c in self.conditions:
            found.setdefault(c.comparison, {}).setdefault(c.condition, []).append(c.as_dict())
        return found


def analyse_distance(results: Sequence[Result], beside: Sequence[str] = ()) -> Distance:
    """Compare the conditions that the runs have paradigms of; `beside` names published systems."""
    made: list[Condition] = []
    n: dict[str, int] = {}
    for result in pair_results(results):
        sets = set_accuracies(result)
        mine = _conditions(result.label, sets, known=False)
        used = {p for c in mine for p in contrasts()[c.comparison][c.condition]} & sets.keys()
        if used:
            n[result.label] = sum(sets[p].n for p in used)
        made += mine
    if not made:
        raise DataError(
            "no paradigm of determiner–noun or subject–verb agreement was scored; "
            "score BLiMP whole: --on blimp:DIR"
        )
    here = {c.comparison for c in made}
    for system in beside:
        rows = {
            name: Accuracy(value, 0, 0, (value, value))
            for name, value in published()[system].items()
        }
        found = _conditions(f"{system}*", rows, known=True)
        made += [c for c in found if c.comparison in here]
    return Distance(tuple(made), n)


def _conditions(model: str, sets: Mapping[str, Accuracy], *, known: bool) -> list[Condition]:
    made = []
    for comparison, conditions in contrasts().items():
        parts = {
            condition: [sets[p] for p in paradigms if p in sets]
            for condition, paradigms in conditions.items()
        }
        if sum(map(bool, parts.values())) < 2:
            continue
        first = next(iter(conditions))
        base = mean_accuracy(parts[first]) if parts[first] else None
        for condition, paradigms in conditions.items():
            if not parts[condition]:
                continue
            mean = mean_accuracy(parts[condition])
            change = independent_difference(mean, base) if base and condition != first else None
            lacking = tuple(p for p in paradigms if p not in sets)
            size = len(parts[condition])
            made.append(Condition(comparison, condition, model, known, mean, change, size, lacking))
    return made


def distance_figure(found: Distance) -> Figure:
    """A panel for each comparison, a line for each model."""
    names = list(dict.fromkeys(c.model for c in found.conditions))
    rows = [
        {
            "comparison": c.comparison,
            "condition": c.condition,
            "model": c.model,
            "kind": "published" if c.published else "scored",
            "accuracy": c.accuracy.accuracy,
            "low": None if c.published else c.accuracy.ci[0],
            "high": None if c.published else c.accuracy.ci[1],
            "n": None if c.published else c.accuracy.n,
            "paradigms": c.paradigms,
            "change": None if c.change is None else c.change.difference,
        }
        for c in found.conditions
    ]
    domain = share_domain([v for r in rows for v in (r["low"], r["accuracy"])])
    panels = [
        _panel([r for r in rows if r["comparison"] == comparison], comparison, names, domain)
        for comparison in contrasts()
        if any(r["comparison"] == comparison for r in rows)
    ]
    caption = (
        "Accuracy on agreement with and without an adjective between, with attractors of the other "
        "number, and with irregular plurals: means of paradigms; n = "
        + ", ".join(f"{count:,} pairs ({name})" for name, count in found.n.items())
        + ". Bars are 95 % intervals: Wilson's, joined for means of paradigms (Zou et al. 2009)."
    )
    if any(c.published for c in found.conditions):
        caption += " Diamonds (*) are published figures on BLiMP's own sentences."
    chart: Chart = {"columns": 2, "concat": panels, "resolve": LANES}
    return figure("agreement-distance", "Agreement at a distance", caption, chart, rows)


def _panel(
    rows: list[dict[str, Any]], comparison: str, names: list[str], domain: list[float]
) -> Chart:
    order = list(contrasts()[comparison])
    y = share("accuracy", "accuracy", domain)
    x = {
        "field": "condition",
        "type": "nominal",
        "sort": order,
        "title": None,
        "axis": {"labelAngle": 0, "labelLimit": 120},
    }
    lane = {"field": "model", "type": "nominal", "sort": names}
    tooltip = tips(
        "condition", "model", "accuracy:.1%", "low:.1%", "high:.1%", "change:+.1%", "n:,"
    )
    shared = {"x": x, "xOffset": lane, "color": colour(names), "tooltip": tooltip}
    drawn = any(r["kind"] == "published" for r in rows)
    return {
        "title": comparison,
        "width": 270,
        "height": 190,
        "data": inline(rows),
        "layer": [
            line_at("y", 0.5, "chance", y),
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.55},
                "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
                "encoding": {**shared, "y": y, **({"shape": SHAPES} if drawn else {})},
            },
        ],
    }
