"""Figures of transfer: heat maps, what was left out, size curve, asymmetry, clusters."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.analysis.charts import figure, inline, tips
from priscian.analysis.named_results import words as readable
from priscian.analysis.transfer.clusters_figure import clusters_figure
from priscian.analysis.transfer.left_out_figure import left_out_figures, size_figure
from priscian.analysis.transfer.record import Learner, Words
from priscian.analysis.transfer.transfer import Transfer
from priscian.analysis.vega import Chart, Figure, Row

PANELS: tuple[tuple[str, Learner, Words], ...] = (
    ("other words", "probe", "other"),
    ("equal sizes", "equal", "same"),
    ("bag of n-grams", "bag", "same"),
    ("shuffled labels", "shuffled", "same"),
)
"""The controls: what is changed, the classifier, the words of the test pairs."""
STEP = {"whole": 36, "panel": 20}


def transfer_figures(found: Transfer) -> tuple[Figure, ...]:
    """Every figure; clusters need three phenomena."""
    figures = [matrix_figure(found), controls_figure(found), *left_out_figures(found)]
    figures += [size_figure(found), asymmetry_figure(found)]
    clusters = found.clusters
    if clusters is not None:
        figures.append(clusters_figure(found, clusters))
    return tuple(figures)


def how_made(found: Transfer) -> str:
    """How the classifiers were trained, for captions."""
    record = found.record
    return (
        f"Probes on layer and pooling {record.view} of {record.encoder}, {record.pairs} training "
        f"and {record.test_pairs} test pairs of each paradigm, with seeds {record.seed} and "
        f"{record.test_seed}."
    )


def matrix_figure(found: Transfer) -> Figure:
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


def controls_figure(found: Transfer) -> Figure:
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


def asymmetry_figure(found: Transfer) -> Figure:
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


def _cells(found: Transfer, learner: Learner, words: Words) -> list[Row]:
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
