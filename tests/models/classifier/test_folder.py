"""Folders of classifiers whose numbers or words no training gives: refused, not used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fuzz.network_samples import bag, majority

from priscian.errors import ModelError
from priscian.models import load
from priscian.models.classifier.heads import LinearHead, read_head
from priscian.records import Text


def change(file: Path, **changes: Any) -> None:
    facts = json.loads(file.read_text())
    (facts["restarts"][0] if "restarts" in facts else facts).update(changes)
    file.write_text(json.dumps(facts))


@pytest.mark.parametrize(
    "changes",
    [
        {"temperature": 0}, {"temperature": 1e-320}, {"temperature": -2}, {"temperature": 1e300},
        {"intercept": 1e308}, {"intercept": -1e7},
    ],
)  # fmt: skip
def test_a_temperature_or_intercept_that_no_training_gives_is_refused(
    changes: dict[str, float], tmp_path: Path
) -> None:
    majority(tmp_path)
    assert load(f"classifier:{tmp_path}?score=calibrated").grade([Text("Go.")])  # type: ignore[union-attr]
    change(tmp_path / "classifier.json", **changes)
    with pytest.raises(ModelError, match=r"restart-1 has a temperature or an intercept that no"):
        load(f"classifier:{tmp_path}")


@pytest.mark.parametrize("grams", [["go", []], ["go", 3], "go", {"go": 1}, None])
def test_ngrams_that_are_no_texts_are_refused(grams: Any, tmp_path: Path) -> None:
    bag(tmp_path)
    change(tmp_path / "restart-1" / "vocabulary.json", ngrams=grams)
    with pytest.raises(ModelError, match=r"is not a bag of n-grams \(ngrams is not a list of text"):
        load(f"classifier:{tmp_path}")


@pytest.mark.parametrize("longest", [0, -1, 10**9, "3", 3.0, True, None])
def test_a_length_of_ngrams_that_would_never_end_is_refused(longest: Any, tmp_path: Path) -> None:
    bag(tmp_path)
    change(tmp_path / "restart-1" / "vocabulary.json", longest=longest)
    with pytest.raises(ModelError, match=r"is not a bag of n-grams \(longest is .*, and 1 to 20"):
        load(f"classifier:{tmp_path}")


@pytest.mark.parametrize("scale", [0.0, -1.0, 1e-30])
def test_a_head_that_divides_by_nothing_is_refused(scale: float, tmp_path: Path) -> None:
    line = np.ones(4, np.float32)
    LinearHead(line, np.array([1, 1, scale, 1], np.float32), line, 0.0).save(tmp_path / "h")
    with pytest.raises(ModelError, match="scale has a value that is not above 0"):
        read_head(tmp_path / "h")
