"""Checkpoints of one training: tokenized and planned once, loaded ahead, scored as if alone."""

from __future__ import annotations

import gc
import shutil
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from priscian import score
from priscian.errors import ModelError, UnknownNameError
from priscian.models import (
    ModelKey,
    ResolvedModel,
    find_provider,
    model_key,
    parse_model,
    resolve,
    traits_of,
)
from priscian.models.hf.causal import CausalModel, CausalProvider
from priscian.models.hf.encoding import Tokenizer
from priscian.models.hf.locate import Location
from priscian.records import Text
from priscian.runs import work as module
from priscian.runs.work import Ahead, not_downloaded
from priscian.scoring import Options, ScoreStore
from priscian.scoring.batches import PackedTree

pytestmark = pytest.mark.filterwarnings("ignore:.*worse than guessing")
INLINE = Options(batch_tokens=32, workers=1)


@pytest.fixture
def sweep(causal: Callable[..., Path], tmp_path: Path) -> Path:
    """A folder with three checkpoints, step1, step2 and step3, whose weights differ."""
    for step in (1, 2, 3):
        folder = tmp_path / "sweep" / f"step{step}"
        shutil.copytree(causal("gpt2"), folder)
        weights = {name: t.clone() for name, t in load_file(folder / "model.safetensors").items()}
        weights["transformer.ln_f.weight"] *= step / 2
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return tmp_path / "sweep"


@pytest.fixture
def data(tmp_path: Path, texts: list[str]) -> str:
    """Twenty minimal pairs."""
    lines = [f"{a}\t{b}" for a, b in zip(texts[:40:2], texts[1:40:2], strict=True)]
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(["good\tbad", *lines]) + "\n")
    return f"pairs:{path}"


