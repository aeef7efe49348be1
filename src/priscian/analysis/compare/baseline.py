"""Many models in one figure of differences: a model and a baseline are chosen in it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from priscian.analysis.charts import NO_CLEAR, figure, inline, look, tips
from priscian.analysis.compare.comparison import class_interval
from priscian.analysis.compare.matching import headline_sets
from priscian.analysis.intervals import covered, set_credits, usual_resample
from priscian.analysis.named_results import words
from priscian.analysis.result import OVERALL
from priscian.analysis.vega import Figure
from priscian.errors import DataError
from priscian.runs import Result
from priscian.stats.bootstrap import Resample
from priscian.stats.interval import Interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

HOW: Mapping[Resample, str] = {
    "items": "Bonett and Price's, combined over sets",
    "sets": "Student's t over sets; that of a single set is Bonett and Price's",
}


@dataclass(frozen=True, slots=True)
class ClassDifference:
    """Model a minus model b on a class of sets, or overall."""

    a: str
    b: str
    name: str
    difference: float
    ci: Interval


def class_differences(results: Sequence[Result], method: str = "full") -> list[ClassDifference]:
    """Every two models on the same sentences, class by class and overall.

    The intervals cover what those of the scores do: other items, or of suites other suites too.
    """
    same = [r for r in results if r.hashes == results[0].hashes]
    if len(same) < 2:
        raise DataError("the models were scored on different sentences")
    classes: dict[str, list[str]] = {}
    credit = {r.label: set_credits(r, method) for r in same}
    for name in next(iter(credit.values())):
        classes.setdefault(same[0].narrowest(name) or "other", []).append(name)
    found: list[ClassDifference] = []
    for a, b in combinations(credit, 2):
        sets = {
            name: values - credit[b][name]
            for name, values in credit[a].items()
            if name in credit[b] and len(credit[b][name]) == len(values)
        }
        for name, members in {OVERALL: headline_sets(same[0], list(sets)), **classes}.items():
            changes = [sets[n] for n in members if n in sets]
            if changes:
                mean = math.fsum(float(c.mean()) for c in changes) / len(changes)
                covers = usual_resample(same[0], len(changes))
                found.append(ClassDifference(a, b, name, mean, class_interval(changes, covers)))
    return found


def baseline_figure(results: Sequence[Result], method: str = "full") -> Figure:
    """One chart for all pairs of models; the first is the baseline until another is chosen."""
    found = class_differences(results, method)
    models = list(dict.fromkeys(name for d in found for name in (d.a, d.b)))
    best = max((r for r in results if r.label in models[1:]), key=lambda r: r.overall).label
    rows = [
        {
            "a": d.a,
            "b": d.b,
            "name": d.name if d.name == OVERALL else words(d.name),
            "d": round(d.difference, 4),
            "l": round(d.ci[0], 4),
            "h": round(d.ci[1], 4),
        }
        for d in found
    ]
    order = [*sorted({str(row["name"]) for row in rows} - {OVERALL}), OVERALL]
    covers = usual_resample(results[0], len(results[0].summary.by_set()))
    caption = (
        f"Accuracy of one model minus that of the baseline on {results[0].data}, by class; choose "
        f"both below the chart. Lines are 95 % intervals of paired differences: {HOW[covers]}, so "
        f"they cover {covered(covers, results[0].summary.unit)}; coloured where they exclude 0, "
        "uncorrected for the number of classes."
    )
    x = {
        "type": "quantitative",
        "title": "accuracy minus that of the baseline",
        "axis": {"format": "+.0%"},
    }
    names = [*models, NO_CLEAR]
    looks = {c: {**look(c, names, "better"), "legend": None} for c in ("color", "shape")}
    y = {"field": "name", "type": "nominal", "sort": order, "title": None,
         "axis": {"labelLimit": 300, "grid": True}}  # fmt: skip
    called = {"low": "95 % interval from", "high": "95 % interval to"}
    chart = {
        "params": [
            {"name": "chosen", "value": best,
             "bind": {"input": "select", "options": models, "name": "Model "}},
            {"name": "baseline", "value": models[0],
             "bind": {"input": "select", "options": models, "name": "Baseline "}},
        ],
        "width": 420,
        "height": {"step": 24},
        "data": inline(rows),
        "transform": [
            {"filter": "(datum.a === chosen && datum.b === baseline)"
                       " || (datum.b === chosen && datum.a === baseline)"},
            {"calculate": "datum.a === chosen ? datum.d : -datum.d", "as": "difference"},
            {"calculate": "datum.a === chosen ? datum.l : -datum.h", "as": "low"},
            {"calculate": "datum.a === chosen ? datum.h : -datum.l", "as": "high"},
            {"calculate": f"datum.low > 0 ? chosen : datum.high < 0 ? baseline : '{NO_CLEAR}'",
             "as": "better"},
        ],
        "encoding": {
            "y": y,
            "color": looks["color"],
            "tooltip": tips("name", "difference:+.1%", "low:+.1%", "high:+.1%", "better",
                            called=called),
        },
        "layer": [
            {"mark": {"type": "rule", "strokeDash": [4, 3], "color": "#8a949a"},
             "encoding": {"x": {"datum": 0}, "y": None, "color": None}},
            {"mark": {"type": "rule", "strokeWidth": 2},
             "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}}},
            {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
             "encoding": {"x": {"field": "difference", **x}, "shape": looks["shape"]}},
        ],
    }  # fmt: skip
    return figure("differences", "Differences from a baseline", caption, chart, rows)
