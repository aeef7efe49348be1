"""The heat map as a figure for a paper: models by phenomenon or circuit, with the numbers."""

from __future__ import annotations

from priscian.analysis.charts import inline, tips
from priscian.analysis.paper import TURNS
from priscian.analysis.vega import SCHEMA, Chart, Figure, Row
from priscian.reporting.boards import Board, Cell, class_label
from priscian.reporting.boards import Row as BoardRow

OVERALL = "Overall"
SHADES = ("#ad4a17", "#e2955f", "#f5d2b4", "#efece4", "#d6e6ec", "#abd0de", "#74b3ca", "#1f7799",
          "#0a5373")  # fmt: skip
"""From far below chance over chance to perfect, as on the page."""
DARK = (0, 7, 8)
"""Shades that white text is written on."""


def heat_figure(board: Board) -> Figure:
    """Per cent right of every row of a board, overall and by class."""
    columns = {"": OVERALL, **{name: class_label(name) for name in board.columns}}
    rows = [
        _row(row, shown, cell)
        for row in board.rows
        for name, shown in columns.items()
        if (cell := row.classes.get(name) if name else row.overall) is not None
    ]
    caption = f"Per cent right on {board.heading}: {board.size}. Colours count from chance"
    if any(row["shown"] == "tied" for row in rows):
        caption += "; tied: more than half of the items tie, so there is no verdict"
    if any(row.published for row in board.rows):
        caption += "; * published figures on BLiMP's own sentences"
    caption += "."
    chart = _chart(rows, list(columns.values()), [row.label for row in board.rows])
    return Figure(f"{board.id}-heat-map", f"Heat map, {board.heading}", caption, chart, rows)


def _row(row: BoardRow, column: str, cell: Cell) -> Row:
    return {
        "model": row.label,
        "column": column,
        "shown": "tied" if cell.tied else cell.shown,
        "accuracy": cell.accuracy,
        "low": cell.ci[0] if cell.ci else None,
        "high": cell.ci[1] if cell.ci else None,
        "n": cell.n,
        "ties": cell.ties,
        "shade": cell.shade,
    }


def _chart(rows: list[Row], columns: list[str], models: list[str]) -> Chart:
    names = {"type": "nominal", "title": None}
    axis = {"labelLimit": 300, "domain": False, "ticks": False}
    shade = {
        "field": "shade",
        "type": "ordinal",
        "legend": None,
        "scale": {"domain": list(range(len(SHADES))), "range": list(SHADES)},
    }
    white = " || ".join(f"datum.shade === {n}" for n in DARK)
    return {
        "$schema": SCHEMA,
        "usermeta": {TURNS: len(columns) > len(models)},
        "width": {"step": 40},
        "height": {"step": 24},
        "data": inline(rows),
        "encoding": {
            "x": {"field": "column", "sort": columns, **names,
                  "axis": {**axis, "orient": "top", "labelAngle": -45}},
            "y": {"field": "model", "sort": models, **names, "axis": axis},
            "tooltip": tips("model", "column", "accuracy:.1%", "low:.1%", "high:.1%", "n:,",
                            "ties:,"),
        },
        "layer": [
            {"mark": {"type": "rect", "stroke": "white"}, "encoding": {"color": shade}},
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    "text": {"field": "shown", "type": "nominal"},
                    "color": {"condition": {"test": white, "value": "white"}, "value": "#1d1c1a"},
                },
            },
        ],
    }  # fmt: skip
