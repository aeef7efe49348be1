"""Files that change between the moment they are hashed and the moment they are used."""

from __future__ import annotations

import os
import random
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tests.swapped_files import MOMENTS, MOMENTS_SEED

import priscian
from priscian.errors import ModelError
from priscian.models import model_key, open_model, parse_model, resolve
from priscian.models.hf.causal import CausalModel, CausalProvider
from priscian.records import Text, TokenScores
from priscian.runs.work import Ahead
from priscian.scoring import Options, ScoreStore, score_texts
from priscian.scoring.cluster import BatchWorker
from priscian.scoring.plan import ScoringTask

TEXTS = [Text(f"The old nurse saw {n} dogs.") for n in ("two", "three", "four", "five", "six")]
INLINE = Options(workers=1, batch_tokens=8)
WEIGHTS = "model.safetensors"


@pytest.fixture
def folder(causal: Callable[..., Path], tmp_path: Path) -> Path:
    """Model A, whose weights may be replaced by those of model B: `folder / "../other"`."""
    a = Path(shutil.copytree(causal("gpt2"), tmp_path / "a"))
    weights = load_file(a / WEIGHTS)
    rng = np.random.default_rng(1)
    noisy = {n: (w + rng.normal(0, 0.1, w.shape)).astype(w.dtype) for n, w in weights.items()}
    save_file(noisy, tmp_path / "other", metadata={"format": "pt"})
    shutil.copy(a / WEIGHTS, tmp_path / "own")
    return a


def swap(folder: Path, name: str = "other") -> None:
    """Replace the weights at once, as `mv` does."""
    new = folder.parent / f"new-{threading.get_ident()}"
    shutil.copy(folder.parent / name, new)
    os.replace(new, folder / WEIGHTS)


def truth(folder: Path, name: str) -> dict[Text, TokenScores]:
    """What the model gives with these weights."""
    swap(folder, name)
    scores = score_texts(f"hf:{folder}", TEXTS, ScoreStore(), options=INLINE).scores
    swap(folder, "own")
    return scores


def after_load(monkeypatch: pytest.MonkeyPatch, *then: Callable[[], None]) -> None:
    """Do something in the middle of loading a model: after its weights were read."""
    load = CausalProvider.load

    def loads(self: CausalProvider, spec: Any) -> CausalModel:
        loaded = load(self, spec)
        for step in then:
            step()
        return loaded

    monkeypatch.setattr(CausalProvider, "load", loads)


