"""Which results are meant: folders, `RUN:model` in any spelling, runs and results in memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.small_results import pairs_result, write_run

from priscian import load_run
from priscian.errors import PriscianWarning, RunError, UnknownNameError, UsageError
from priscian.runs.choose import choose_model, choose_models, gather_results, gather_runs

JUDGED = {"wh_island": [1.0, 0.0]}


@pytest.fixture
def two(tmp_path: Path) -> Path:
    results = pairs_result("builtin:a", JUDGED), pairs_result("builtin:b", JUDGED)
    return write_run(tmp_path / "two", *results)


def test_a_model_is_found_by_its_name_its_string_and_its_folder(two: Path) -> None:
    info = load_run(two).info.models["builtin:a"]
    for spelling in ("builtin:a", info.string, info.folder):
        assert choose_model(f"{two}:{spelling}").model == "builtin:a"
    with pytest.raises(UnknownNameError, match=r"no model 'builtin:c'; did you mean builtin:"):
        choose_model(f"{two}:builtin:c")


def test_a_run_of_two_needs_a_name(two: Path) -> None:
    assert [c.model for c in choose_models(two)] == ["builtin:a", "builtin:b"]
    with pytest.raises(UsageError, match=r"has 2 models, builtin:a, builtin:b; name one: .*two:"):
        choose_model(two)


def test_runs_and_results_in_memory_are_taken_as_they_are(two: Path) -> None:
    run = load_run(two)
    assert gather_runs(run) == [run]
    assert [r.model for r in gather_results([run["builtin:b"], str(two) + ":builtin:a"])] == [
        "builtin:b", "builtin:a",
    ]  # fmt: skip
    one = run["builtin:a", "small"]
    assert gather_results(one) == [one]
    assert choose_model(one).results == (one,)


def test_a_folder_is_read_once(two: Path) -> None:
    assert len(gather_runs([two, str(two)])) == 1


def test_nothing_and_unfinished_runs(tmp_path: Path, two: Path) -> None:
    with pytest.raises(UsageError, match="name at least one run folder"):
        gather_runs([])
    with pytest.raises(RunError, match="is not a run folder"):
        gather_runs(tmp_path / "none")
    half = write_run(tmp_path / "half", pairs_result("a", JUDGED), missing=["c"])
    with pytest.warns(PriscianWarning, match="half is not finished: 1 of 2 models missing"):
        gather_runs(half)
