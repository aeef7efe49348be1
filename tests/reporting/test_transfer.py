"""Saved transfer analyses in the page and in both kinds of tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.errors import UsageError
from priscian.reporting.make_report import report, report_tables
from priscian.runs import score
from tests.analysis.transfer.small_transfer import analyse, effect_of
from tests.reporting.conftest import cache_of

TITLE = "Transfer between phenomena"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A run and a transfer analysis."""
    folder = tmp_path_factory.mktemp("both")
    with cache_of(folder):
        score("builtin:ngram", "generated:7,3,wh_island,causative", out=folder / "run")
    analyse(effect_of(0, 0, 1), draws=1).save(folder / "transfer")
    return [folder / "run", folder / "transfer"]


def test_the_page_has_a_section_with_every_figure_and_table(both: list[Path]) -> None:
    page = report(both)
    (section,) = [s for s in page.sections if s.title == TITLE]
    assert [f.name for f in section.figures] == [
        "transfer", "transfer-controls", "transfer-left-out", "transfer-left-out-paradigms",
        "transfer-size", "transfer-asymmetry", "transfer-clusters",
    ]  # fmt: skip
    assert len(section.tables) == 6
    assert sum(t.folded for t in section.tables) == 3
    overall, matrix, *_ = section.tables
    assert [row[0] for row in matrix.rows] == ["agree", "bind", "gap"]
    assert "short itself" in overall.columns
    assert "shuffled labels" in overall.columns
    assert TITLE in page.html


def test_the_tables_are_in_markdown_and_latex(both: list[Path]) -> None:
    assert "| a phenomenon left out of training |" in report_tables(both, "md")
    tex = report_tables([both[0], both[1] / "transfer.json"], "tex")
    assert tex.count(r"\begin{tabular}") == 7
    assert "a phenomenon left out of training &" in tex


def test_two_analyses_have_figures_of_different_names(both: list[Path], tmp_path: Path) -> None:
    analyse(effect_of(None, 0, 1), own=False).save(tmp_path / "second")
    figures = [f.name for f in report([*both, tmp_path / "second"]).figures]
    assert len(set(figures)) == len(figures)
    assert {"transfer-1", "transfer-2"} <= set(figures)


def test_a_run_is_needed(both: list[Path]) -> None:
    with pytest.raises(UsageError, match="name a run as well"):
        report(both[1])