class TestWhileLoading:
    def test_weights_that_are_replaced_leave_no_score(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = ScoreStore()
        with monkeypatch.context() as patch:
            after_load(patch, lambda: swap(folder))
            with pytest.raises(ModelError, match=r"changed while it was being loaded"):
                score_texts(f"hf:{folder}", TEXTS, store)
        assert store.models() == []
        swap(folder, "own")
        assert score_texts(f"hf:{folder}", TEXTS, store).computed == len(TEXTS)

    def test_weights_that_were_other_ones_only_meanwhile_leave_none_either(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = ScoreStore()
        load = CausalProvider.load

        def loads_another(self: CausalProvider, spec: Any) -> CausalModel:
            swap(folder)
            loaded = load(self, spec)
            swap(folder, "own")
            return loaded

        monkeypatch.setattr(CausalProvider, "load", loads_another)
        with pytest.raises(ModelError, match="changed while it was being loaded"):
            score_texts(f"hf:{folder}", TEXTS, store)
        assert store.models() == []

    def test_a_tokenizer_that_appears_is_noticed(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        after_load(monkeypatch, lambda: (folder / "added_tokens.json").write_text("{}") and None)
        with pytest.raises(ModelError, match="changed while it was being loaded"):
            open_model(f"hf:{folder}")

    def test_a_run_keeps_no_row_of_the_wrong_model(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "p.csv").write_text("good,bad\nThe dog barks.,The dog bark.\n")
        after_load(monkeypatch, lambda: swap(folder))
        with pytest.raises(ModelError, match="changed while it was being loaded"):
            priscian.score(f"hf:{folder}", f"pairs:{tmp_path / 'p.csv'}", out=tmp_path / "run")
        assert not list((tmp_path / "run").rglob("items.parquet"))

    def test_a_model_that_is_loaded_ahead_is_checked_too(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        second, first = resolve(f"hf:{folder}"), resolve("builtin:ngram")
        after_load(monkeypatch, lambda: swap(folder))
        ahead = Ahead([first, second], ScoreStore(), fits=lambda: True)
        ahead.report(first, 0, 9)
        ahead.report(first, 1, 9)
        with pytest.raises(ModelError, match="changed while it was being loaded"):
            ahead.take(second)

    def test_a_model_that_was_loaded_ahead_of_its_key_is_refused(self, folder: Path) -> None:
        loaded = open_model(f"hf:{folder}")
        swap(folder)
        other = resolve(f"hf:{folder}")
        with pytest.raises(ModelError, match="nothing of it was kept"):
            score_texts(other, TEXTS, ScoreStore(), loaded=loaded)

    def test_a_worker_elsewhere_checks_for_itself(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        spec = parse_model(f"hf:{folder}")
        task = ScoringTask(spec, TEXTS, options=Options(executor="ray"))
        plan = score_texts(spec, TEXTS, ScoreStore()).plan
        assert plan is not None
        worker = BatchWorker(task, plan, str(folder))
        assert worker.ready().key == model_key(spec).digest
        swap(folder)
        with pytest.raises(ModelError, match="has changed since"):
            worker.compute(0)


class TestWhileScoring:
    def test_batches_before_a_change_are_kept_and_none_after_it(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        right = truth(folder, "own")
        store, done = ScoreStore(), []

        def progress(texts: int, total: int) -> None:
            done.append(texts)
            if texts:
                swap(folder)

        key = model_key(f"hf:{folder}")
        with pytest.raises(ModelError, match=r"has changed since .* what was scored before is"):
            score_texts(f"hf:{folder}", TEXTS, store, options=INLINE, progress=progress)
        kept = store.read(key, TEXTS)
        assert 0 < len(kept) < len(TEXTS)
        assert all(kept[text].logps == right[text].logps for text in kept)

    def test_a_file_that_was_only_touched_or_removed_has_not_changed(self, folder: Path) -> None:
        loaded = open_model(f"hf:{folder}")
        (folder / WEIGHTS).touch()
        loaded.check()
        (folder / WEIGHTS).unlink()
        loaded.check()

    def test_a_model_in_a_notebook_says_that_its_file_is_another_now(self, folder: Path) -> None:
        model = priscian.load_model(f"hf:{folder}")
        key = model.key
        first = model.surprisals("The dog barks.")
        swap(folder)
        assert model.key == key
        assert model.surprisals("The dog barks.") == first  # stored
        with pytest.raises(ModelError, match="has changed since"):
            model.surprisals("The cat sleeps.")

    @pytest.mark.filterwarnings("ignore:.*worse than guessing")
    def test_the_end_of_a_text_and_the_text_are_of_one_model(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The file changes after everything is stored, before the results are written."""
        from priscian.runs.kinds.pairs import Pairs

        (tmp_path / "p.csv").write_text("good,bad\nThe dog barks.,The dog bark.\n")
        evaluate = Pairs.evaluate

        def evaluates(self: Pairs, scores: Any) -> Any:
            swap(folder)
            return evaluate(self, scores)

        monkeypatch.setattr(Pairs, "evaluate", evaluates)
        with pytest.raises(ModelError, match="has changed since"):
            priscian.score(f"hf:{folder}", f"pairs:{tmp_path / 'p.csv'}", out=tmp_path / "run")
        assert not list((tmp_path / "run").rglob("items.parquet"))


@pytest.mark.slow
def test_no_row_is_of_another_model_whenever_the_weights_are_replaced(folder: Path) -> None:
    """200 runs, in each of which the weights are replaced at a random moment."""
    rows = {name: truth(folder, name) for name in ("own", "other")}
    keys: dict[str, Any] = {}
    for name in rows:
        swap(folder, name)
        keys[name] = model_key(f"hf:{folder}")
    began = time.monotonic()
    score_texts(f"hf:{folder}", TEXTS, ScoreStore(), options=INLINE)
    usual = time.monotonic() - began
    rng = random.Random(MOMENTS_SEED)
    refused = finished = 0
    for _ in range(MOMENTS):
        swap(folder, "own")
        timer = threading.Timer(rng.uniform(0, 1.3 * usual), swap, (folder, "other"))
        store = ScoreStore()
        timer.start()
        try:
            score_texts(f"hf:{folder}", TEXTS, store, options=INLINE)
            finished += 1
            usual *= 0.95
        except ModelError:
            refused += 1
            usual *= 1.05  # so that both happen, however busy the machine is
        timer.join()
        for name, key in keys.items():
            kept = store.read(key, TEXTS)
            assert all(kept[text].logps == rows[name][text].logps for text in kept)
    print(f"{refused} refused, {finished} finished")
    assert refused > MOMENTS // 10
    assert finished > MOMENTS // 10
