"""`priscian.analyse`, `compare` and `report` from Python: runs in, results and figures out."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from scripts import list_analyses as list_names

import priscian
from priscian import analyse
from priscian.analysis.registry import find_analysis, list_analyses
from priscian.analysis.vega import HasFigures
from priscian.errors import UnknownNameError, UsageError
from tests.small_results import pairs_result, write_run

A = {"wh_island": [1, 1, 0, 0, 0, 0], "passive_1": [1, 1, 1, 0]}
B = {"wh_island": [1, 0, 1, 1, 1, 0], "passive_1": [1, 1, 1, 0]}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "two", pairs_result("a", A), pairs_result("b", B))


def test_there_is_one_function_for_each_analysis_and_its_docstring_teaches() -> None:
    assert sorted(name.replace("-", "_") for name in list_analyses()) == sorted(analyse.__all__)
    for name in (*analyse.__all__, "compare", "report"):
        function: Any = getattr(analyse, name, None) or getattr(priscian, name)
        assert ">>> " in (inspect.getdoc(function) or ""), name
        assert len(inspect.signature(function).parameters) <= 8, name


def test_type_checkers_see_every_analysis() -> None:
    text = list_names.FILE.read_text("utf-8")
    assert list_names.written(text) == text, "run python -m scripts.list_analyses"


def test_what_is_listed_is_what_the_decorators_register() -> None:
    for name, listed in list_analyses().items():
        entry = find_analysis(name)
        assert (entry.name, entry.about) == (name, listed.about)


def test_a_result_draws_itself_in_a_notebook_and_as_files(run: Path, tmp_path: Path) -> None:
    found = analyse.tables(run, "paradigm", baselines=["human"])
    assert isinstance(found, HasFigures)
    bundle = found._repr_mimebundle_()
    assert {kind.split(".")[-1] for kind in bundle} == {"v5+json", "v6+json", "text/plain"}
    assert bundle["application/vnd.vegalite.v6+json"]["title"] == found.figures[0].title
    written = found.write_figures(tmp_path / "pictures")
    assert {path.suffix for path in written} == {".svg", ".png", ".pdf", ".csv", ".tex"}


def test_baselines_are_checked(run: Path) -> None:
    with pytest.raises(UnknownNameError, match="no published system 'GPT2'; did you mean GPT-2"):
        analyse.tables(run, baselines="human,GPT2")
    with pytest.raises(UsageError, match="runs do not contain training sizes"):
        analyse.training_size(run)


def test_runs_in_memory_and_in_folders_give_the_same(run: Path) -> None:
    loaded = priscian.load_run(run)
    for function in (analyse.tables, analyse.shallow):
        assert function(loaded).as_dict() == function([str(run)]).as_dict()
    a, b = loaded["a", "small"], loaded["b", "small"]
    assert priscian.compare(loaded).as_dict() == priscian.compare(a, b).as_dict()


def test_a_comparison_says_what_is_subtracted_from_what(run: Path) -> None:
    found = priscian.compare(f"{run}:a", f"{run}:b")
    assert repr(found).startswith("<a − b on small: -16.7 points (")
    assert found[0].minus == "a − b"
    assert found.figures[0].title == "a − b"


def test_a_report_is_written_and_returned(run: Path, tmp_path: Path) -> None:
    page = priscian.report(run, tmp_path / "out" / "report.html")
    assert (tmp_path / "out" / "report.html").read_text("utf-8") == page.html
    assert repr(page).startswith("<Page of ")
    assert len(page.figures) == len({figure.name for figure in page.figures})
    assert "\\bottomrule" in priscian.report_tables(run, "tex")
    with pytest.raises(UnknownNameError, match="no form of tables 'rst'"):
        priscian.report_tables(run, "rst")  # type: ignore[arg-type]
