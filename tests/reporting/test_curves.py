"""The section of a sweep: figures and tables before those of the boards."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian import report
from tests.small_curve import write_curve


@pytest.mark.filterwarnings("ignore::priscian.errors.PriscianWarning")
def test_the_page_of_a_sweep_begins_with_its_curves(tmp_path: Path) -> None:
    folder = write_curve(
        tmp_path / "curve", {"lstm": 0.42, "rnng": 0.55}, suites=4, limits={"rnng": 15}
    )
    page = report(folder)
    first = page.sections[0]
    assert first.title == "Learning curves"
    assert [figure.name for figure in first.figures] == [
        "curve-sg-perplexity", "curve-delta-sg", "curve-delta-sg-by-circuit",
        "curve-training-size",
    ]  # fmt: skip
    models, lines, phenomena, tests, left_out = first.tables
    assert [row[:3] for row in models.rows] == [
        ("lstm", "250k", "1"), ("lstm", "1M", "1"), ("lstm", "4M", "1"),
        ("rnng", "250k", "1"), ("rnng", "1M", "1"),
    ]  # fmt: skip
    assert models.note.endswith("are compared on those that all of them have.")
    assert models.columns[-2:] == ("blimp:data", "sg")
    assert [row[0] for row in lines.rows] == ["lstm"]
    assert phenomena.folded
    assert {row[0] for row in tests.rows} >= {"size", "architecture"}
    assert left_out.folded
    assert "differences" not in {figure.name for figure in page.figures}
    assert '<table class="plain">' in page.html
    assert "What explains suite scores, sg" in page.html
