"""Figures of what was left out of training, and of how much training helps."""

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
from priscian.analysis.transfer.cells import Cell
from priscian.analysis.transfer.record import Learner, Trained, Words
from priscian.analysis.transfer.transfer import Transfer
from priscian.analysis.vega import PALETTE, Chart, Figure, Row

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


def left_out_figures(found: Transfer) -> list[Figure]:
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
    found: Transfer, trained: Trained, names: Sequence[str], name: str, title: str, caption: str
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


def _row(name: str, label: str, cell: Cell) -> Row:
    return {
        "name": readable(name),
        "model": label,
        "accuracy": cell.accuracy,
        "low": cell.ci[0],
        "high": cell.ci[1],
        "mcc": cell.mcc,
        "pairs": cell.pairs,
    }


def size_figure(found: Transfer) -> Figure:
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
    chart = _lines(rows, list(learners))
    return figure("transfer-size", "Transfer by number of training pairs", caption, chart, rows)


def _lines(rows: Sequence[Row], learners: Sequence[str]) -> Chart:
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
    return {
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
