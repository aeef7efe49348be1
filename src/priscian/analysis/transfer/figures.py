"""Figures of transfer: heat maps, what was left out, size curve, asymmetry, clusters."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.analysis.charts import (
    CHANCE,
    dots,
    figure,
    inline,
    line_at,
    share,
    share_domain,
    tips,
)
from priscian.analysis.named_results import words as readable
from priscian.analysis.transfer.cells import Clusters, TransferCell, TransferCells
from priscian.analysis.transfer.record import Learner, Trained, Words
from priscian.analysis.vega import PALETTE, Chart, Figure, Row

PANELS: tuple[tuple[str, Learner, Words], ...] = (
    ("other words", "probe", "other"),
    ("equal sizes", "equal", "same"),
    ("bag of n-grams", "bag", "same"),
    ("shuffled labels", "shuffled", "same"),
)
"""The controls: what is changed, the classifier, the words of the test pairs."""
STEP = {"whole": 36, "panel": 20}
SHOWN: tuple[tuple[str, Learner, Words], ...] = (
    ("probe", "probe", "same"),
    ("probe, other words", "probe", "other"),
    ("probe, equal sizes", "equal", "same"),
    ("bag of n-grams", "bag", "same"),
    ("shuffled labels", "shuffled", "same"),
)
OWN = "the model itself"
TESTED = ("the training phenomenon", "the phenomenon left out")
INTERVALS = (
    "Bars are 95 % intervals over the paradigms of a phenomenon, or over pairs where there is one."
)


def transfer_figures(found: TransferCells) -> tuple[Figure, ...]:
    """Every figure; clusters need three phenomena."""
    figures = [matrix_figure(found), controls_figure(found), *left_out_figures(found)]
    figures += [size_figure(found), asymmetry_figure(found)]
    clusters = found.clusters
    if clusters is not None:
        figures.append(clusters_figure(found, clusters))
    return tuple(figures)


def how_made(found: TransferCells) -> str:
    """How the classifiers were trained, for captions."""
    record = found.record
    return (
        f"Probes on layer and pooling {record.view} of {record.encoder}, {record.pairs} training "
        f"and {record.test_pairs} test pairs of each paradigm, with seeds {record.seed} and "
        f"{record.test_seed}."
    )


def matrix_figure(found: TransferCells) -> Figure:
    """The heat map: rows are trained on, columns are tested on."""
    rows = _cells(found, "probe", "same")
    caption = (
        "Accuracy on test pairs in per cent: rows are the phenomenon that was trained on, columns "
        "the one that was tested; 50 is chance, and less means that what was learned points the "
        "wrong way. A dot marks cells between phenomena whose 95 % interval (over the paradigms of "
        f"the column) is above both shuffled labels and the bag of n-grams. {how_made(found)}"
    )
    order = [readable(name) for name in found.phenomena]
    chart = _square(rows, order, STEP["whole"], text=True)
    return figure("transfer", "Transfer between phenomena", caption, chart, rows)


def controls_figure(found: TransferCells) -> Figure:
    """The same heat map under every control, in small."""
    rows: list[Row] = []
    panels = []
    order = [readable(name) for name in found.phenomena]
    for title, learner, words in PANELS:
        own = [{"control": title, **row} for row in _cells(found, learner, words)]
        rows += own
        panels.append({"title": title, **_square(own, order, STEP["panel"], text=False)})
    chart: Chart = {
        "vconcat": [{"hconcat": panels[:2]}, {"hconcat": panels[2:]}],
        "resolve": {"scale": {"color": "shared"}},
    }
    caption = (
        "The same cells with other words: test pairs share no content lemma with the training "
        "pairs; with equal sizes: every training phenomenon has as many pairs as the smallest; of "
        "a bag of n-grams instead of a probe; and of a probe whose training pairs have their "
        f"labels swapped at random. Means of {found.record.draws} draws where pairs or swaps are "
        "drawn."
    )
    return figure("transfer-controls", "Transfer: controls", caption, chart, rows)


def left_out_figures(found: TransferCells) -> list[Figure]:
    """Every phenomenon, then every paradigm, by classifiers that were trained on all others."""
    phenomena = list(found.phenomena)
    paradigms = [place.uid for place in found.record.paradigms]
    key = {uid: found.left_out(uid, trained="without_paradigm").accuracy for uid in paradigms}
    return [
        _dots(
            found, "without_phenomenon", phenomena, "transfer-left-out",
            "Phenomena that were left out of training",
            "Accuracy on the test pairs of a phenomenon, by classifiers that were trained on all "
            "other phenomena, beside every control",
        ),
        _dots(
            found, "without_paradigm", sorted(paradigms, key=lambda uid: -key[uid]),
            "transfer-left-out-paradigms", "Paradigms that were left out of training",
            "The same for every paradigm, by classifiers that were trained on all other paradigms",
        ),
    ]  # fmt: skip


def _dots(
    found: TransferCells,
    trained: Trained,
    names: Sequence[str],
    name: str,
    title: str,
    caption: str,
) -> Figure:
    rows: list[Row] = []
    for uid in names:
        for label, learner, words in SHOWN:
            rows.append(_row(uid, label, found.left_out(uid, learner, words, trained=trained)))
        own = found.own(uid)
        if own is not None:
            rows.append(_row(uid, OWN, own))
    shown = list(dict.fromkeys(str(row["model"]) for row in rows))
    domain = share_domain([row["low"] for row in rows])
    x = share("accuracy", "accuracy on test pairs", domain)
    tooltip = tips("name", "model", "accuracy:.1%", "low:.1%", "high:.1%", "mcc:.2f",
                   called={"model": "classifier"})  # fmt: skip
    own_line = f"; {OWN} is {found.record.model}, untrained" if OWN in shown else ""
    order = [readable(uid) for uid in names]
    chart = dots(rows, shown, order, x, tooltip, line=(CHANCE, "chance"))
    return figure(name, title, f"{caption}{own_line}. {INTERVALS}", chart, rows)


def _row(name: str, label: str, cell: TransferCell) -> Row:
    return {
        "name": readable(name),
        "model": label,
        "accuracy": cell.accuracy,
        "low": cell.ci[0],
        "high": cell.ci[1],
        "mcc": cell.mcc,
        "pairs": cell.pairs,
    }


def size_figure(found: TransferCells) -> Figure:
    """Accuracy by number of training pairs, on the training phenomenon and on one left out."""
    learners: dict[str, Learner] = {
        "probe": "probe", "bag of n-grams": "bag", "shuffled labels": "shuffled"
    }  # fmt: skip
    rows: list[Row] = [
        {
            "classifier": label,
            "tested": TESTED[0] if within else TESTED[1],
            "pairs": size,
            "accuracy": cell.accuracy,
            "low": cell.ci[0],
            "high": cell.ci[1],
            "mcc": cell.mcc,
        }
        for label, learner in learners.items()
        for within in (True, False)
        for size, cell in found.curve(within, learner).items()
    ]
    caption = (
        "Accuracy by number of training pairs of each paradigm, a mean over all paradigms: tested "
        "on new pairs of the training phenomenon, and, after training on all others, on the "
        "phenomenon left out. Bands are 95 % intervals over paradigms."
    )
    y = share("accuracy", "accuracy on test pairs", share_domain([r["low"] for r in rows]))
    sizes = sorted({int(str(row["pairs"])) for row in rows})
    x = {
        "field": "pairs",
        "type": "quantitative",
        "title": "training pairs of each paradigm",
        "scale": {"type": "log", "base": 2, "nice": False},
        "axis": {"values": sizes, "format": ",d"},
    }
    colour = {
        "field": "classifier",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(learners), "range": list(PALETTE[: len(learners)])},
        "legend": {"symbolOpacity": 1, "symbolType": "circle"},
    }
    tested = {
        "field": "tested",
        "type": "nominal",
        "title": "tested on",
        "scale": {"domain": list(TESTED), "range": [[1, 0], [5, 4]]},
        "legend": {"symbolType": "stroke", "symbolSize": 400, "labelLimit": 260},
    }
    chart: Chart = {
        "width": 420,
        "height": 260,
        "data": inline(rows),
        "layer": [
            line_at("y", CHANCE, "chance", y),
            {
                "mark": {"type": "area", "opacity": 0.15},
                "encoding": {
                    "x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour,
                    "detail": tested,
                },
            },
            {
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {
                    "x": x, "y": y, "color": colour, "strokeDash": tested,
                    "tooltip": tips("classifier", "tested", "pairs:,", "accuracy:.1%", "low:.1%",
                                    "high:.1%", "mcc:.2f"),
                },
            },
        ],
    }  # fmt: skip
    return figure("transfer-size", "Transfer by number of training pairs", caption, chart, rows)


def asymmetry_figure(found: TransferCells) -> Figure:
    """The difference of the two directions, as an antisymmetric heat map."""
    gaps = {(a.source, a.target): a for a in found.asymmetries}
    rows: list[Row] = []
    for one in found.phenomena:
        for other in found.phenomena:
            if one == other:
                continue
            sign = 1 if (one, other) in gaps else -1
            gap = gaps.get((one, other)) or gaps[other, one]
            low, high = sorted((sign * gap.ci[0], sign * gap.ci[1]))
            rows.append(
                {
                    "trained": readable(one),
                    "tested": readable(other),
                    "difference": sign * gap.difference,
                    "low": low,
                    "high": high,
                    "shown": f"{round(100 * sign * gap.difference):+d}" + ("•" if low > 0 else ""),
                }
            )
    order = [readable(name) for name in found.phenomena]
    colour = {
        "field": "difference",
        "type": "quantitative",
        "title": "points",
        "scale": {"scheme": "blueorange", "domain": [-0.6, 0.6], "reverse": True, "clamp": True},
        "legend": {"format": "+.0%"},
    }
    chart = _grid(rows, order, STEP["whole"], colour, "abs(datum.difference) > 0.4")
    chart["encoding"]["tooltip"] = tips("trained", "tested", "difference:+.1%", "low:+.1%",
                                        "high:+.1%")  # fmt: skip
    caption = (
        "Accuracy from row to column less that from column to row, in points, of probes that were "
        "trained on equally many pairs. A dot marks differences whose 95 % interval is above 0. "
        "A row of high values helps others more than they help it."
    )
    return figure("transfer-asymmetry", "Asymmetry of transfer", caption, chart, rows)


def _cells(found: TransferCells, learner: Learner, words: Words) -> list[Row]:
    rows: list[Row] = []
    for one in found.phenomena:
        for other in found.phenomena:
            cell = found.cell(one, other, learner, words)
            marked = learner == "probe" and one != other and found.is_above(one, other, words)
            rows.append(
                {
                    "trained": readable(one),
                    "tested": readable(other),
                    "accuracy": cell.accuracy,
                    "low": cell.ci[0],
                    "high": cell.ci[1],
                    "mcc": cell.mcc,
                    "pairs": cell.pairs,
                    "shown": f"{100 * cell.accuracy:.0f}" + ("•" if marked else ""),
                }
            )
    return rows


def _square(rows: Sequence[Row], order: Sequence[str], step: int, *, text: bool) -> Chart:
    colour = {
        "field": "accuracy",
        "type": "quantitative",
        "title": "accuracy",
        "scale": {"scheme": "blueorange", "domain": [0, 1], "reverse": True},
        "legend": {"format": "%"},
    }
    chart = _grid(rows, order, step, colour, "abs(datum.accuracy - 0.5) > 0.35", text=text)
    chart["encoding"]["tooltip"] = tips(
        "trained", "tested", "accuracy:.1%", "low:.1%", "high:.1%", "mcc:.2f", "pairs:,"
    )
    return chart


def _grid(
    rows: Sequence[Row],
    order: Sequence[str],
    step: int,
    colour: Chart,
    dark: str,
    *,
    text: bool = True,
) -> Chart:
    axis = {"labelLimit": 220, "domain": False, "ticks": False}
    names = {"type": "nominal", "sort": list(order)}
    layers: list[Chart] = [
        {"mark": {"type": "rect", "stroke": "white"}, "encoding": {"color": colour}}
    ]
    if text:
        ink = {"condition": {"test": dark, "value": "white"}, "value": "#1d1c1a"}
        layers.append(
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {"text": {"field": "shown", "type": "nominal"}, "color": ink},
            }
        )
    return {
        "width": {"step": step},
        "height": {"step": step * 2 // 3 if text else step},
        "data": inline(rows),
        "encoding": {
            "x": {
                "field": "tested", **names, "title": "tested on",
                "axis": {**axis, "orient": "top", "labelAngle": -45},
            },
            "y": {"field": "trained", **names, "title": "trained on", "axis": axis},
        },
        "layer": layers,
    }  # fmt: skip


def clusters_figure(found: TransferCells, clusters: Clusters) -> Figure:
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
