"""Figures for papers: they fit a column, have no title, and LaTeX has their captions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from priscian.analysis.charts import dots, figure, inline, share, tips
from priscian.analysis.paper import LEGIBLE, PAPERS, figure_tex, fit, style
from priscian.analysis.vega import Chart, Figure, drawn_width, write_figures
from priscian.errors import UnknownNameError
from priscian.reporting.boards import Board, BoardRow, Cell, heat_figure

NAMES = ["determiner_noun_agreement_with_adjective_irregular_2", "npi_licensing", "ellipsis"]


def lanes() -> Figure:
    """Names from top to bottom, two models, a title in the chart."""
    rows = [
        {"model": m, "name": n, "accuracy": 0.7, "low": 0.6, "high": 0.8}
        for n in NAMES
        for m in ("one", "two")
    ]
    x = share("accuracy", "share of items that the model has right, of all items", [0, 1])
    return figure(
        "lanes", "A title", "A caption.", dots(rows, ["one", "two"], NAMES, x, tips("name")), rows
    )


def panel(title: str) -> Chart:
    return {
        "title": title, "width": 320, "height": 200, "mark": "point",
        "data": inline([{"a": 1, "b": 2}]),
        "encoding": {"x": {"field": "a", "type": "quantitative"},
                     "y": {"field": "b", "type": "quantitative"}},
    }  # fmt: skip


PANELS: dict[str, Chart] = {
    "concat": {"columns": 2, "concat": [panel("a"), panel("b"), panel("c")]},
    "hconcat": {"hconcat": [panel("a"), panel("b")]},
    "vconcat": {"vconcat": [panel("a"), panel("b")]},
    "facet": {
        "data": inline([{"a": 1, "b": 2, "m": m} for m in "xy"]),
        "facet": {"column": {"field": "m", "type": "nominal"}},
        "spec": {k: v for k, v in panel("").items() if k not in ("data", "title")},
    },
}


def heat(models: int, classes: int) -> Figure:
    names = {f"class_number_{k}": (f"set_{k}",) for k in range(classes)}
    cells = {name: Cell(0.9, 0.5, (0.8, 0.95), 100, 0) for name in names}
    rows = tuple(
        BoardRow(f"model {k}", False, cells["class_number_0"], cells, {}) for k in range(models)
    )
    return heat_figure(
        Board("b1", "pairs", "x", "Pairs", "x", "9", "set", "set", names, rows, (), ())
    )


@pytest.mark.parametrize("place", sorted(PAPERS))
@pytest.mark.parametrize("kind", ["lanes", "heat", *PANELS])
def test_a_figure_fits_its_place(kind: str, place: str) -> None:
    charts = {"lanes": lanes().chart, "heat": heat(3, 12).chart, **PANELS}
    paper = PAPERS[place]
    made = fit(charts[kind], paper, drawn_width)
    width = drawn_width(made, style(paper))
    assert 0.4 * paper.width < width <= paper.width


def sizes(part: Any) -> set[float]:
    """Every size of letters in a chart."""
    if isinstance(part, list):
        return {size for each in part for size in sizes(each)}
    if not isinstance(part, dict):
        return set()
    own = {v for k, v in part.items() if k.lower().endswith("fontsize")}
    return own | {size for k, v in part.items() if k != "data" for size in sizes(v)}


def test_letters_are_not_smaller_than_seven_points() -> None:
    paper = PAPERS["one-column"]
    assert LEGIBLE == 7
    assert min(sizes(style(paper))) == 7
    assert sizes(fit(heat(3, 12).chart, paper, drawn_width)) == {7}


def test_a_wide_heat_map_stands_on_its_side_in_one_column() -> None:
    chart = heat(3, 12).chart
    narrow, wide = (
        fit(chart, PAPERS[p], drawn_width)["encoding"] for p in ("one-column", "two-column")
    )
    assert (narrow["x"]["field"], narrow["y"]["field"]) == ("model", "column")
    assert (wide["x"]["field"], wide["y"]["field"]) == ("column", "model")


@pytest.mark.parametrize("paper", ["", "one-column"])
def test_files_have_no_title_and_captions_are_beside_them(tmp_path: Path, paper: str) -> None:
    written = write_figures([lanes()], tmp_path, ("svg",), paper)
    assert [path.name for path in written] == ["lanes.svg", "lanes.csv", "figures.tex"]
    assert "A title" not in written[0].read_text("utf-8")
    captions = written[-1].read_text("utf-8")
    assert r"\includegraphics[width=\columnwidth]{lanes}" in captions
    assert r"\caption{A title. A caption.}" in captions
    assert r"\label{fig:lanes}" in captions


def test_a_caption_is_escaped_and_knows_its_place() -> None:
    made = figure_tex("b1-heat", "50 % & more", "n_1 – 2", PAPERS["two-column"])
    assert made.startswith(r"\begin{figure*}[t]")
    assert r"\caption{50 \% \& more. n\_1 -- 2}" in made


def test_another_width_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean two-column"):
        write_figures([lanes()], tmp_path, ("svg",), "three-column")
