"""Classifiers trained on CoLA, three ways: by hand, and the paper's released columns."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from tests.training.classifiers.toy_cola import write_cola

import priscian
from priscian.analysis.graded.adc import adc_json, analyse_adc
from priscian.analysis.graded.leak import ALL, UNTOUCHED, WITHOUT, three_ways, untouched_pairs
from priscian.datasets.graded import GradedPair, GradedSentence, GradedSet, SentenceScores
from priscian.files import plain
from priscian.models.classifier.folder import ClassifierCard, RestartCard, write_card
from priscian.training.classifiers.data import plain_hash
from priscian.training.classifiers.job import train_classifier
from priscian.training.classifiers.reading import TrainedOn, seen_in_cola, trained_on
from priscian.training.classifiers.settings import ClassifierSettings

RATINGS = {"g1": 1.0, "b1": -1.0, "g2": 1.0, "b2": -1.0}
GRADED = GradedSet(
    "small",
    tuple(GradedSentence(i, f"Text {i}.", rating=r) for i, r in RATINGS.items()),
    (GradedPair("g1", "b1"), GradedPair("g2", "b2")),
)
RIGHT = {"g1": 1.0, "b1": -1.0, "g2": 1.0, "b2": -1.0}
MIXED = {"g1": 1.0, "b1": -1.0, "g2": -1.0, "b2": 1.0}
SEEN = TrainedOn(frozenset({plain_hash("text G1")}), (), ("probe", "e", "logit"))
TWIN = TrainedOn(frozenset(), ("ad03",), ("probe", "e", "logit"))

TABLE_1 = {
    "bert-base-uncased_acc": (0.915, 0.286, 0.538, 0.902),
    "bert-large-uncased_acc": (0.917, 0.311, 0.564, 0.907),
    "bert-large-cased_acc": (0.936, 0.307, 0.561, 0.925),
}
"""The paper's twelve classifier cells: BLiMP, and the ADC with δ = 0.5, 1 and 5."""


def test_by_hand() -> None:
    scores = [SentenceScores("a", MIXED), SentenceScores("b", RIGHT), SentenceScores("lm", RIGHT)]
    analysis = analyse_adc(GRADED, scores, deltas=(0.5,))
    assert untouched_pairs(analysis, SEEN) == [1]  # the first pair has a training sentence
    rows = three_ways(analysis, {"a": SEEN, "b": TWIN})
    told = [(r.model, r.way, r.pairs, r.blimp and r.blimp.accuracy) for r in rows]
    assert told == [("a", ALL, 2, 0.5), ("a", UNTOUCHED, 1, 0.0), ("a", WITHOUT, 2, 1.0)]


def test_what_was_not_trained_is_said_to_be_missing() -> None:
    analysis = analyse_adc(GRADED, [SentenceScores("a", MIXED)], deltas=(0.5,))
    last = three_ways(analysis, {"a": SEEN})[-1]
    assert (last.way, last.blimp, plain(last)["adc"]) == (WITHOUT, None, None)
    assert three_ways(analysis, {"other": SEEN}) == ()


def test_the_best_of_more_restarts_is_noted_in_the_table() -> None:
    scores = [SentenceScores("a", MIXED), SentenceScores("b", RIGHT)]
    analysis = analyse_adc(GRADED, scores, deltas=(0.5,))
    ten, three = replace(SEEN, restarts=10), replace(TWIN, restarts=3)
    told = [way.note for way in three_ways(analysis, {"a": ten, "b": three})]
    assert told[:2] == ["", ""]
    assert told[2].startswith("a is the best of 10 restarts, b (without ad03) the best of 3")
    assert not any(
        way.note for way in three_ways(analysis, {"a": ten, "b": replace(TWIN, restarts=10)})
    )


def test_a_twin_that_lacks_more_than_ad03_is_no_twin() -> None:
    scores = [SentenceScores("a", MIXED), SentenceScores("b", RIGHT)]
    analysis = analyse_adc(GRADED, scores, deltas=(0.5,))
    rows = three_ways(analysis, {"a": SEEN, "b": replace(TWIN, without_sources=("ad03", "gj04"))})
    assert [(row.model, row.way) for row in rows] == [
        ("a", ALL),
        ("a", UNTOUCHED),
        ("a", WITHOUT),
        ("b", WITHOUT),
    ]
    assert rows[2].blimp is None


