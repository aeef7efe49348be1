"""Figures as files: any text can be drawn, no file is lost, no name leaves the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.analysis.charts import inline
from priscian.analysis.vega import SCHEMA, Chart, Figure, draw, printable, write_figures
from priscian.errors import OutputError, UsageError


def chart(name: str) -> Chart:
    return {
        "$schema": SCHEMA,
        "data": inline([{"set": name, "share": 1}]),
        "mark": "bar",
        "encoding": {
            "x": {"field": "set", "type": "nominal"},
            "y": {"field": "share", "type": "quantitative"},
        },
    }


def test_characters_that_abort_the_drawing_are_replaced() -> None:
    told = "a\x00b\x1b\ud800\uffffc"
    assert printable({"a": [told, 1, None], told: ("é\t😀",)}) == {
        "a": ["a�b���c", 1, None],
        "a�b���c": ["é\t😀"],
    }


@pytest.mark.parametrize(
    "suffix", ["svg", pytest.param("png", marks=pytest.mark.slow),
               pytest.param("pdf", marks=pytest.mark.slow)]
)  # fmt: skip
def test_a_name_with_nul_can_be_drawn(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"figure.{suffix}"
    draw(chart("passive\x001"), file)
    assert file.stat().st_size > 500


def test_names_of_figures_stay_in_the_folder_and_apart(tmp_path: Path) -> None:
    rows = [{"a": 1}]
    figures = [Figure(name, "t", "c", chart("x"), rows) for name in ("../up", "a/b", "a b")]
    written = write_figures(figures, tmp_path / "out", ("svg",))
    assert len(set(written)) == 7  # two each, and the captions
    assert all(path.parent == tmp_path / "out" and path.is_file() for path in written)
    assert not (tmp_path / "up.svg").exists()


def test_a_figure_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(OutputError, match=r"cannot write .*folder\.svg"):
        draw(chart("x"), tmp_path / "folder.svg")
    assert [p.name for p in tmp_path.iterdir()] == ["folder.svg"]


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"does not end in \.svg, \.png or \.pdf"):
        draw(chart("x"), tmp_path / "figure.gif")
