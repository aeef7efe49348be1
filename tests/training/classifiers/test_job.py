"""Classifiers from start to end on toy data: restarts, resuming, selection, scoring with them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.training.classifiers.toy_cola import write_cola

import priscian
from priscian.errors import DataError, ModelError, RunError, TrainingError, UsageError
from priscian.models import load, model_key, parse_model, traits_of
from priscian.models.classifier.folder import ClassifierCard, RestartCard, read_card
from priscian.records import Text
from priscian.scoring import ScoreStore, grade_texts, score_texts
from priscian.training.classifiers import fits, job
from priscian.training.classifiers.data import plain_hash
from priscian.training.classifiers.job import choose_restart, read_logits, train_classifier
from priscian.training.classifiers.settings import ClassifierSettings

TEST = "out-of-domain test"


@pytest.fixture(scope="module")
def cola(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cola(tmp_path_factory.mktemp("cola"))


def train(cola: Path, out: Path, resume: bool = False, **settings: object) -> ClassifierCard:
    made = ClassifierSettings(**settings)  # type: ignore[arg-type]
    return train_classifier(f"cola:{cola}", out, made, resume=resume)


def logits(folder: Path) -> list[dict[str, float]]:
    return [read_logits(folder, restart) for restart in read_card(folder).restarts]


def test_a_probe_is_trained_saved_and_scores_the_same(
    cola: Path, tmp_path: Path, causal: Callable[..., Path]
) -> None:
    out = tmp_path / "probe"
    card = train(cola, out, encoder=str(causal("llama")))
    assert (card.chosen, len(card.restarts), card.wanted) == (1, 1, 1)
    assert card.restarts[0].mcc[TEST] > 0.8  # a word that stands twice is easy to see
    known = logits(out)[0]
    data = job.read_data(f"cola:{cola}")
    texts = [Text(t) for t in data.test.texts]
    found = load(f"classifier:{out}?score=logit").grade(texts)  # type: ignore[union-attr]
    assert found == [known[i] for i in data.test.ids]
    hashes = json.loads((out / "trained_on.json").read_text())
    assert plain_hash(data.train.texts[0].upper()) in hashes


@pytest.mark.parametrize(("method", "kind"), [("finetune", "bert"), ("lora", "llama")])
def test_a_tuned_encoder_is_restored_from_its_weights(
    method: str,
    kind: str,
    cola: Path,
    tmp_path: Path,
    causal: Callable[..., Path],
    masked: Callable[..., Path],
) -> None:
    encoder = masked() if kind == "bert" else causal(kind)
    shape = {"restarts": 1, "epochs": 1, "rate": 1e-3, "method": method}
    train(cola, tmp_path / "a", encoder=str(encoder), **shape)
    data = job.read_data(f"cola:{cola}")
    found = load(f"{tmp_path / 'a'}?score=logit").grade(  # type: ignore[union-attr]
        [Text(t) for t in data.test.texts]
    )
    known = logits(tmp_path / "a")[0]
    assert np.allclose(found, [known[i] for i in data.test.ids], atol=1e-5)
    train(cola, tmp_path / "b", encoder=str(encoder), **shape)
    assert logits(tmp_path / "a") == logits(tmp_path / "b")
    weights = (tmp_path / "a" / "restart-1" / "model.safetensors").stat().st_size
    whole = (encoder / "model.safetensors").stat().st_size
    assert weights < whole / 4 if method == "lora" else weights > whole / 4


def test_tuning_tells_how_far_it_is_in_every_epoch(
    cola: Path, tmp_path: Path, masked: Callable[..., Path]
) -> None:
    told: list[str] = []
    settings = ClassifierSettings(
        encoder=str(masked()), method="finetune", restarts=1, epochs=2, batch=4
    )
    train_classifier(f"cola:{cola}", tmp_path / "x", settings, say=told.append)
    for epoch in ("1 of 2", "2 of 2"):
        lines = [line for line in told if line.startswith(f"epoch {epoch}: ")]
        assert len(lines) == 10
        assert all(line.endswith(" min left of this restart") for line in lines[:-1])
        assert "loss" in lines[-1]


def test_same_seed_same_predictions_and_a_killed_training_resumes_to_the_same(
    cola: Path, tmp_path: Path, masked: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"encoder": str(masked()), "method": "mlp", "restarts": 10, "epochs": 3, "layer": 1}
    whole = train(cola, tmp_path / "whole", **settings)
    fit = fits._on_states
    count = []

    def killed(*given: object) -> fits.Fitted:
        count.append(1)
        if len(count) > 4:
            raise KeyboardInterrupt
        return fit(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(fits, "_on_states", killed)
    out = tmp_path / "killed"
    with pytest.raises(KeyboardInterrupt):
        train(cola, out, **settings)
    assert len(read_card(out).restarts) == 4
    with pytest.raises(ModelError, match="has 4 of 10 restarts; finish its training with"):
        model_key(f"classifier:{out}")
    with pytest.raises(
        RunError, match="has 4 of 10 restarts of a classifier; continue it with `resume=True`"
    ):
        train(cola, out, **settings)
    monkeypatch.setattr(fits, "_on_states", fit)
    resumed = train(cola, out, resume=True, **settings)
    assert logits(out) == logits(tmp_path / "whole")
    assert resumed.chosen == whole.chosen
    assert [r.seed for r in resumed.restarts] == list(range(1, 11))
    assert len({json.dumps(one) for one in logits(out)}) > 1  # restarts differ
    with pytest.raises(RunError, match=r"other settings \(seed 1, now 2\)"):
        train(cola, out, resume=True, **(settings | {"seed": 2}))


def test_a_restart_that_was_cut_off_while_writing_is_trained_again(
    cola: Path, tmp_path: Path
) -> None:
    out = tmp_path / "bag"
    train(cola, out, method="ngrams")
    before = logits(out)
    (out / "restart-1" / "restart.json").unlink()
    train(cola, out, resume=True, method="ngrams")
    assert logits(out) == before


def test_a_training_is_not_resumed_with_other_test_sentences(cola: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(cola, other)
    train(cola, tmp_path / "m", method="majority")
    assert set(read_card(tmp_path / "m").tested) == {"in-domain dev", "out-of-domain dev", TEST}
    file = other / "cola_out_of_domain_test.csv"
    header, *rows = file.read_text().splitlines()
    file.write_text("\n".join([header, *reversed(rows), ""]))
    with pytest.raises(RunError, match="other sentences or labels of out-of-domain"):
        train(other, tmp_path / "m", resume=True, method="majority")
    card = json.loads((tmp_path / "m" / "classifier.json").read_text())
    del card["tested"]  # a card of an older version has no hashes
    (tmp_path / "m" / "classifier.json").write_text(json.dumps(card))
    assert train(cola, tmp_path / "m", resume=True, method="majority").chosen == 1


def test_collapsed_restarts_are_counted_and_kept(cola: Path, tmp_path: Path) -> None:
    card = train(cola, tmp_path / "majority", method="majority")
    assert card.restarts[0].collapsed
    assert card.restarts[0].mcc[TEST] == 0
    assert card.chosen == 1


def test_selection_is_on_in_domain_dev_or_on_test_as_in_the_paper() -> None:
    made = [
        RestartCard(number=n, seed=n, mcc={"in-domain dev": a, TEST: b})
        for n, (a, b) in enumerate([(0.1, 0.5), (0.3, 0.2), (0.3, 0.4)], 1)
    ]
    card = ClassifierCard(method="mlp", data="x", data_digest="y", restarts=tuple(made))
    assert choose_restart(card) == 2
    paper = ClassifierCard(
        method="mlp", data="x", data_digest="y", restarts=tuple(made), select="paper"
    )
    assert choose_restart(paper) == 1


@pytest.mark.parametrize("method", ["logp", "slor"])
def test_a_threshold_on_a_language_model_is_a_baseline_and_no_model(
    method: str, cola: Path, tmp_path: Path
) -> None:
    card = train(cola, tmp_path / "lm", method=method, encoder="builtin:ngram")
    assert card.restarts[0].intercept == -card.restarts[0].log["threshold"]  # type: ignore[operator]
    with pytest.raises(ModelError, match="score builtin:ngram itself"):
        model_key(f"classifier:{tmp_path / 'lm'}")


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bag of n-grams, trained on the toy data beside it."""
    folder = tmp_path_factory.mktemp("bag")
    train(write_cola(folder / "cola"), folder / "bag", method="ngrams")
    return folder / "bag"


