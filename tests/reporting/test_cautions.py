"""What a page warns of before its figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from priscian.reporting.provenance import limits
from priscian.runs import Run, load_run
from tests.scored_runs import rights, scored_pairs, write_run


def limited(folder: Path, limit: int | None) -> Run:
    run = load_run(write_run(folder, scored_pairs(folder.name, {"wh_island": rights(3, 5)}, {})))
    request = msgspec.structs.replace(run.info.request, limit=limit)
    return replace(run, info=msgspec.structs.replace(run.info, request=request))


def test_runs_with_one_limit_are_one_line(tmp_path: Path) -> None:
    runs = [limited(tmp_path / f"run{n}", 100) for n in range(6)]
    assert limits(runs) == [
        "The numbers are for the first 100 items of each set (limit 100), not for the whole data."
    ]
    some = limits([*runs, limited(tmp_path / "whole", None), limited(tmp_path / "few", 5)])
    assert len(some) == 2
    assert some[0].startswith("The numbers of run0, run1, run2 and 3 more runs are for the first")
    assert some[1].startswith("The numbers of few are for the first 5 items")
