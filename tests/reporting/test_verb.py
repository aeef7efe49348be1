"""`priscian report` on the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from priscian.cli import run as run_cli


@pytest.fixture
def small(run: Path, tmp_path: Path) -> Path:
    """The run with nothing but the three hostile pairs, so that figures are few."""
    copy = tmp_path / "small"
    shutil.copytree(run, copy)
    info = json.loads((copy / "run.json").read_text("utf-8"))
    info["request"]["data"] = {"odd": info["request"]["data"]["odd"]}
    (copy / "run.json").write_text(json.dumps(info), "utf-8")
    return copy


def test_a_page_is_written_and_its_place_said(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "page.html"
    assert run_cli(["report", str(small), "--out", str(out), "--title", "Cats & <dogs>"]) == 0
    assert str(out) in capsys.readouterr().out
    assert "<h1>Cats &amp; &lt;dogs&gt;</h1>" in out.read_text("utf-8")


def test_markdown_goes_to_the_screen_and_figures_to_a_folder(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = tmp_path / "figures"
    assert run_cli(["report", str(small), "--format", "md", "--figures", str(figures)]) == 0
    assert "| model | overall |\n" in capsys.readouterr().out
    endings = {path.suffix for path in figures.iterdir()}
    assert endings == {".svg", ".png", ".pdf", ".csv", ".tex"}
    assert ",Overall,".join(("builtin:ngram", "")) in (figures / "b1-heat-map.csv").read_text()


def test_latex_goes_to_a_file(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "table.tex"
    assert run_cli(["report", str(small), "--format", "tex", "--out", str(out)]) == 0
    assert r"\toprule" in out.read_text("utf-8")


class TestOneLine:
    """Whatever is wrong, one line says what and what to do."""

    def complain(self, capsys: pytest.CaptureFixture[str], *words: str) -> str:
        assert run_cli(["report", *words]) in (1, 2)
        lines = capsys.readouterr().err.strip().splitlines()
        assert len(lines) == 1
        return lines[0]

    def test_no_runs(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "name at least one run folder" in self.complain(capsys)

    def test_no_run_there(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert "no run.json" in self.complain(capsys, str(tmp_path))

    def test_a_newer_run(self, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
        info = json.loads((small / "run.json").read_text("utf-8"))
        (small / "run.json").write_text(json.dumps(info | {"format": 99}), "utf-8")
        assert "another version" in self.complain(capsys, str(small))

    def test_nothing_finished(self, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for model in ("ngram", "lstm"):
            (small / f"builtin-{model}" / "odd" / "summary.json").unlink()
        assert "nothing is finished" in self.complain(capsys, str(small))

    def test_a_folder_where_the_page_should_be(
        self, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert "choose another place" in self.complain(capsys, str(small), "--out", str(tmp_path))