class TestProvider:
    def test_a_folder_is_known_without_its_provider(self, bag: Path) -> None:
        spec = parse_model(str(bag))
        assert str(spec) == f"classifier:{bag}"
        assert traits_of(spec).grades

    def test_the_provider_is_known_where_the_installation_is_older(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from priscian.models import registry

        monkeypatch.setattr(registry, "entry_points", lambda group: ())
        registry._entry_points.cache_clear()
        try:
            assert "classifier" in registry.provider_names()
        finally:
            monkeypatch.undo()
            registry._entry_points.cache_clear()

    def test_grades_are_kept_in_the_channel_score(self, bag: Path) -> None:
        text = Text("Ann saw a dog near the cat.")
        store = ScoreStore()
        first = grade_texts(f"classifier:{bag}", [text], store)
        assert first.computed == 1
        key = model_key(f"classifier:{bag}")
        kept = store.read(key, [text], "score")[text]
        assert (kept.starts, kept.ends) == ((0,), (len(text.text),))
        assert kept.logps == first.scores[text].logps
        assert store.read(key, [text]) == {}
        assert grade_texts(f"classifier:{bag}", [text], store).computed == 0

    def test_kinds_of_score_have_keys_of_their_own(self, bag: Path) -> None:
        kinds = ("confidence", "logit", "calibrated")
        keys = {model_key(f"classifier:{bag}?score={kind}").digest for kind in kinds}
        assert len(keys) == 3
        assert model_key(f"classifier:{bag}").digest in keys
        assert model_key(f"classifier:{bag}@restart-1") == model_key(f"classifier:{bag}")

    def test_tokens_are_refused_before_anything_is_loaded(self, bag: Path) -> None:
        told = "gives one number for a whole sentence and has no surprisals"
        with pytest.raises(ModelError, match=told):
            score_texts(f"classifier:{bag}", [Text("Go.")], ScoreStore())
        with pytest.raises(ModelError, match=told):
            priscian.surprisals(f"classifier:{bag}", ["Go."])
        with pytest.raises(ModelError, match=told):
            priscian.perplexity(f"classifier:{bag}", "Go.")

    def test_contexts_are_refused(self, bag: Path) -> None:
        with pytest.raises(ModelError, match="cannot read a context"):
            load(f"classifier:{bag}").grade([Text("Go.", "Now. ")])  # type: ignore[union-attr]

    def test_a_folder_without_a_classifier_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match=r"has no classifier\.json; give a folder that"):
            model_key(f"classifier:{tmp_path}")

    def test_an_unknown_restart_or_score_is_refused(self, bag: Path) -> None:
        with pytest.raises(ModelError, match="no restart 'restart-7'; it has restart-1"):
            model_key(f"classifier:{bag}@restart-7")
        with pytest.raises(UsageError, match="no score of a classifier 'logits'"):
            model_key(f"classifier:{bag}?score=logits")

    def test_pairs_are_compared_whole_and_suites_are_refused(self, bag: Path) -> None:
        run = priscian.score(f"classifier:{bag}", "generated:7,5,anaphor_number_agreement")
        summary = run.results[0].summary
        assert list(summary.methods) == ["full"]  # type: ignore[attr-defined]
        assert summary.measure == "score"
        with pytest.raises(
            UsageError, match="has one number for a whole sentence; give a language"
        ):
            priscian.score(f"classifier:{bag}", "generated-sg:7,2,mvrr")
        with pytest.raises(UsageError, match="so there is no slor of it"):
            priscian.score(f"classifier:{bag}", "generated:7,5,wh_island", measure="slor")

    def test_what_it_rests_on_is_cited(self, bag: Path) -> None:
        from priscian.runs.cite import keys_of, references

        run = priscian.score(f"classifier:{bag}", "generated:7,5,wh_island")
        assert {"adc", "cola"} <= set(keys_of(run.info)) <= set(references())

    def test_restarts_are_scored_by_a_pattern(self, bag: Path) -> None:
        run = priscian.score(str(bag), "generated:7,5,wh_island", revisions="restart-*")
        assert [r.model for r in run.results] == ["classifier:bag@restart-1"]

    def test_cola_is_scored_too(self, bag: Path) -> None:
        run = priscian.score(f"classifier:{bag}", f"cola:{bag.parent / 'cola'}")
        assert run.results[0].summary.labels.sets[TEST].n == 40  # type: ignore[attr-defined]


