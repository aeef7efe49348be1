"""Findings are English sentences."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from priscian.analysis.transfer.cells import Asymmetry
from priscian.analysis.transfer.transfer import Transfer, said_cells, said_relations


def test_cells_are_named_as_in_tables_and_one_is_not_many() -> None:
    ci: dict[tuple[str, str], Any] = {
        ("control_raising", "npi_licensing"): (0.6, 0.8),
        ("npi_licensing", "control_raising"): (0.2, 0.4),
    }
    found = SimpleNamespace(
        phenomena=("control_raising", "npi_licensing"),
        cell=lambda a, b: SimpleNamespace(ci=ci[a, b], accuracy=sum(ci[a, b]) / 2),
        is_above=lambda a, b: ci[a, b][0] > 0.5,
    )
    assert said_cells(cast(Transfer, found)) == (
        "1 of 2 cells between two phenomena is above both shuffled labels and the bag by more than "
        "its interval (highest: control/raising → NPI licensing 70 %); 1 is below chance by more "
        "than that."
    )


def test_the_asymmetry_that_is_named_is_one_beyond_its_interval() -> None:
    wide = Asymmetry("control_raising", "binding", 0.32, (-0.04, 0.6))
    sure = Asymmetry("control_raising", "ellipsis", 0.28, (0.08, 0.52))
    found = SimpleNamespace(asymmetries=[wide, sure], clusters=None)
    assert said_relations(cast(Transfer, found)) == [
        "Transfer is asymmetric in 1 of 2 pairs of phenomena, beyond the interval, most from "
        "control/raising to ellipsis (+28 points, 95 % interval 8.0–52.0); by chance alone about 0 "
        "would be."
    ]
    none = SimpleNamespace(asymmetries=[wide], clusters=None)
    assert (
        "in 0 of 1 pairs of phenomena, beyond the interval; by"
        in said_relations(cast(Any, none))[0]
    )
