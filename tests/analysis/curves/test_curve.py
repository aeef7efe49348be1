"""What a sweep shows, from scores that are known."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.small_curve import write_curve

from priscian import analyse
from priscian.analysis.curves.curve import analyse_sweeps
from priscian.analysis.curves.table import read_curve
from priscian.errors import PriscianWarning, RunError

TWO = {"lstm": 0.42, "rnng": 0.55}


def test_every_figure_is_there_and_what_is_missing_is_named(tmp_path: Path) -> None:
    ((table, found),) = analyse_sweeps(write_curve(tmp_path / "curve", TWO))
    assert [figure.name for figure in found.figures] == [
        "sg-perplexity", "delta-sg", "delta-sg-by-circuit", "training-size",
    ]  # fmt: skip
    assert len(table.models) == 5
    (line,) = found.left_out
    assert line.startswith("training size: rnng left out: a line with an interval needs 3")
    point = found.figures[0].rows[0]
    assert (point["model"], point["size"], point["name"]) == ("lstm", "250k", "lstm-250k-seed1")
    overall = found.training_size["blimp:data"].curves[-1]
    assert (overall.curve, overall.name) == ("lstm", "overall")
    assert [p.tokens for p in overall.points] == [250_000, 1_000_000, 4_000_000]
    assert overall.reach is not None
    assert "regressions" not in " ".join(found.left_out)
    assert found.mixed["sg"].tests["architecture"].df == 1


def test_other_analyses_take_the_folder(tmp_path: Path) -> None:
    folder = write_curve(tmp_path / "curve", TWO)
    sg = analyse.sg(folder)
    assert sg.perplexity is not None
    assert len(sg.perplexity.points) == 5
    with pytest.warns(PriscianWarning, match="rnng left out: a line with an interval needs 3"):
        found = analyse.training_size([folder])
    assert {c.curve for c in found.curves} == {"lstm"}


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"holds no curve\.json; make it with priscian curve"):
        read_curve(tmp_path)