def test_an_encoder_that_has_changed_is_refused(
    cola: Path, tmp_path: Path, masked: Callable[..., Path]
) -> None:
    encoder = tmp_path / "encoder"
    shutil.copytree(masked(), encoder)
    train(cola, tmp_path / "probe", encoder=str(encoder), layer=1, pooling="mean")
    config = encoder / "config.json"
    config.write_text(config.read_text() + "\n")
    with pytest.raises(ModelError, match="is not the one that the classifier was trained on"):
        load(f"classifier:{tmp_path / 'probe'}").grade([Text("Go.")])  # type: ignore[union-attr]


def test_a_layer_that_is_not_there_is_refused(
    cola: Path, tmp_path: Path, masked: Callable[..., Path]
) -> None:
    with pytest.raises(UsageError, match=r"has no layer 40; it has 0 \(embeddings\) to 2"):
        train(cola, tmp_path / "x", encoder=str(masked()), layer=40)
    # nothing was trained, so the corrected command may use the same folder
    card = train(cola, tmp_path / "x", encoder=str(masked()), layer=1, pooling="mean")
    assert (card.chosen, card.settings) == (1, {"layer": 1, "pooling": "mean"})


def test_a_loss_that_is_not_a_number_is_reported(
    cola: Path, tmp_path: Path, masked: Callable[..., Path]
) -> None:
    with pytest.raises(TrainingError, match="lower the rate"):
        train(cola, tmp_path / "x", encoder=str(masked()), method="finetune", epochs=2, rate=1e30)


