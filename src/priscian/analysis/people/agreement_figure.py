"""The picture of people's agreement: by phenomenon, one by one and by majority."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.analysis.charts import inline
from priscian.analysis.people.agreement import HumanAgreement, JudgedSet, shares_of
from priscian.analysis.vega import SCHEMA, Chart, Figure
from priscian.errors import counted

ONE_BY_ONE, BY_MAJORITY = "individual", "majority"


def human_figure(found: HumanAgreement) -> Figure:
    """Agreement of people with labels, by phenomenon and overall."""
    groups = {**found.phenomena(), "overall": found.included}
    rows = [row for name, sets in groups.items() for row in _rows(name, sets, found.draws)]
    caption = (
        f"Share of people who choose the acceptable sentence (individual) and of pairs where more "
        f"than half do (majority), by phenomenon: {counted(len(found.included), 'set')}, "
        f"{found.pairs:,} pairs, {sum(s.judgements for s in found.included):,} judgements of "
        f"{found.raters:,} people. Lines are 95 % intervals: a bootstrap over pairs within sets, "
        "and Wilson's."
    )
    if found.exclusion:
        caption += f" {found.exclusion}"
    return Figure("people", "How well people agree with the labels", caption, _chart(rows), rows)


def _rows(name: str, sets: Sequence[JudgedSet], draws: int) -> list[dict[str, object]]:
    found = shares_of(sets, draws=draws)
    return [
        {
            "phenomenon": name,
            "agreement": kind,
            "per_cent": round(100 * value, 2),
            "low": round(100 * low, 2),
            "high": round(100 * high, 2),
            "sets": len(sets),
            "pairs": found.pairs,
        }
        for kind, value, (low, high) in (
            (ONE_BY_ONE, found.individual, found.individual_ci),
            (BY_MAJORITY, found.majority, found.majority_ci),
        )
    ]


def _chart(rows: list[dict[str, object]]) -> Chart:
    tooltip = [
        {"field": "phenomenon", "type": "nominal"},
        {"field": "agreement", "type": "nominal"},
        *(
            {"field": name, "type": "quantitative", "format": ".1f"}
            for name in ("per_cent", "low", "high")
        ),
        {"field": "sets", "type": "quantitative"},
        {"field": "pairs", "type": "quantitative"},
    ]
    order = list(dict.fromkeys(row["phenomenon"] for row in rows))
    kinds = [ONE_BY_ONE, BY_MAJORITY]
    scale = {"zero": False, "nice": True}
    return {
        "$schema": SCHEMA,
        "width": 460,
        "height": {"step": 14},
        "data": inline(rows),
        "encoding": {
            "y": {
                "field": "phenomenon",
                "type": "nominal",
                "sort": order,
                "title": None,
                "axis": {"labelLimit": 300},
            },
            "yOffset": {"field": "agreement", "type": "nominal", "sort": kinds},
            "color": {
                "field": "agreement",
                "type": "nominal",
                "sort": kinds,
                "title": None,
                "legend": {"orient": "top"},
            },
            "tooltip": tooltip,
        },
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    "x": {
                        "field": "low",
                        "type": "quantitative",
                        "scale": scale,
                        "title": "agreement with the labels, per cent",
                    },
                    "x2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
                "encoding": {"x": {"field": "per_cent", "type": "quantitative"}},
            },
        ],
    }
