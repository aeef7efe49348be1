"""The tree of phenomena that transfer to each other."""

from __future__ import annotations

from priscian.analysis.charts import figure, inline, tips
from priscian.analysis.named_results import words as readable
from priscian.analysis.transfer.clusters import Clusters
from priscian.analysis.transfer.transfer import Transfer
from priscian.analysis.vega import PALETTE, Chart, Figure, Row


def clusters_figure(found: Transfer, clusters: Clusters) -> Figure:
    """A dendrogram; the names are coloured by field of the taxonomy."""
    place = {name: float(at) for at, name in enumerate(clusters.order)}
    lines: list[Row] = []
    heights: dict[tuple[str, ...], float] = {(name,): 0.0 for name in clusters.order}
    middles: dict[tuple[str, ...], float] = {(name,): place[name] for name in clusters.order}
    for merge in clusters.merges:
        ends = [middles[side] for side in (merge.left, merge.right)]
        members = ", ".join(readable(name) for name in (*merge.left, *merge.right))
        for side, y in zip((merge.left, merge.right), ends, strict=True):
            lines.append(_line(heights[side], merge.distance, y, y, members))
        lines.append(_line(merge.distance, merge.distance, ends[0], ends[1], members))
        both = (*merge.left, *merge.right)
        heights[both], middles[both] = merge.distance, sum(ends) / 2
    names: list[Row] = [
        {"name": readable(n), "field": readable(found.fields[n]), "y": place[n], "x": 0.0}
        for n in clusters.order
    ]
    test = clusters.taxonomy
    caption = (
        "Phenomena that help each other (average linkage; the distance is 1 less the mean accuracy "
        "in both directions, of probes trained on equally many pairs and tested with other words). "
        f"Colours are fields of BLiMP's taxonomy. Mantel's test of transfer against fields: "
        f"r = {test.r:.2f}, p = {test.p:.2g} ({test.permutations:,} permutations)."
    )
    chart = _chart(lines, names, len(place))
    return figure("transfer-clusters", "Phenomena that go together", caption, chart, lines)


def _line(x: float, x2: float, y: float, y2: float, members: str) -> Row:
    return {"x": x, "x2": x2, "y": y, "y2": y2, "distance": x2, "members": members}


def _chart(lines: list[Row], names: list[Row], count: int) -> Chart:
    fields = sorted({str(row["field"]) for row in names})
    y = {
        "field": "y",
        "type": "quantitative",
        "axis": None,
        "scale": {"domain": [-0.6, count - 0.4], "nice": False, "reverse": True},
    }
    x = {
        "field": "x",
        "type": "quantitative",
        "title": "distance",
        "scale": {"zero": True},
        "axis": {"grid": False},
    }
    colour = {
        "field": "field",
        "type": "nominal",
        "title": "field",
        "scale": {"domain": fields, "range": list(PALETTE[: len(fields)])},
    }
    return {
        "width": 380,
        "height": max(90, 22 * count),
        "layer": [
            {
                "data": inline(lines),
                "mark": {"type": "rule", "strokeWidth": 1.5, "color": "#5c6b73"},
                "encoding": {
                    "x": x, "x2": {"field": "x2"}, "y": y, "y2": {"field": "y2"},
                    "tooltip": tips("members", "distance:.3f"),
                },
            },
            {
                "data": inline(names),
                "mark": {"type": "text", "align": "right", "dx": -6},
                "encoding": {
                    "x": x, "y": y, "color": colour, "text": {"field": "name", "type": "nominal"},
                },
            },
        ],
    }  # fmt: skip
