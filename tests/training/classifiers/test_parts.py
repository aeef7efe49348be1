"""The parts of training: data, evaluation, probes, baselines, batches."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.training.classifiers.toy_cola import write_cola

from priscian.errors import DataError, UsageError
from priscian.models.classifier.encoder import View
from priscian.training.classifiers.data import (
    Labelled,
    plain,
    plain_hash,
    read_cola_data,
    read_data,
)
from priscian.training.classifiers.fits import fit_bag, majority_logit
from priscian.training.classifiers.job import (
    accuracy,
    ensemble,
    fit_temperature,
    is_collapsed,
    mcc,
)
from priscian.training.classifiers.networks import batches, fit_mlp
from priscian.training.classifiers.probe import choose_probe, cross_validate, fit_probe, folds_of
from priscian.training.classifiers.settings import ClassifierSettings, Steps


class TestData:
    def test_cola_as_counted(self, shared: Path) -> None:
        data = read_cola_data(shared / "data" / "cola")
        sizes = {name: len(s.texts) for name, s in data.sets.items()}
        assert sizes == {"in-domain dev": 527, "out-of-domain dev": 516, "out-of-domain test": 533}
        assert len(data.train.texts) == 8551 - 6  # six sentences of in-domain dev are in train
        assert not set(data.train.texts) & set(data.dev.texts)

    def test_without_adgers_textbook(self, shared: Path) -> None:
        folder = shared / "data" / "cola"
        less = read_cola_data(folder, ["ad03"])
        assert len(read_cola_data(folder).train.texts) - len(less.train.texts) == 852
        assert less.digest != read_cola_data(folder).digest

    def test_a_source_that_is_not_there_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no source 'ad30'; they have ad03, gj04"):
            read_cola_data(write_cola(tmp_path), ["ad30"])

    def test_missing_files_are_named(self, tmp_path: Path) -> None:
        folder = write_cola(tmp_path)
        (folder / "cola_in_domain_train.csv").unlink()
        with pytest.raises(
            DataError, match=r"no cola_in_domain_train\.csv; give the folder of CoLA"
        ):
            read_cola_data(folder)
        (folder / "cola_out_of_domain_test.csv").unlink()
        with pytest.raises(DataError, match="no out-of-domain test sentences"):
            read_cola_data(folder)

    def test_one_class_is_refused(self, tmp_path: Path) -> None:
        folder = write_cola(tmp_path)
        file = folder / "cola_in_domain_train.csv"
        file.write_text(file.read_text().replace(",0,,", ",1,,"))
        with pytest.raises(DataError, match="all 120 sentences are acceptable; a classifier needs"):
            read_cola_data(folder)
        with pytest.raises(DataError, match="no sentences"):
            Labelled("x", (), ()).check_both()

    def test_other_data_are_refused(self) -> None:
        with pytest.raises(UsageError, match="give `on=cola:DIR`"):
            read_data("blimp:data")

    def test_a_leak_ignores_case_and_punctuation(self) -> None:
        assert plain("Who  did you see?") == plain("who did, you SEE") == "who did you see"
        assert plain_hash("Go!") == plain_hash("go")


class TestEvaluation:
    def test_matthews_by_hand(self) -> None:
        # tp 2, tn 1, fp 1, fn 1: (2 · 1 − 1 · 1) / √(3 · 3 · 2 · 2) = 1/6
        labels = [True, True, True, False, False]
        logits = [1.0, 2.0, -1.0, -2.0, 3.0]
        assert mcc(labels, logits) == pytest.approx(1 / 6)
        assert accuracy(labels, logits) == 0.6

    def test_the_ensemble_is_the_majority_and_the_mean_settles_an_even_split(self) -> None:
        three = [np.array([1.0, -1.0]), np.array([0.1, -0.1]), np.array([-9.0, 9.0])]
        assert ensemble(three).tolist() == [True, False]
        two = [np.array([1.0, -3.0]), np.array([-2.0, 4.0])]
        assert ensemble(two).tolist() == [False, True]

    def test_a_restart_with_one_label_has_collapsed_and_its_correlation_is_zero(self) -> None:
        assert is_collapsed([0.3, 2.0])
        assert not is_collapsed([0.3, -2.0])
        assert mcc([True, False], [0.3, 2.0]) == 0

    def test_the_temperature_of_logits_that_are_twice_too_large_is_two(self) -> None:
        # one of four is wrong at logit ±2 log 3, so p = ¾, which is the logistic of log 3
        labels = [True, True, True, False]
        assert fit_temperature(labels, [2 * math.log(3)] * 4) == pytest.approx(2.0, abs=1e-3)


class TestProbe:
    def test_labels_of_one_linear_feature_are_found(self) -> None:
        rng = np.random.default_rng(0)
        x = rng.normal(size=(6000, 20)).astype(np.float32)
        labels = (x[:, 3] > 0).tolist()
        head = fit_probe(x[:5000], labels[:5000], 1.0)
        assert mcc(labels[5000:], head.logits(x[5000:])) > 0.95

    def test_random_labels_give_nothing(self) -> None:
        rng = np.random.default_rng(1)
        x = rng.normal(size=(12_000, 8)).astype(np.float32)
        labels = (rng.random(12_000) < 0.5).tolist()
        head = fit_probe(x[:4000], labels[:4000], 0.01)
        assert abs(mcc(labels[4000:], head.logits(x[4000:]))) < 0.05

    def test_the_view_that_has_the_feature_is_chosen(self) -> None:
        rng = np.random.default_rng(2)
        noise = rng.normal(size=(400, 6)).astype(np.float32)
        informed = rng.normal(size=(400, 6)).astype(np.float32)
        labels = (informed[:, 0] + informed[:, 1] > 0).tolist()
        states = {View(0, "mean"): noise, View(1, "mean"): informed}
        choice = choose_probe(states, labels)
        assert choice.view == View(1, "mean")
        assert choice.views[View(1, "mean")] > 0.8 > choice.views[View(0, "mean")]
        assert choice == choose_probe(states, labels)

    def test_folds_have_both_labels_in_proportion(self) -> None:
        labels = [True] * 50 + [False] * 25
        folds = folds_of(labels, 5, seed=3)
        for fold in range(5):
            own = [label for label, f in zip(labels, folds, strict=True) if f == fold]
            assert (own.count(True), own.count(False)) == (10, 5)

    def test_cross_validation_never_sees_the_held_out_labels(self) -> None:
        rng = np.random.default_rng(4)
        x = rng.normal(size=(200, 150)).astype(np.float32)  # enough to learn 200 labels by heart
        labels = (rng.random(200) < 0.5).tolist()
        found = cross_validate(x, labels, [1.0], folds_of(labels, 5, 1))[1.0]
        assert mcc(labels, fit_probe(x, labels, 1.0).logits(x)) > 0.95
        assert abs(found) < 0.25


def test_a_hidden_layer_finds_what_a_line_cannot() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(1500, 2)).astype(np.float32)
    labels = (x[:, 0] * x[:, 1] > 0).tolist()
    assert abs(mcc(labels, fit_probe(x, labels, 1.0).logits(x))) < 0.2
    steps = Steps(rate=5e-3, epochs=30, batch=64)
    head = fit_mlp(x[:1000], labels[:1000], 1, steps, dropout=0.0)
    assert mcc(labels[1000:], head.logits(x[1000:])) > 0.8
    again = fit_mlp(x[:1000], labels[:1000], 1, steps, dropout=0.0)
    assert (again.logits(x) == head.logits(x)).all()


class TestBaselines:
    def test_the_majority_by_hand(self) -> None:
        assert majority_logit([True, True, False]) == pytest.approx(math.log(2.5 / 1.5))

    def test_a_bag_sees_words_and_not_their_order_beyond_three(self) -> None:
        texts = ["a b", "b a"] * 20
        labels = [True, False] * 20
        bag = fit_bag(texts, labels, 1.0)
        assert mcc(labels, bag.logits(texts)) == 1.0
        words = fit_bag(texts, labels, 1.0, longest=1)
        assert abs(words.logits(["a b"])[0] - words.logits(["b a"])[0]) < 1e-6


def test_batches_have_every_example_once_and_similar_lengths() -> None:
    lengths = np.random.default_rng(0).integers(1, 60, 500).tolist()
    made = batches(lengths, 16, np.random.default_rng(1))
    assert sorted(i for part in made for i in part) == list(range(500))
    waste = sum(max(lengths[i] for i in part) * len(part) for part in made) / sum(lengths)
    assert waste < 1.2
    assert made == batches(lengths, 16, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"method": "probe"}, "needs a model: `encoder=minilm`"),
        ({"method": "ngrams", "encoder": "minilm"}, "has no encoder"),
        ({"method": "probe", "encoder": "minilm", "restarts": 5}, "has one solution"),
        ({"method": "probes", "encoder": "minilm"}, "did you mean probe"),
        (
            {"method": "mlp", "encoder": "minilm", "restarts": 0},
            "`restarts=0`: it takes a number from 1",
        ),
        ({"method": "probe", "encoder": "minilm", "rate": 1e-3}, "has no `rate=`"),
        ({"method": "finetune", "encoder": "minilm", "layer": 3}, "uses its last layer"),
        ({"method": "finetune", "encoder": "minilm", "epochs": -1}, "a number from 1 to"),
        ({"method": "mlp", "encoder": "minilm", "select": "test"}, "no select 'test'"),
        ({"method": "mlp", "encoder": "minilm", "pooling": "sum"}, "no pooling 'sum'"),
    ],
)
def test_settings_that_cannot_be_are_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        ClassifierSettings(**given)  # type: ignore[arg-type]
