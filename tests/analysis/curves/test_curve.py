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


def test_models_of_the_same_name_in_two_sweeps_are_told_apart(tmp_path: Path) -> None:
    low = write_curve(tmp_path / "low", {"lstm": 0.3})
    high = write_curve(tmp_path / "high", {"lstm": 0.6})
    sg = analyse.sg([low, high])
    assert sg.perplexity is not None
    found = {model: value for model, value, _, _ in sg.perplexity.points}
    assert found["low:lstm-250k-seed1"] == pytest.approx(400 * 0.7)
    assert found["high:lstm-250k-seed1"] == pytest.approx(400 * 0.4)
    sizes = analyse.training_size([low, high])
    overall = {c.curve: c for c in sizes.curves if c.name == "overall"}
    assert set(overall) == {"low:lstm", "high:lstm"}
    for folder in (low, high):
        alone = analyse.training_size(folder).curves[-1]
        mixed = overall[f"{folder.name}:lstm"]
        assert mixed.line == alone.line
        assert [p.tokens for p in mixed.points] == [250_000, 1_000_000, 4_000_000]


def test_folders_of_the_same_name_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    one, two = (write_curve(tmp_path / name / "curve", {"lstm": 0.4}) for name in "ab")
    found = analyse.training_size([one, two, one])
    assert {c.curve for c in found.curves} == {f"{one}:lstm", f"{two}:lstm"}


def test_a_run_of_its_own_gets_no_facts_of_a_sweep(tmp_path: Path) -> None:
    sweep = write_curve(tmp_path / "low", {"lstm": 0.3})
    alone = write_curve(tmp_path / "high", {"lstm": 0.6}) / "runs" / "lstm-1M-seed1"
    sg = analyse.sg([sweep, alone])
    assert sg.perplexity is not None
    assert sg.perplexity.missing == ("lstm-1M-seed1",)
    assert "low:lstm-1M-seed1" in {point[0] for point in sg.perplexity.points}


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"holds no curve\.json; make it with priscian curve"):
        read_curve(tmp_path)