def test_a_head_whose_loss_is_not_a_number_is_reported_and_not_kept(
    cola: Path, tmp_path: Path, masked: Callable[..., Path]
) -> None:
    settings = {"encoder": str(masked()), "method": "mlp", "layer": 1, "pooling": "mean"}
    with pytest.raises(TrainingError, match=r"the loss is .* lower the rate: `rate=0\.0003`"):
        train(cola, tmp_path / "x", epochs=2, rate=1e30, restarts=1, **settings)
    assert not list((tmp_path / "x").glob("restart-*"))


def test_a_restart_with_logits_that_are_not_finite_is_not_kept(
    cola: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = fits.Fitted(lambda texts: np.full(len(texts), np.nan))
    monkeypatch.setattr(fits, "_majority", lambda data: nothing)
    with pytest.raises(TrainingError, match=r"restart 1 \(seed 1\) gives logits on in-domain dev"):
        train(cola, tmp_path / "x", method="majority")
    assert not list((tmp_path / "x").glob("restart-*"))


@pytest.mark.parametrize(("domain", "name"), [("In", "in-domain dev"), ("test", TEST)])
def test_one_label_where_a_restart_is_chosen_is_refused(
    domain: str, name: str, tmp_path: Path
) -> None:
    folder = write_cola(tmp_path / "cola")
    for file in folder.glob("*annotations*" if domain == "In" else "*test.csv"):
        text = file.read_text()
        file.write_text(text.replace("\tIn\t0\t", "\tIn\t1\t").replace(",0,,", ",1,,"))
    with pytest.raises(DataError, match=f"{name}: all 40 sentences are acceptable"):
        train(folder, tmp_path / "x", method="majority", select="paper")
    assert not (tmp_path / "x").exists()


class TestDamagedFolders:
    def test_a_chosen_restart_that_is_not_there(self, cola: Path, tmp_path: Path) -> None:
        train(cola, tmp_path, method="majority")
        file = tmp_path / "classifier.json"
        file.write_text(file.read_text().replace('"chosen": 1', '"chosen": 7'))
        with pytest.raises(
            ModelError, match=r"classifier\.json: the chosen restart is 7, but it has 1; write 0"
        ):
            model_key(f"classifier:{tmp_path}")
        file.write_text(file.read_text().replace('"chosen": 7', '"chosen": 0'))
        assert train(cola, tmp_path, resume=True, method="majority").chosen == 1

    @pytest.mark.parametrize("value", ["good", "nan", ""])
    def test_a_logit_that_is_not_a_number(self, value: str, cola: Path, tmp_path: Path) -> None:
        card = train(cola, tmp_path, method="majority")
        file = tmp_path / "restart-1" / "logits.csv"
        lines = file.read_text().splitlines()
        lines[2] = lines[2].split(",")[0] + f",{value}"
        file.write_text("\n".join([*lines, ""]))
        told = r"logits\.csv:3: the logit .* is not a finite number; delete .* train it again"
        with pytest.raises(DataError, match=told):
            read_logits(tmp_path, card.restarts[0])

    def test_views_and_heads_that_do_not_fit(
        self, cola: Path, tmp_path: Path, masked: Callable[..., Path]
    ) -> None:
        from priscian.models.classifier.heads import LinearHead

        settings = {"encoder": str(masked()), "layer": 1, "pooling": "mean"}
        train(cola, tmp_path, **settings)
        (tmp_path / "restart-1" / "restart.json").unlink()
        for text in ("{}", "[]", '{"view": "x", "c": 1, "views": {}, "penalties": {}}'):
            (tmp_path / "views.json").write_text(text)
            with pytest.raises(DataError, match=r"views\.json does not hold a layer.*delete it"):
                train(cola, tmp_path, resume=True, **settings)
        (tmp_path / "views.json").unlink()
        train(cola, tmp_path, resume=True, **settings)
        three = np.ones(3, np.float32)
        head = tmp_path / "restart-1" / "head.safetensors"
        LinearHead(three, three, three, 0.0).save(head)
        with pytest.raises(ModelError, match=r"head\.safetensors is a head for vectors of width 3"):
            load(f"classifier:{tmp_path}").grade([Text("Go.")])  # type: ignore[union-attr]
        LinearHead(three, three, np.ones(2, np.float32), 0.0).save(head)
        with pytest.raises(ModelError, match=r"weights has the shape \(2,\), not \(3,\).*train it"):
            load(f"classifier:{tmp_path}")


def test_a_folder_of_something_else_is_not_overwritten(cola: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="is not empty and holds no classifier"):
        train(cola, tmp_path, method="majority")
