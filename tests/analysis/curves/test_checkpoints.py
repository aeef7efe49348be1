"""Checkpoints are found in names, and their curves have overall first and people's line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.small_results import pairs_result

from priscian.analysis.curves.checkpoints import checkpoint_curves, parse_checkpoint
from priscian.errors import DataError
from priscian.runs import Result


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


def trained(folder: Path, name: str, right: int, card: dict[str, Any] | None) -> Result:
    """A model in a folder of its own, with a card."""
    path = folder / name
    path.mkdir(parents=True)
    if card is not None:
        (path / "card.json").write_text(json.dumps(card), "utf-8")
    return pairs_result(str(path), {"wh_island": [1] * right + [0] * (4 - right)})


def card_of(tokens: int, seed: int = 1) -> dict[str, Any]:
    return {"architecture": "gpt2", "tokens_seen": tokens, "steps": tokens // 100, "seed": seed,
            "corpus": {"size": "1M"}}  # fmt: skip


def test_tokens_are_read_from_cards_where_names_say_nothing(tmp_path: Path) -> None:
    names = {"early": 1000, "middle": 2000, "late": 4000}
    results = [
        trained(tmp_path, name, right, card_of(tokens))
        for right, (name, tokens) in enumerate(names.items())
    ]
    results.append(trained(tmp_path, "other", 4, card_of(9000, seed=2)))
    results.append(trained(tmp_path, "bare", 4, None))
    found = checkpoint_curves(results)
    assert found.tokens
    overall = [(s.series, s.amount, s.accuracy) for s in found.scores if s.name == "overall"]
    series = "gpt2, corpus 1M, seed 1"
    assert overall == [(series, 1000, 0.0), (series, 2000, 0.25), (series, 4000, 0.5)]


def test_the_finished_model_ends_the_curve_of_its_checkpoints(tmp_path: Path) -> None:
    """Names are in steps, so its card's steps count; its name is that of the series."""
    results = [trained(tmp_path, f"out/step{n}", 1, None) for n in (10, 20)]
    (tmp_path / "out" / "card.json").write_text(json.dumps(card_of(4000)), "utf-8")
    results.append(pairs_result(str(tmp_path / "out"), {"wh_island": [1, 1, 1, 0]}))
    scores = checkpoint_curves(results).scores
    assert [s.amount for s in scores if s.name == "overall"] == [10, 20, 40]
    assert {s.series for s in scores} == {str(tmp_path / "out").strip("/")}
