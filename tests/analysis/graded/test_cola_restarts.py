"""Restarts on CoLA: mean, sd, highest, ensemble and features by hand; published rows beside."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from tests.training.classifiers.toy_cola import write_cola

import priscian
from priscian.analysis.graded.cola import Cola, analyse_restarts, published_rows
from priscian.errors import DataError, ModelError
from priscian.models.classifier.folder import read_card
from priscian.stats.matthews import matthews, mean_matthews_interval
from priscian.training.classifiers.data import plain_hash, read_cola_data
from priscian.training.classifiers.job import train_classifier
from priscian.training.classifiers.reading import TrainedOn, TrainedRestarts
from priscian.training.classifiers.settings import ClassifierSettings

TEST = "out-of-domain test"
IDS = ["t1", "t2", "t3", "t4"]
COLA = Cola(
    {"t1": True, "t2": True, "t3": False, "t4": False, "d1": True, "d2": False},
    {TEST: IDS, "in-domain dev": ["d1", "d2"], "out-of-domain dev": []},
    {"major": {"Simple": ["d1", "d2"], "Question": ["d1"]}},
    {},
)


def restarts(*rows: list[float], name: str = "m", collapsed: int = 0) -> TrainedRestarts:
    logits = tuple(dict(zip([*IDS, "d1", "d2"], row, strict=True)) for row in rows)
    return TrainedRestarts(name, Path(), "dev", logits, collapsed)


THREE = restarts(
    [1, 1, -1, -1, 1, -1],  # all right: 1
    [1, -1, -1, -1, 1, 1],  # (1 · 2 − 0 · 1) / √(1 · 2 · 2 · 3) = .5774; dev one label: 0
    [1, 1, 1, 1, -1, 1],  # one label: 0; dev all wrong: −1
    collapsed=1,
)


def test_by_hand() -> None:
    found = analyse_restarts(COLA, [THREE])
    (row,) = found.rows
    half = 2 / math.sqrt(12)
    assert row.mean == pytest.approx((1 + half) / 3)
    centre = (1 + half) / 3
    spread = math.sqrt(((1 - centre) ** 2 + (half - centre) ** 2 + centre**2) / 2)
    assert row.sd == pytest.approx(spread)
    assert row.max == 1.0
    # votes: t1 3:0, t2 2:1, t3 1:2, t4 1:2, so all are right
    assert row.ensemble == 1.0
    assert (row.restarts, row.collapsed, row.select) == (3, 1, "dev")
    simple = found.features["major"]["m"]["Simple"]
    assert (simple.mean, simple.range) == (0.0, (-1.0, 1.0))
    assert found.features["major"]["m"]["Question"].mean is None  # one label
    json.dumps(found.as_dict(), allow_nan=False)


def test_sentences_seen_in_training_are_left_out_by_hand() -> None:
    cola = structs.replace(COLA, texts={i: f"Text {i}." for i in COLA.labels})
    seen = TrainedOn(frozenset({plain_hash("TEXT t1")}))
    found = analyse_restarts(cola, [replace(THREE, seen=seen)])
    (row,) = found.rows
    # without t1: all right: 1; one label, twice: 0
    unseen = row.unseen[TEST]
    assert (row.sets[TEST].n, unseen.n) == (4, 3)
    assert row.sets[TEST].mean == row.mean
    assert unseen.mean == pytest.approx(1 / 3)
    assert row.unseen["in-domain dev"] == row.sets["in-domain dev"]
    assert found.as_dict()["models"]["m"]["unseen"][TEST]["mean"] == unseen.mean


def test_notes_count_sentences_seen_in_training() -> None:
    cola = structs.replace(COLA, texts={i: f"Text {i}." for i in COLA.labels})
    seen = TrainedOn(frozenset({plain_hash("Text t1"), plain_hash("Text d2")}))
    known, unknown = replace(THREE, seen=seen), replace(THREE, name="old")
    first, published, last = analyse_restarts(cola, [known, unknown]).notes
    assert first.startswith(
        "m: the training sentences include 1 of 4 sentences of out-of-domain test, "
        "1 of 2 sentences of in-domain dev"
    )
    assert "published rows are on all sentences" in published
    assert last.startswith("old: no trained_on.json, so no mean on unseen sentences")


def test_of_colas_own_test_sentences_17_are_in_its_training_file(shared: Path) -> None:
    data = read_cola_data(shared / "data" / "cola")
    labels = dict(zip(data.train.texts, data.train.labels, strict=True))
    for name, count in ((TEST, 17), ("out-of-domain dev", 12), ("in-domain dev", 0)):
        tested = zip(data.sets[name].texts, data.sets[name].labels, strict=True)
        twice = [(labels[text], label) for text, label in tested if text in labels]
        assert len(twice) == count
        assert all(one == other for one, other in twice)


def test_one_restart_has_no_deviation() -> None:
    found = analyse_restarts(COLA, [restarts([1, 1, -1, -1, 1, -1])])
    (row,) = found.rows
    assert row.sd is None
    assert found.as_dict()["models"]["m"]["sd"] is None


def test_the_published_rows_are_those_of_table_5() -> None:
    rows = {row.model: row for row in published_rows()}
    assert next(iter(rows)) == "people"
    assert (rows["people"].mean, rows["people"].ensemble) == (0.697, 0.761)
    assert (rows["BERT-large-cased"].mean, rows["BERT-large-cased"].sd) == (0.574, 0.026)
    assert rows["BERT-base-uncased"].max == 0.514
    assert len(rows) == 7


def test_the_interval_covers_sentences_and_restarts() -> None:
    truth = [True, False] * 100
    right = truth
    wrong = [not label for label in truth]
    one = mean_matthews_interval(truth, [right])
    assert one == (1.0, 1.0)
    low, high = mean_matthews_interval(truth, [right, wrong])  # every draw of restarts counts
    assert (low, high) == (-1.0, 1.0)
    # one guess in five is wrong: MCC .6, whose error is about √((1 − .36) / 200) = .057
    some = [label if n % 5 else not label for n, label in enumerate(truth)]
    low, high = mean_matthews_interval(truth, [some] * 3)
    assert low < matthews(truth, some) < high
    assert high - low == pytest.approx(2 * 1.96 * 0.0566, abs=0.03)


def test_two_of_one_name_and_missing_sentences_are_refused() -> None:
    with pytest.raises(DataError, match="two classifiers are called 'm'"):
        analyse_restarts(COLA, [THREE, THREE])
    other = TrainedRestarts("x", Path(), "dev", ({"t1": 1.0},), 0)
    with pytest.raises(DataError, match="x has no logit for"):
        analyse_restarts(COLA, [other])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    top = tmp_path_factory.mktemp("classifiers")
    cola = write_cola(top / "cola")
    for method in ("majority", "ngrams"):
        settings = ClassifierSettings(method=method)
        train_classifier(f"cola:{cola}", top / method, settings)
    return {"top": top, "cola": cola, "ngrams": top / "ngrams", "majority": top / "majority"}


def test_folders_of_classifiers_are_analysed_with_pictures(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    found = priscian.analyse.cola([folders["ngrams"], folders["majority"]])
    assert found.restarts is not None
    assert [row.model for row in found.restarts.rows] == ["ngrams", "majority"]
    assert found.restarts.rows[1].mean == 0
    assert found.restarts.rows[1].collapsed == 1
    assert found.restarts.rows[1].ci is None  # 0 by convention
    card = read_card(folders["ngrams"])
    assert found.restarts.rows[0].mean == pytest.approx(card.restarts[0].mcc[TEST])
    assert [figure.name for figure in found.figures] == ["cola-major", "cola-minor"]
    assert {row["feature"] for row in found.figures[0].rows} == {"Simple", "Adjunct"}
    assert "restarts" in found.as_dict()


@pytest.mark.parametrize("older", [False, True])
def test_other_test_sentences_than_those_of_the_training_are_refused(
    folders: dict[str, Path], tmp_path: Path, older: bool
) -> None:
    shutil.copytree(folders["cola"], tmp_path / "other")
    shutil.copytree(folders["ngrams"], tmp_path / "bag")
    file = tmp_path / "other" / "cola_out_of_domain_test.csv"
    header, *rows = file.read_text().splitlines()
    file.write_text("\n".join([header, *reversed(rows), ""]))
    if older:
        card = json.loads((tmp_path / "bag" / "classifier.json").read_text())
        del card["tested"]
        (tmp_path / "bag" / "classifier.json").write_text(json.dumps(card))
    with pytest.raises(DataError, match="bag was tested on other sentences or labels of out-of-do"):
        priscian.analyse.cola(tmp_path / "bag", data=tmp_path / "other")
    assert priscian.analyse.cola(tmp_path / "bag").restarts is not None


@pytest.mark.parametrize("value", ["nan", "inf", "much"])
def test_a_logit_that_is_no_number_is_refused_with_its_line(
    value: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(folders["ngrams"], tmp_path / "bag")
    file = tmp_path / "bag" / "restart-1" / "logits.csv"
    lines = file.read_text().splitlines()
    lines[4] = f"{lines[4].partition(',')[0]},{value}"
    file.write_text("\n".join([*lines, ""]))
    with pytest.raises(DataError, match=rf"logits\.csv:5: the logit {value} is not a finite"):
        priscian.analyse.cola(tmp_path / "bag")


def test_a_classifier_without_a_complete_restart_is_refused(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    card = (folders["ngrams"] / "classifier.json").read_text()
    started = json.loads(card) | {"restarts": [], "chosen": 0}
    (tmp_path / "empty" / "classifier.json").write_text(json.dumps(started))
    with pytest.raises(ModelError, match="no complete restart yet"):
        priscian.analyse.cola(tmp_path / "empty")
