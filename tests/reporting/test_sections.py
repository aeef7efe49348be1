"""Report sections: one file each, found by a decorator, drawn in their order."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest

from priscian.analysis.charts import FIELDS
from priscian.analysis.registry import analysis_sections
from priscian.analysis.vega import Figure
from priscian.errors import DataError
from priscian.reporting import sections
from priscian.reporting.boards import Board, make_boards
from priscian.reporting.sections import (
    SECTIONS,
    Draw,
    ReportData,
    board_section,
    make_sections,
    page_section,
)
from tests.small_results import pairs_result, suites_result

A = {"wh_island": [1, 1, 0, 0], "passive_1": [1, 1, 1, 0]}
B = {"wh_island": [1, 0, 1, 1], "passive_1": [1, 1, 1, 0]}


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is gone afterwards."""
    monkeypatch.setattr(SECTIONS, "entries", SECTIONS.all())
    return


def figure(name: str) -> Figure:
    return Figure(name, name, "", {"mark": "point"}, [{"x": 1}])


def boards() -> list[Board]:
    return make_boards([pairs_result("a", A), pairs_result("b", B)])


def test_every_module_of_the_package_has_sections() -> None:
    modules = {f"{sections.__name__}.{m.name}" for m in pkgutil.iter_modules(sections.__path__)}
    assert {entry.draws.__module__ for entry in SECTIONS.all().values()} == modules
    own = len(analysis_sections())
    assert len(SECTIONS.all()) == 6 + 4 + 1 + own  # of boards, of the page, curves


def test_analyses_bring_sections_of_their_own() -> None:
    titles = {entry.section.title for entry in analysis_sections() if entry.section}
    assert {"methods", "Is the score on the public set inflated?"} <= titles <= set(SECTIONS.all())


def test_pairs_are_drawn_in_the_order_of_the_page() -> None:
    (section,) = make_sections(boards())
    assert [f.name for f in section.figures] == [
        "accuracy-by-field", "accuracy-by-phenomenon", "accuracy-by-paradigm", "differences",
    ]  # fmt: skip
    assert [line.split(":")[0] for line in section.left_out] == [
        "correlations", "distance", "methods", "shallow predictors",
    ]  # fmt: skip
    assert "shallow predictors: 8 items are too few; score 30 or more" in section.left_out


def test_a_model_has_one_colour_and_one_shape_in_all_figures() -> None:
    results = [pairs_result(name, A if name == "a" else B) for name in ("a", "b", "c", "d")]
    (section,) = make_sections(make_boards(results))
    seen: dict[tuple[str, str], set[str]] = {}

    def note(part: Any, channel: str = "") -> None:
        if isinstance(part, list):
            for value in part:
                note(value)
        elif isinstance(part, dict):
            if part.get("field") in FIELDS and "domain" in part.get("scale", {}):
                scale = part["scale"]
                for name, look in zip(scale["domain"], scale["range"], strict=True):
                    seen.setdefault((channel, name), set()).add(str(look))
            for key, value in part.items():
                note(value, key)

    for drawn in section.figures:
        note(drawn.chart)
    assert {len(found) for found in seen.values()} == {1}
    shapes = {name: next(iter(found)) for (c, name), found in seen.items() if c == "shape"}
    assert len({shapes[name] for name in "abcd"}) == 4


@pytest.mark.parametrize("count", [2, 4])
def test_no_interval_has_points_of_its_own(count: int) -> None:
    """Vega-Lite puts a point at the beginning of a line or rule that has a shape."""
    results = [pairs_result(name, A if name == "a" else B) for name in "abcd"[:count]]
    (section,) = make_sections(make_boards(results))

    def shaped(part: Any, shape: Any = None) -> bool:
        shape = part.get("encoding", {}).get("shape", shape)
        mark = part.get("mark", {}).get("type")
        if mark in ("rule", "line", "area") and shape is not None:
            return True
        inner = [p for k in ("layer", "concat", "hconcat", "vconcat") for p in part.get(k, ())]
        return any(shaped(p, shape) for p in inner)

    assert [f.name for f in section.figures if shaped(f.chart)] == []


def test_tooltips_name_fields_in_words() -> None:
    (section,) = make_sections(boards())
    raw = {"a", "b", "low", "high", "p_holm", "only_a", "only_b", "label", "n"}

    def titles(part: Any) -> list[str]:
        if isinstance(part, list):
            return [t for value in part for t in titles(value)]
        if not isinstance(part, dict):
            return []
        own = [t.get("title", t["field"]) for t in part.get("tooltip") or []]
        return own + [t for value in part.values() for t in titles(value)]

    shown = {t for drawn in section.figures for t in titles(drawn.chart)}
    assert not {t for t in shown if t in raw or "_" in t}
    assert "a better, items" in shown


def test_suites_have_sections_of_their_own() -> None:
    made = make_boards(
        [suites_result("a", {"cleft": [1, 0]}), suites_result("b", {"cleft": [1, 1]})]
    )
    (section,) = make_sections(made)
    names = [f.name for f in section.figures]
    assert names[:2] == ["sg-by-circuit", "sg-by-suite"]
    assert "differences" in names


@pytest.mark.usefixtures("catalogue")
def test_a_new_section_needs_only_its_decorator() -> None:
    @board_section("extra", kinds={"pairs"}, place=5)
    def extra(board: Board, given: ReportData) -> list[Draw]:
        def fail() -> list[Figure]:
            raise DataError("nothing to draw")

        return [Draw("one", lambda: [figure("first")]), Draw("none", fail)]

    @page_section("Last", place=200)
    def last(given: ReportData) -> list[Draw]:
        return [Draw("all", lambda: [figure("last")])]

    first, page = make_sections(boards())
    assert first.figures[0].name == "first"
    assert "none: nothing to draw" in first.left_out
    assert (page.title, [f.name for f in page.figures]) == ("Last", ["last"])


@pytest.mark.usefixtures("catalogue")
def test_a_figure_without_rows_is_left_out_with_the_reason() -> None:
    @board_section("extra", kinds={"pairs"}, place=5)
    def extra(board: Board, given: ReportData) -> list[Draw]:
        return [Draw("one", lambda: [Figure("none", "None at all", "", {"mark": "point"}, [])])]

    (section,) = make_sections(boards())
    assert "none" not in [f.name for f in section.figures]
    assert "None at all: these results have nothing to show in it" in section.left_out


@pytest.mark.usefixtures("catalogue")
def test_two_sections_of_one_name_are_refused() -> None:
    with pytest.raises(Exception, match="two report sections 'distance'"):
        board_section("distance", kinds={"pairs"}, place=1)(lambda board, given: [])
