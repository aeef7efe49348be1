"""ΔSG: how far architectures and corpus sizes lie from the mean, suite by suite.

Hu et al. (2020), Figures 3 and 4: the score of a trained model on a suite minus the mean of all
kinds of models on that suite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Annotated, Any, Literal

from msgspec import Struct, field

from priscian.analysis.charts import LANES, Encoding, colour, columns, dots, figure, tips
from priscian.analysis.result import AnalysisResult
from priscian.analysis.sg.released import Instance, InstanceScore, delta, means
from priscian.analysis.vega import Chart, Figure
from priscian.errors import DataError
from priscian.files import HIDDEN, INLINE, by
from priscian.stats.interval import Interval, student_t

Side = Literal["architecture", "size"]
TITLES: dict[Side, str] = {"architecture": "by architecture", "size": "by corpus size"}
SHADES = ("#a9c3d4", "#6f9dbb", "#3f789f", "#1d5a83", "#0a3f63", "#04283f")
"""Colours of sizes, from small to large."""
MEAN = "mean of all models"
INTERVALS = "Bars are Student's 95 % intervals over suites."


class Delta(Struct, frozen=True):
    """A mean difference over suites; Student's 95 % interval covers other suites."""

    by: Annotated[Side, HIDDEN]
    name: Annotated[str, HIDDEN]
    circuit: Annotated[str, HIDDEN]
    """Empty for all suites."""
    mean: float = field(name="delta")
    ci: Interval | None
    """None for a single suite."""
    suites: int


class DeltaOf(Struct, frozen=True):
    """An architecture or a size: by circuit, and over all suites."""

    by: Side
    name: str
    circuits: Annotated[tuple[Delta, ...], by("circuit")]
    whole: Annotated[Delta, INLINE]


