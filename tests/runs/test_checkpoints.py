"""Which checkpoint folders are complete: never one that a training still writes."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priscian.runs.watch import CheckpointFolder, is_whole


@pytest.fixture
def run(causal: Callable[..., Path], tmp_path: Path) -> Path:
    """A folder with three complete checkpoints, an hour old, in the wrong order for an alphabet."""
    folder = tmp_path / "gpt2"
    for step in (900, 1000, 50):
        add(causal("gpt2"), folder / f"checkpoint-{step}")
    return folder


def add(source: Path, folder: Path, age: float = 3600.0) -> Path:
    shutil.copytree(source, folder)
    for file in folder.iterdir():
        os.utime(file, (time.time() - age,) * 2)
    return folder


def names(folder: Path, **options: object) -> list[str]:
    return list(CheckpointFolder(folder, **options).complete())  # type: ignore[arg-type]


def test_checkpoints_come_in_the_order_of_training(run: Path) -> None:
    assert names(run) == ["checkpoint-50", "checkpoint-900", "checkpoint-1000"]


def test_only_names_that_match_are_taken(run: Path, causal: Callable[..., Path]) -> None:
    add(causal("gpt2"), run / "final")
    add(causal("gpt2"), run / "tmp-checkpoint-2000")
    assert names(run, pattern="*-9*") == ["checkpoint-900"]
    assert "tmp-checkpoint-2000" not in names(run)


def test_an_oddly_named_folder_beside_checkpoints_stops_nothing(
    run: Path, causal: Callable[..., Path]
) -> None:
    for name in ("step5²", "²", "checkpoint-" + "9" * 200):
        add(causal("gpt2"), run / name)
    assert names(run) == [
        "checkpoint-50", "checkpoint-900", "checkpoint-1000", "checkpoint-" + "9" * 200,
        "step5²", "²",
    ]  # fmt: skip


@pytest.mark.parametrize("ends", [[0, "x"], [0, None], ["a", 4], 5, [[], []]])
def test_a_header_whose_places_are_no_numbers_is_left_to_the_reader(run: Path, ends: Any) -> None:
    weights = run / "checkpoint-50" / "model.safetensors"
    head = json.dumps({"a": {"data_offsets": ends}, "b": {"data_offsets": [0, 4]}}).encode()
    weights.write_bytes(len(head).to_bytes(8, "little") + head + bytes(4))
    assert is_whole(weights.parent)


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert names(tmp_path / "nowhere") == []


def test_a_checkpoint_that_has_just_changed_is_not_complete(run: Path) -> None:
    os.utime(run / "checkpoint-900" / "config.json")
    assert names(run) == ["checkpoint-50", "checkpoint-1000"]
    assert "checkpoint-900" in names(run, settle=0)


def test_where_clocks_disagree_two_looks_decide(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in (run / "checkpoint-900").iterdir():
        os.utime(file, (time.time() + 3600,) * 2)
    folder, now = CheckpointFolder(run), [1000.0]
    monkeypatch.setattr("priscian.runs.watch.time.monotonic", lambda: now[0])
    assert "checkpoint-900" not in folder.complete()
    now[0] += 11
    assert "checkpoint-900" in folder.complete()


def test_weights_that_are_cut_short_are_not_complete(run: Path) -> None:
    weights = run / "checkpoint-50" / "model.safetensors"
    whole = weights.read_bytes()
    for size in (0, 4, len(whole) // 2, len(whole) - 1):
        weights.write_bytes(whole[:size])
        assert not is_whole(weights.parent), size
    weights.write_bytes(whole)
    assert is_whole(weights.parent)


@pytest.mark.parametrize("missing", ["config.json", "model.safetensors"])
def test_a_part_that_is_missing_is_waited_for(run: Path, missing: str) -> None:
    (run / "checkpoint-50" / missing).unlink()
    assert not is_whole(run / "checkpoint-50")


def test_every_part_that_an_index_names_is_needed(run: Path) -> None:
    folder = run / "checkpoint-50"
    index = {"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert not is_whole(folder)
    shutil.copy(folder / "model.safetensors", folder / "model-2.safetensors")
    assert is_whole(folder)


@pytest.mark.parametrize("part", ["[" * 100_000, json.dumps({"weight_map": {"a": "x" * 5000}})])
def test_a_damaged_index_is_no_whole_model(run: Path, part: str) -> None:
    (run / "checkpoint-50" / "model.safetensors.index.json").write_text(part)
    assert not is_whole(run / "checkpoint-50")


def test_the_trainer_writes_its_state_last(run: Path) -> None:
    folder = run / "checkpoint-50"
    (folder / "optimizer.pt").write_bytes(b"")
    assert not is_whole(folder)
    (folder / "trainer_state.json").write_text("{}")
    assert is_whole(folder)


def test_a_file_of_optimizer_states_is_no_model(run: Path) -> None:
    folder = run / "checkpoint-50"
    (folder / "model.safetensors").rename(folder / "optimizer.bin")
    (folder / "trainer_state.json").write_text("{}")
    assert not is_whole(folder)
