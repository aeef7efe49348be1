"""Heads, bags and grades: hand-worked values, and the same after saving."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from priscian.errors import ModelError, UnknownNameError
from priscian.metrics.adc import label_confidence
from priscian.models.classifier.encoder import View
from priscian.models.classifier.heads import (
    Bag,
    LinearHead,
    MlpHead,
    count_ngrams,
    ngrams,
    read_bag,
    read_head,
    spread,
)
from priscian.models.classifier.provider import confidences, grade, probabilities


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_a_linear_head_by_hand(tmp_path: Path) -> None:
    head = LinearHead(floats(1, 2), floats(2, 4), floats(3, -1), 0.5)
    states = np.array([[3.0, 6.0], [1.0, 2.0]], np.float32)  # standardised: (1, 1) and (0, 0)
    assert head.logits(states).tolist() == [2.5, 0.5]
    head.save(tmp_path / "head.safetensors")
    assert read_head(tmp_path / "head.safetensors").logits(states).tolist() == [2.5, 0.5]


def test_a_head_with_a_hidden_layer_by_hand(tmp_path: Path) -> None:
    inner = np.array([[1.0, 0.0], [0.0, -1.0]], np.float32)
    head = MlpHead(floats(0, 0), floats(1, 1), inner, floats(0, 1), floats(2, 3), -1.0)
    states = np.array([[2.0, 5.0], [-1.0, 0.5]], np.float32)
    # rectified: (2, 0) and (0, ½); 2 · 2 − 1 and 3 · ½ − 1
    assert head.logits(states).tolist() == [3.0, 0.5]
    head.save(tmp_path / "head.safetensors")
    assert read_head(tmp_path / "head.safetensors").logits(states).tolist() == [3.0, 0.5]


def test_a_constant_dimension_is_not_divided_by_zero() -> None:
    mean, scale = spread(np.array([[1.0, 5.0], [3.0, 5.0]], np.float32))
    assert mean.tolist() == [2.0, 5.0]
    assert scale.tolist() == [1.0, 1.0]


def test_a_file_that_is_no_head_is_refused(tmp_path: Path) -> None:
    from priscian.models.safetensors_file import write_safetensors

    write_safetensors(tmp_path / "x.safetensors", {"other": floats(1)})
    with pytest.raises(ModelError, match="not the head of a classifier"):
        read_head(tmp_path / "x.safetensors")


def test_confidence_is_equation_5_of_the_probability() -> None:
    logits = np.array([-3.0, -0.1, 0.0, 0.1, 3.0])
    by_definition = [label_confidence(1 / (1 + math.exp(-x))) for x in logits]
    assert confidences(logits) == pytest.approx(by_definition, abs=1e-12)


def test_kinds_of_grade_by_hand() -> None:
    logits = np.array([math.log(3), -math.log(4)])
    assert grade(logits, "confidence") == pytest.approx([0.75, -0.8])
    assert grade(logits, "logit").tolist() == logits.tolist()
    assert grade(2 * logits, "calibrated", 2.0) == pytest.approx([0.75, 0.2])
    with pytest.raises(UnknownNameError, match="no score of a classifier 'logits'"):
        grade(logits, "logits")


def test_large_logits_overflow_nowhere() -> None:
    assert probabilities(np.array([800.0, -800.0])).tolist() == [1.0, 0.0]


def test_n_grams_are_counted_and_unknown_ones_left_out() -> None:
    assert ngrams("He runs. ", 1) == ["he", "runs", "."]
    vocabulary = {"he": 0, "he runs": 1, "runs </s>": 2}
    counts = count_ngrams(["He runs he runs", "Unknown words"], vocabulary, 2).toarray()
    assert counts.tolist() == [[2, 2, 1], [0, 0, 0]]


def test_a_bag_is_the_same_after_saving(tmp_path: Path) -> None:
    bag = Bag({"he": 0, "they": 1}, floats(1.5, -2), 0.25, 1)
    texts = ["He left", "They saw they left", "Go"]
    assert bag.logits(texts).tolist() == [1.75, -3.75, 0.25]
    bag.save(tmp_path)
    assert read_bag(tmp_path).logits(texts).tolist() == [1.75, -3.75, 0.25]


def test_views_are_read_as_they_are_printed() -> None:
    assert View.parse(str(View(12, "last"))) == View(12, "last")