class Deltas(AnalysisResult, frozen=True):
    """By architecture over the sizes that all have, by size over the architectures with all."""

    groups: Annotated[tuple[DeltaOf, ...], by("by", "name"), INLINE]
    sizes: Annotated[tuple[str, ...], HIDDEN]
    """Sizes that the architectures are compared on."""
    architectures: Annotated[tuple[str, ...], HIDDEN]
    """Architectures that the sizes are compared on."""
    left_out: Annotated[tuple[str, ...], HIDDEN] = ()
    """Comparisons that have no full grid, and why."""

    @property
    def rows(self) -> tuple[Delta, ...]:
        """All differences: architectures first, all suites before circuits."""
        every = [row for group in self.groups for row in (group.whole, *group.circuits)]
        return tuple(sorted(every, key=lambda row: (row.by, row.circuit)))

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Figures 3 and 4."""
        circuits = {row.circuit for row in self.rows if row.circuit}
        whole = _whole_figure(self)
        return (whole, _circuits_figure(self)) if len(circuits) > 1 else (whole,)


def analyse_deltas(scores: Sequence[InstanceScore], sizes: Sequence[str]) -> Deltas:
    """ΔSG of models whose instance names an architecture, a size and a seed.

    `sizes` are the names of the corpora from small to large. A kind of model without some of the
    sizes would shift the mean of the others, so each comparison uses a full grid, in which every
    cell counts once, whatever its number of seeds.
    """
    cells = {(s.instance.model, s.instance.corpus) for s in scores}
    kinds = list(dict.fromkeys(s.instance.model for s in scores))
    if len(cells) < 2:
        raise DataError("a difference from the mean needs two kinds of models or sizes or more")
    common = [z for z in sizes if all((kind, z) in cells for kind in kinds)]
    full = [k for k in kinds if all((k, z) in cells for z in sizes)]
    groups: list[DeltaOf] = []
    left_out: list[str] = []
    if len(kinds) > 1 and common:
        groups += _deltas("architecture", [s for s in scores if s.instance.corpus in common], kinds)
    elif len(kinds) > 1:
        left_out.append(f"architectures are not compared: {', '.join(kinds)} have no common size")
    if len(sizes) > 1 and full:
        groups += _deltas("size", [s for s in scores if s.instance.model in full], sizes)
    elif len(sizes) > 1:
        left_out.append(
            f"sizes are not compared: no kind of model has all of {', '.join(sizes)} yet"
        )
    if not groups:
        raise DataError("; ".join(left_out))
    return Deltas(tuple(groups), tuple(common), tuple(full), tuple(left_out))


def _deltas(side: Side, scores: Sequence[InstanceScore], names: Sequence[str]) -> list[DeltaOf]:
    # the mean over seeds of every kind of model with every size, suite by suite
    cells = means(((s.instance.model, s.instance.corpus, s.suite), s.score) for s in scores)
    circuits = {s.suite: s.circuit for s in scores}
    made = delta(
        InstanceScore(Instance(model, size, ""), suite, score, circuits[suite])
        for (model, size, suite), score in cells.items()
    )

    def mean(name: str, circuit: str, own: Sequence[InstanceScore]) -> Delta:
        values = list(means((s.suite, s.score) for s in own).values())
        middle, n = fmean(values), len(values)
        ci = None
        if n > 1:
            half = student_t(n - 1) * stdev(values) / math.sqrt(n)
            ci = (max(-1.0, middle - half), min(1.0, middle + half))
        return Delta(side, name, circuit, middle, ci, n)

    found = []
    for name in names:
        own = [
            s
            for s in made
            if name == (s.instance.model if side == "architecture" else s.instance.corpus)
        ]
        if not own:
            continue
        of_circuit = {c: [s for s in own if s.circuit == c] for c in sorted({*circuits.values()})}
        parts = tuple(mean(name, c, part) for c, part in of_circuit.items() if c and part)
        found.append(DeltaOf(side, name, parts, mean(name, "", own)))
    return found


def _whole_figure(found: Deltas) -> Figure:
    """ΔSG over all suites, as in Figure 3 of Hu et al. (2020)."""
    whole = [row for row in found.rows if not row.circuit]
    y = {**_axis(whole), "title": "ΔSG"}
    panels: list[Chart] = []
    for side in _present(whole):
        own = [row for row in whole if row.by == side]
        names = [row.name for row in own]
        x = {
            "field": "name",
            "type": "nominal",
            "sort": names,
            "title": None,
            "axis": {"labelAngle": 0 if side == "size" else -30},
        }
        shared = {
            "x": x,
            "color": {**_colour(side, names), "legend": None},
            "tooltip": tips("name", "delta:+.3f", "low:+.3f", "high:+.3f", "suites:,"),
        }
        panels.append(
            columns(
                [row | {"model": row["name"]} for row in _rows(own)],
                y,
                shared,
                title=TITLES[side],
                line=MEAN,
                size=(46 * max(3, len(names)), 240),
                point=90,
                at=0.0,
            )
        )
    caption = (
        "Score of each suite minus the mean of all kinds of models on it, averaged over "
        f"{max(r.suites for r in whole)} suites. {_grid(found)} {INTERVALS}"
    )
    chart: Chart = {
        "hconcat": panels,
        "spacing": 50,
        "resolve": {"scale": {"color": "independent"}},
    }
    return figure("delta-sg", "ΔSG by architecture and by size", caption, chart, _rows(whole))


def _circuits_figure(found: Deltas) -> Figure:
    """ΔSG by circuit, as in Figure 4 of Hu et al. (2020)."""
    parts = [row for row in found.rows if row.circuit]
    circuits = list(dict.fromkeys(row.circuit for row in parts))
    x = {**_axis(parts), "title": "ΔSG"}
    panels: list[Chart] = []
    for side in _present(parts):
        own = [row for row in parts if row.by == side]
        names = list(dict.fromkeys(row.name for row in own))
        rows = [r | {"model": r["name"], "name": r["circuit"]} for r in _rows(own)]
        tooltip = tips("model", "name", "delta:+.3f", "low:+.3f", "high:+.3f", "suites:,")
        chart = dots(rows, names, circuits, x, tooltip, line=(0.0, MEAN))
        for layer in chart["layer"][1:]:
            layer["encoding"]["color"] = _colour(side, names)
        # each panel names its rows: on a page, one may stand below the other
        panels.append({**chart, "title": TITLES[side], "width": 240})
    height = max(panel["height"] for panel in panels)
    panels = [{**panel, "height": height} for panel in panels]
    caption = (
        "Score of each suite minus the mean of all kinds of models on it, averaged over the suites "
        f"of a circuit. {_grid(found)} {INTERVALS}"
    )
    chart = {
        "hconcat": panels,
        "spacing": 20,
        "resolve": {"scale": {**LANES["scale"], "color": "independent", "shape": "independent"}},
    }
    return figure("delta-sg-by-circuit", "ΔSG by circuit", caption, chart, _rows(parts))


def _present(rows: Sequence[Delta]) -> list[Side]:
    return [side for side in TITLES if any(row.by == side for row in rows)]


def _colour(side: Side, names: Sequence[str]) -> Encoding:
    """Architectures have the colours that they have everywhere, sizes get darker."""
    made = colour(names)
    if side == "architecture":
        return made
    shades = SHADES[-len(names) :] if len(names) > 3 else SHADES[1::2]
    return {**made, "scale": {"domain": list(names), "range": list(shades)}}


def _grid(found: Deltas) -> str:
    def listed(names: Sequence[str]) -> str:
        return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"

    said = {
        "architecture": f"architectures are compared at {listed(found.sizes)}",
        "size": f"sizes are compared with {listed(found.architectures)}",
    }
    text = "; ".join(said[side] for side in _present(found.rows))
    return f"{text[:1].upper()}{text[1:]}."


def _rows(deltas: Sequence[Delta]) -> list[dict[str, Any]]:
    return [
        {
            "by": d.by,
            "circuit": d.circuit,
            "name": d.name,
            "delta": d.mean,
            "low": d.ci[0] if d.ci else None,
            "high": d.ci[1] if d.ci else None,
            "suites": d.suites,
        }
        for d in deltas
    ]


def _axis(deltas: Sequence[Delta]) -> Encoding:
    values = [abs(v) for d in deltas for v in (d.mean, *(d.ci or ()))]
    most = min(1.0, max([*values, 0.05]) * 1.05)
    return {
        "field": "delta",
        "type": "quantitative",
        "axis": {"format": "+.2~f"},
        "scale": {"domain": [-most, most], "nice": False},
    }
