"""Checkpoints are found in names, and their curves have overall first and people's line."""

from __future__ import annotations

import pytest
from tests.small_results import pairs_result

from priscian.analysis.curves.checkpoints import checkpoint_curves, parse_checkpoint
from priscian.errors import DataError


@pytest.mark.parametrize(
    ("name", "series", "amount", "tokens"),
    [
        ("step1000", "", 1000, False),
        ("pythia-70m@step1000", "pythia-70m", 1000, False),
        ("tokens-2M", "", 2_000_000, True),
        ("gpt2-tokens-2097152", "gpt2", 2_097_152, True),
        ("out/checkpoint-500", "out", 500, False),
        ("run/global_step_12/model", "run//model", 12, False),
    ],
)
def test_steps_and_tokens_are_read(name: str, series: str, amount: float, tokens: bool) -> None:
    found = parse_checkpoint(name)
    assert found is not None
    assert (found.series, found.amount, found.tokens) == (series, amount, tokens)


@pytest.mark.parametrize("name", ["gpt2", "builtin:lstm", "stepwise", "opt-125m", "footstep100"])
def test_other_names_are_no_checkpoints(name: str) -> None:
    assert parse_checkpoint(name) is None


def test_curves_are_in_the_order_of_training_with_people() -> None:
    right = {"step100": [1, 0, 0, 0], "step20": [0, 0, 0, 0], "step1000": [1, 1, 1, 0]}
    results = [pairs_result(n, {"wh_island": c, "passive_1": c}) for n, c in right.items()]
    found = checkpoint_curves(results)
    overall = [(s.amount, s.accuracy) for s in found.scores if s.name == "overall"]
    assert overall == [(20, 0.0), (100, 0.25), (1000, 0.75)]
    assert {"island_effects", "argument_structure", "overall"} <= set(found.people)
    (figure,) = found.figures
    assert [p["title"] for p in figure.chart["concat"]] == [
        "overall", "argument structure", "island effects",
    ]  # fmt: skip


def test_two_checkpoints_are_no_curve() -> None:
    results = [pairs_result(f"step{n}", {"wh_island": [1, 0]}) for n in (1, 2)]
    with pytest.raises(DataError, match="fewer than 3 checkpoints"):
        checkpoint_curves(results)