def test_a_twin_is_the_same_restart_with_the_same_settings(tmp_path: Path) -> None:
    card = ClassifierCard(
        method="mlp",
        encoder="e",
        data="cola:x",
        data_digest="d",
        wanted=2,
        chosen=2,
        settings={"rate": 0.1, "epochs": 2},
        restarts=tuple(RestartCard(number=n, seed=n) for n in (1, 2)),
    )
    other = structs.replace(card, without_sources=("ad03",), settings={"epochs": 2, "rate": 0.1})
    for name, made in (
        ("full", card),
        ("no", other),
        ("slow", structs.replace(other, settings={})),
    ):
        write_card(tmp_path / name, made)
        (tmp_path / name / "trained_on.json").write_text("[]")

    def twin(name: str) -> tuple[str, ...]:
        seen = trained_on(f"classifier:{tmp_path / name}")
        assert seen is not None
        return seen.twin

    assert twin("full@restart-1") == twin("no@restart-1")
    assert twin("full") == twin("no")
    assert len({twin(name) for name in ("full", "full@restart-1", "full@restart-2", "slow")}) == 4


def test_the_released_columns_give_the_papers_cells_and_the_untouched_pairs(shared: Path) -> None:
    data = shared / "data"
    found = priscian.analyse.adc(data / "li_adger", cola=data / "cola")
    rows = {(way.model, way.way): way for way in found.ways}
    for model, cells in TABLE_1.items():
        way = rows[model, ALL]
        assert way.blimp is not None
        assert way.adc is not None
        shown = [round(a.accuracy, 3) for a in (way.blimp, *way.adc.values())]
        assert tuple(shown) == cells
        assert way.pairs == 2365
        assert rows[model, UNTOUCHED].pairs == 2365 - 74
        assert rows[model, WITHOUT].blimp is None
    seen = seen_in_cola(data / "cola")
    assert sum(seen.has_seen(s.text) for s in found.graded.sentences) == 85


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two bags, one without ad03, and rated pairs of which one has a training sentence."""
    cola = write_cola(tmp_path / "cola")
    for name, left_out in (("bag", ()), ("bag-without", ("ad03",))):
        settings = ClassifierSettings(method="ngrams", without_sources=left_out)
        train_classifier(f"cola:{cola}", tmp_path / name, settings)
    seen = (cola / "cola_in_domain_train.csv").read_text().splitlines()[1].split(",")[-1]
    good = seen.replace(" near near ", " near ")  # one of the two was in the training set
    rows = [
        "sentence,rating,acceptable,phenomenon,lexicalisation",
        f"{good.upper()},1.2,1,a,1",
        f"{good.replace(' near ', ' near near ')},-1,0,a,1",
        "Gus fed two geese near a dog.,0.9,1,b,1",
        "Gus fed two geese near near a dog.,-0.8,0,b,1",
    ]
    (tmp_path / "rated.csv").write_text("\n".join(rows))
    return tmp_path


def test_a_run_of_classifiers_is_shown_three_ways(folder: Path) -> None:
    models = [f"classifier:{folder / name}" for name in ("bag", "bag-without")]
    priscian.score(models, f"graded:{folder / 'rated.csv'}", out=folder / "run")
    found = priscian.analyse.adc(folder / "run")
    assert [(w.model, w.way) for w in found.ways] == [
        ("classifier:bag", way) for way in (ALL, UNTOUCHED, WITHOUT)
    ]
    assert found.ways[1].pairs < found.ways[0].pairs == 2
    assert found.ways[2].blimp is not None
    assert len(json.loads(json.dumps(adc_json(found)))["three_ways"]) == 3


def test_a_classifier_that_is_not_found_from_here_is_named_with_the_remedy(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    priscian.score("classifier:bag", f"graded:{folder / 'rated.csv'}", out=folder / "run")
    assert len(priscian.analyse.adc(folder / "run").ways) == 3
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    found = priscian.analyse.adc(folder / "run")
    told = (
        "classifier:bag is not shown three ways: no classifier in bag; start in the folder "
        "where it was scored, or put the classifier back"
    )
    assert (found.ways, found.notes) == ((), (told,))
    assert adc_json(found)["notes"] == [told]


def test_without_the_list_of_training_sentences_the_rest_is_shown_with_a_note(folder: Path) -> None:
    priscian.score(
        f"classifier:{folder / 'bag'}", f"graded:{folder / 'rated.csv'}", out=folder / "run"
    )
    (folder / "bag" / "trained_on.json").unlink()
    found = priscian.analyse.adc(folder / "run")
    assert [model.name for model in found.models] == ["classifier:bag"]
    (told,) = found.notes
    assert "classifier:bag is not shown three ways" in told
    assert told.endswith("has no trained_on.json; resume its training, which writes it again")


@pytest.mark.parametrize("text", ["Text g1.", "text G1", "TEXT, g1!"])
def test_case_and_punctuation_do_not_hide_a_leak(text: str) -> None:
    assert SEEN.has_seen(text)
