"""Matthews' correlation by split and feature, worked out by hand on a small CoLA."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.datasets.small_cola import ANNOTATED, TEST, TRAIN, write_cola

from priscian.analysis.graded.cola import Cola, analyse_cola, read_analysis
from priscian.datasets.cola import IN_DEV, OUT_DEV, OUT_TEST
from priscian.datasets.graded import SentenceScores
from priscian.errors import DataError
from priscian.files import plain

# in domain a threshold of 2.5 is perfect; out of domain it lets the last two sentences wrong
VALUES = dict(zip((row[0] for row in ANNOTATED), (4, 1, 3, 2, 9, 0, 2, 7), strict=True))
DEV = SentenceScores("m", {text: float(v) for text, v in VALUES.items()}, source="m.csv")


@pytest.fixture
def cola(tmp_path: Path) -> Cola:
    return read_analysis(write_cola(tmp_path / "cola"))


def test_by_hand(cola: Cola) -> None:
    (found,) = analyse_cola(cola, [DEV])
    assert (found.threshold, found.chosen_on) == (2.5, IN_DEV)
    assert found.sets[IN_DEV].mcc == 1.0
    assert found.sets[OUT_DEV].mcc == 0.0  # one right and one wrong of each label
    assert OUT_TEST not in found.sets
    assert found.overall.mcc == pytest.approx(0.5)  # tp 3, tn 3, fp 1, fn 1
    major = found.features["major"]
    assert list(major) == ["Question", "Simple", "Violations"]
    assert major["Simple"].mcc == 1.0
    assert major["Question"].mcc == 0.0
    assert major["Violations"].mcc is None  # all are unacceptable
    assert (major["Simple"].n, major["Simple"].acceptable) == (4, 2)
    json.dumps(plain(found), allow_nan=False)


def test_training_sentences_choose_the_threshold_where_they_are_scored(cola: Cola) -> None:
    train = dict(zip((text for text, _ in TRAIN), (8.0, 5.0, 8.0), strict=True))
    test = dict(zip((text for text, _ in TEST), (7.0, 1.0), strict=True))
    (found,) = analyse_cola(cola, [SentenceScores("m", {**DEV.values, **train, **test})])
    assert (found.threshold, found.chosen_on) == (6.5, "in-domain train")
    assert found.sets[OUT_TEST].mcc == 1.0
    assert found.sets[IN_DEV].mcc == 0.0  # everything is below


def test_labels_and_given_thresholds_are_taken_as_they_are(cola: Cola) -> None:
    labels = {text: float(label) for text, label, _, _ in ANNOTATED}
    (found,) = analyse_cola(cola, [SentenceScores("classifier", labels)])
    assert (found.threshold, found.chosen_on, found.overall.mcc) == (0.5, "labels", 1.0)
    (found,) = analyse_cola(cola, [DEV], threshold=8.0)
    assert (found.threshold, found.chosen_on) == (8.0, "given")
    assert found.overall.mcc == pytest.approx(4 / math.sqrt(1 * 4 * 4 * 7))  # one guess, right


def test_refusals(cola: Cola) -> None:
    part = SentenceScores("m", dict(list(DEV.values.items())[:6]), source="m.csv")
    with pytest.raises(DataError, match=r"m.csv: m has no score for 2 of 4 sentences of out-of"):
        analyse_cola(cola, [part])
    with pytest.raises(DataError, match="two sets of scores are called 'm'"):
        analyse_cola(cola, [DEV, DEV])
    with pytest.raises(DataError, match="no model's scores"):
        analyse_cola(cola, [])
    flat = SentenceScores("flat", dict.fromkeys(DEV.values, 3.0))
    with pytest.raises(DataError, match="flat: all 4 scores are 3; no threshold separates them"):
        analyse_cola(cola, [flat])


def test_the_real_analysis_set(shared: Path) -> None:
    cola = read_analysis(shared / "data/cola")
    assert (len(cola.sets[IN_DEV]), len(cola.sets[OUT_DEV])) == (527, 516)
    assert {kind: len(found) for kind, found in cola.features.items()} == {"major": 15, "minor": 63}
    oracle = SentenceScores("oracle", {i: float(cola.labels[i]) for i in cola.analysed})
    (found,) = analyse_cola(cola, [oracle])
    assert found.overall.mcc == 1.0
    # features of a sentence are matched with its own label: violations are never acceptable
    assert found.features["major"]["Violations"].acceptable == 0
    upside_down = SentenceScores("worst", {i: float(not cola.labels[i]) for i in cola.analysed})
    assert analyse_cola(cola, [upside_down])[0].overall.mcc == -1.0