def count(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[int]:
    """The sizes of the first argument of every call of a method."""
    calls: list[int] = []
    before = getattr(owner, name)

    def counted(self: Any, first: Any, *rest: Any) -> Any:
        calls.append(len(first))
        return before(self, first, *rest)

    monkeypatch.setattr(owner, name, counted)
    return calls


def stored(store: ScoreStore, model: str, texts: list[str]) -> list[tuple[float, ...]]:
    found = store.read(model_key(model), [Text(t) for t in texts])
    return [found[Text(t)].logps for t in texts[:40]]


class TestOnePlan:
    def test_three_checkpoints_are_tokenized_and_divided_into_batches_once(
        self, sweep: Path, data: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        encoded = count(monkeypatch, Tokenizer, "encode")
        grouped = count(monkeypatch, PackedTree, "group")
        run = score(str(sweep), data, revisions="step*", compute=INLINE)
        assert run.models == ("sweep@step1", "sweep@step2", "sweep@step3")
        assert encoded == [40]
        assert grouped == [40]

    def test_every_checkpoint_is_checked_against_plain_scoring(
        self, sweep: Path, data: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        alone: list[str] = []
        before = CausalModel.reference

        def reference(self: CausalModel, encoding: Any) -> list[float]:
            alone.append(self.tokenizer.name)
            return before(self, encoding)

        monkeypatch.setattr(CausalModel, "reference", reference)
        run = score(str(sweep), data, revisions="step*", compute=INLINE)
        plans = [facts.plan or {} for facts in run.info.models.values()]
        assert len({p["digest"] for p in plans}) == 1
        assert set(alone) == {"sweep@step1", "sweep@step2", "sweep@step3"}

    @pytest.mark.parametrize("workers", [1, 2])
    def test_scores_are_bit_equal_to_those_of_each_checkpoint_alone(
        self, sweep: Path, data: str, texts: list[str], workers: int
    ) -> None:
        compute = Options(batch_tokens=32, workers=workers)
        with ScoreStore() as together:
            score(str(sweep), data, revisions="step*", compute=compute, store=together)
            for step in (1, 2, 3):
                with ScoreStore() as alone:
                    name = f"hf:{sweep}@step{step}"
                    score(name, data, store=alone, compute=compute)
                    assert stored(together, name, texts[:40]) == stored(alone, name, texts[:40])

    def test_another_tokenizer_is_not_shared(
        self, causal: Callable[..., Path], data: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        encoded = count(monkeypatch, Tokenizer, "encode")
        folder = causal("gpt2")
        score([f"hf:{folder}", f"hf:{folder}?bos=none"], data, compute=INLINE)
        assert encoded == [40, 40]

    def test_only_new_texts_of_a_later_checkpoint_are_tokenized(
        self, sweep: Path, data: str, texts: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ScoreStore() as store:
            some = Path(data.removeprefix("pairs:")).with_name("some.tsv")
            some.write_text(f"good\tbad\n{texts[0]}\t{texts[1]}\n")
            score(f"hf:{sweep}@step1", f"pairs:{some}", store=store, compute=INLINE)
            encoded = count(monkeypatch, Tokenizer, "encode")
            score(str(sweep), data, revisions="step*", store=store, compute=INLINE)
            assert encoded == [38, 2]


class TestAhead:
    @pytest.fixture
    def loads(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """Names of the threads that loaded a model."""
        names: list[str] = []
        before = CausalModel.__init__

        def begin(self: CausalModel, *rest: Any) -> None:
            names.append(threading.current_thread().name)
            before(self, *rest)

        monkeypatch.setattr(CausalModel, "__init__", begin)
        monkeypatch.setattr(module, "another_fits", lambda: True)
        return names

    @pytest.mark.parametrize("workers", [1, 2])
    def test_the_next_checkpoint_is_loaded_while_one_runs(
        self, sweep: Path, data: str, loads: list[str], workers: int
    ) -> None:
        compute = Options(batch_tokens=32, workers=workers)
        score(str(sweep), data, revisions="step*", compute=compute)
        assert loads == ["MainThread", "next model", "next model"]

    def test_at_most_two_models_are_in_memory(
        self, sweep: Path, data: str, loads: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        alive: list[weakref.ref[CausalModel]] = []
        most: list[int] = []
        before = CausalModel.__init__

        def begin(self: CausalModel, *rest: Any) -> None:
            gc.collect()
            alive.append(weakref.ref(self))
            most.append(sum(reference() is not None for reference in alive))
            before(self, *rest)

        monkeypatch.setattr(CausalModel, "__init__", begin)
        score(str(sweep), data, revisions="step*", compute=INLINE)
        assert len(most) == 3
        assert max(most) <= 2  # on a busy machine the first may be gone before the second comes

    def test_nothing_is_loaded_ahead_where_memory_is_short(
        self, sweep: Path, data: str, loads: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "another_fits", lambda: False)
        score(str(sweep), data, revisions="step*", compute=INLINE)
        assert loads == ["MainThread"] * 3

    def test_a_half_precision_model_is_not_loaded_ahead(
        self, sweep: Path, loads: list[str]
    ) -> None:
        models = [resolve(f"hf:{sweep}@step{n}?dtype=bfloat16") for n in (1, 2)]
        ahead = Ahead(models, ScoreStore())
        for done in (0, 5):
            ahead.report(models[0], done, 9)
        assert ahead.take(models[1]) is None
        assert loads == []

    def test_a_checkpoint_that_is_in_the_store_is_not_loaded(
        self, sweep: Path, data: str, loads: list[str]
    ) -> None:
        with ScoreStore() as store:
            score(f"hf:{sweep}@step2", data, store=store, compute=INLINE)
            loads.clear()
            score(str(sweep), data, revisions="step*", store=store, compute=INLINE)
        assert loads == ["MainThread", "MainThread"]

    def test_an_error_while_loading_is_raised_in_its_turn(
        self, sweep: Path, data: str, loads: list[str], tmp_path: Path
    ) -> None:
        (sweep / "step2" / "model.safetensors").write_bytes(b"no weights")
        with pytest.raises(ModelError, match=r"weights of hf:.*step2"):
            score(str(sweep), data, revisions="step*", compute=INLINE, out=tmp_path / "run")
        assert (tmp_path / "run" / "sweep@step1" / "pairs" / "summary.json").is_file()

    def test_standard_error_of_other_threads_is_left_alone(
        self, sweep: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        import sys

        before, seen = sys.stderr, []
        done = Ahead(
            [resolve(f"hf:{sweep}@step{n}") for n in (1, 2)], ScoreStore(), fits=lambda: True
        )
        done.report(done.models[0], 0, 9)
        done.report(done.models[0], 1, 9)
        while done._loading is not None and done._loading.thread.is_alive():
            seen.append(sys.stderr is before)
        assert all(seen)
        loaded = done.take(done.models[1])
        assert loaded is not None
        assert isinstance(loaded.model, CausalModel)

    def test_workers_that_start_again_wait_for_the_loader(
        self, sweep: Path, loads: list[str]
    ) -> None:
        models = [resolve(f"hf:{sweep}@step{n}") for n in (1, 2)]
        ahead = Ahead(models, ScoreStore())
        for done in (0, 5, 2):  # the third report: batches are computed again
            ahead.report(models[0], done, 9)
        assert ahead._loading is not None
        assert not ahead._loading.thread.is_alive()


class TestKeepWeights:
    @pytest.fixture
    def hub(self, sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The Hub's cache with two commits of a model that share a tokenizer."""
        import huggingface_hub.constants

        cache = tmp_path / "hub"
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(cache))
        repository = cache / "models--us--tiny"
        (repository / "blobs").mkdir(parents=True)
        for step, digit in ((1, "a"), (2, "b")):
            snapshot = repository / "snapshots" / (40 * digit)
            snapshot.mkdir(parents=True)
            for file in (sweep / f"step{step}").iterdir():
                own = f"{digit}-" if file.suffix == ".safetensors" else ""
                blob = repository / "blobs" / f"{own}{file.name}"
                shutil.copy(file, blob)
                (snapshot / file.name).symlink_to(blob)
        return repository

    def model(self, digit: str, more: str = "") -> ResolvedModel:
        """A model of the Hub, which cannot be asked for its key here."""
        spec = parse_model(f"hf:us/tiny@{40 * digit}{more}")
        key = ModelKey({"model": str(spec)})
        return ResolvedModel(spec, find_provider(spec.provider), key, traits_of(spec))

    def test_weights_that_were_there_before_are_kept(self, hub: Path) -> None:
        there, missing = self.model("a"), self.model("c")
        assert not_downloaded([there, missing]) == {missing}

    def test_weights_of_this_run_go_and_everything_else_stays(self, hub: Path) -> None:
        models = [self.model("a"), self.model("b")]
        Ahead(models, None, frozenset(models)).finish(models[0])
        assert not (hub / "blobs" / "a-model.safetensors").exists()
        assert (hub / "blobs" / "b-model.safetensors").is_file()
        assert (hub / "snapshots" / (40 * "a") / "tokenizer.json").is_file()
        assert not_downloaded(models) == {models[0]}

    def test_a_run_removes_the_weights_of_each_checkpoint_after_it_was_scored(
        self, hub: Path, data: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        specs = [self.model("a").spec, self.model("b").spec]
        places = {str(s): Location(str(hub / "snapshots" / s.revision)) for s in specs}
        monkeypatch.setattr(CausalProvider, "place", lambda self, spec: places[str(spec)])
        monkeypatch.setattr(
            "priscian.runs.work.not_downloaded", lambda models: frozenset(models[:1])
        )
        score(specs, data, keep_weights="none", compute=INLINE)
        assert not (hub / "blobs" / "a-model.safetensors").exists()
        assert (hub / "blobs" / "b-model.safetensors").is_file()  # it was there before

    def test_weights_that_another_commit_shares_stay(self, hub: Path) -> None:
        twin = hub / "snapshots" / (40 * "d")
        shutil.copytree(hub / "snapshots" / (40 * "a"), twin, symlinks=True)
        models = [self.model("a")]
        Ahead(models, None, frozenset(models)).finish(models[0])
        assert (twin / "model.safetensors").is_file()

    def test_weights_that_a_later_model_needs_stay_until_then(self, hub: Path) -> None:
        models = [self.model("a"), self.model("a", "?bos=none")]
        ahead = Ahead(models, None, frozenset(models))
        ahead.finish(models[0])
        assert (hub / "blobs" / "a-model.safetensors").exists()
        ahead.finish(models[1])
        assert not (hub / "blobs" / "a-model.safetensors").exists()

    def test_a_local_folder_is_never_touched(self, sweep: Path) -> None:
        model = resolve(f"hf:{sweep}@step1")
        assert not_downloaded([model]) == frozenset()
        Ahead([model], None, frozenset([model])).finish(model)
        assert (sweep / "step1" / "model.safetensors").is_file()

    def test_another_choice_is_refused(self, data: str) -> None:
        with pytest.raises(UnknownNameError, match="keep_weights"):
            score("builtin:ngram", data, keep_weights="some")  # type: ignore[typeddict-item]


def test_models_of_one_tokenizer_have_one_encoding_key(causal: Callable[..., Path]) -> None:
    from priscian.models import load

    gpt2, llama = (load(f"hf:{causal(kind)}") for kind in ("gpt2", "llama"))
    without: Any = load(f"hf:{causal('gpt2')}?bos=none")
    assert isinstance(gpt2, CausalModel)
    assert isinstance(llama, CausalModel)
    assert gpt2.encoding_key == llama.encoding_key != without.encoding_key
    assert torch.get_default_dtype() == torch.float32
