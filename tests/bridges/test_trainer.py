"""A callback that scores a model during training, and leaves no trace in the training."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import priscian
from priscian.bridges import PriscianCallback
from priscian.bridges.trainer import untouched
from priscian.errors import OffsetsError, PriscianWarning, UnknownNameError, UsageError
from priscian.models.hf.encoding import Tokenizer

pytest.importorskip("accelerate", reason="the Trainer needs accelerate")
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
    default_data_collator,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*worse than guessing",
    "ignore::DeprecationWarning",
    "ignore::FutureWarning",
    "ignore:.*pin_memory",
)
STEPS = 9


@pytest.fixture
def data(tmp_path: Path, texts: list[str]) -> str:
    """Thirty minimal pairs."""
    lines = [f"{a}\t{b}" for a, b in zip(texts[:60:2], texts[1:60:2], strict=True)]
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(["good\tbad", *lines]) + "\n")
    return f"pairs:{path}"


@pytest.fixture
def make(causal: Callable[..., Path], texts: list[str], tmp_path: Path) -> Callable[..., Trainer]:
    """A Trainer of a tiny GPT-2 with dropout, which draws random numbers at every step."""
    folder = causal("gpt2")

    def trainer(*callbacks: Any, **changes: Any) -> Trainer:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_pretrained(
            folder, resid_pdrop=0.2, embd_pdrop=0.2, attn_pdrop=0.2
        )
        rows = [tokenizer(text)["input_ids"][:6] for text in texts]
        rows = [{"input_ids": ids, "labels": ids} for ids in rows if len(ids) == 6]
        arguments = {
            "output_dir": str(tmp_path / "training"),
            "max_steps": STEPS,
            "per_device_train_batch_size": 4,
            "logging_steps": 1,
            "save_strategy": "no",
            "report_to": "none",
            "use_cpu": True,
            "disable_tqdm": True,
            "learning_rate": 0.01,
            "seed": 3,
        }
        return Trainer(
            model=model,
            args=TrainingArguments(**(arguments | changes)),
            train_dataset=rows,
            data_collator=default_data_collator,
            processing_class=tokenizer,
            callbacks=list(callbacks),
        )

    return trainer


def losses(trainer: Trainer) -> list[float]:
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


def test_the_training_is_the_same_with_and_without_the_callback(
    make: Callable[..., Trainer], data: str
) -> None:
    plain = make()
    plain.train()
    callback = PriscianCallback(on=data, every=2)
    watched = make(callback)
    watched.train()
    assert losses(watched) == losses(plain)
    assert len(losses(plain)) == STEPS
    assert len(set(losses(plain))) == STEPS
    for (name, one), two in zip(
        plain.model.named_parameters(), watched.model.parameters(), strict=True
    ):
        assert torch.equal(one, two), name
    assert [entry["step"] for entry in callback.history] == [2, 4, 6, 8]


def test_it_logs_what_score_says_of_the_same_weights(
    make: Callable[..., Trainer], data: str, tmp_path: Path
) -> None:
    callback = PriscianCallback(on=data, every=STEPS, limit=20, out=tmp_path / "curve")
    trainer = make(callback)
    trainer.train()
    trainer.save_model(str(tmp_path / "saved"))
    run = priscian.score(str(tmp_path / "saved"), data, limit=20)
    (entry,) = callback.history
    assert entry["priscian/pairs"] == run.results[0].overall
    logged = [e for e in trainer.state.log_history if "priscian/pairs" in e]
    assert [e["step"] for e in logged] == [STEPS]
    kept = priscian.load_run(tmp_path / "curve" / f"step-{STEPS}")
    assert kept.models == (f"model@step{STEPS}",)
    frame, wanted = kept.results[0].frame(), run.results[0].frame()
    assert frame["item"].to_list() == wanted["item"].to_list()
    difference = (frame["score_good"] - wanted["score_good"]).abs().max()
    assert isinstance(difference, float)
    assert difference < 1e-4  # a loaded model has a fused GELU


def test_by_default_it_scores_with_every_checkpoint_and_logs_through_the_trainer(
    make: Callable[..., Trainer], data: str
) -> None:
    heard: list[dict[str, float]] = []
    trainer = make(max_steps=4, save_strategy="steps", save_steps=2)
    callback = PriscianCallback(on=data, limit=2).add_to(trainer)
    before = trainer.callback_handler.on_log

    def on_log(args: Any, state: Any, control: Any, logs: dict[str, float]) -> Any:
        heard.append(dict(logs))
        return before(args, state, control, logs)

    trainer.callback_handler.on_log = on_log
    trainer.train()
    assert [entry["step"] for entry in callback.history] == [2, 4]
    assert sum("priscian/pairs" in logs for logs in heard) == 2


def test_only_the_first_process_scores(data: str) -> None:
    callback = PriscianCallback(on=data, every=1)
    state = SimpleNamespace(global_step=1, is_world_process_zero=False)
    callback.on_step_end(None, state, None, model=None)
    assert callback.history == []


def test_texts_are_tokenized_once_for_the_whole_training(
    make: Callable[..., Trainer], data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    before = Tokenizer.encode

    def encode(self: Tokenizer, texts: Any, bos: int | None) -> Any:
        calls.append(len(texts))
        return before(self, texts, bos)

    monkeypatch.setattr(Tokenizer, "encode", encode)
    make(PriscianCallback(on=data, every=1, limit=2), max_steps=3).train()
    assert calls == [4]


def test_a_scoring_that_fails_does_not_end_the_training(
    make: Callable[..., Trainer], data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: Any) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr("priscian.bridges.trainer.LiveModel", fail)
    trainer = make(PriscianCallback(on=data, every=1), max_steps=1)
    with pytest.warns(PriscianWarning, match="step 1 was not scored: out of memory"):
        trainer.train()
    assert trainer.state.global_step == 1


class TestUntouched:
    def test_modes_random_states_buffers_and_threads_come_back(self) -> None:
        frozen = torch.nn.BatchNorm1d(3).eval()
        model = torch.nn.Sequential(torch.nn.Dropout(), frozen).train()
        frozen.eval()
        mean, threads = frozen.running_mean, torch.get_num_threads()
        torch.manual_seed(1), random.seed(1), np.random.seed(1)
        wanted = torch.rand(1).item(), random.random(), np.random.rand()
        torch.manual_seed(1), random.seed(1), np.random.seed(1)
        with untouched(model):
            assert not model[0].training
            torch.rand(5), random.random(), np.random.rand()
            with torch.inference_mode():
                frozen.running_mean = torch.ones(3)
            torch.set_num_threads(threads + 1)
        assert model.training
        assert model[0].training
        assert not frozen.training
        assert frozen.running_mean is mean
        assert torch.get_num_threads() == threads
        assert (torch.rand(1).item(), random.random(), np.random.rand()) == wanted

    def test_a_forward_that_accelerate_wrapped_is_unwrapped_meanwhile(self) -> None:
        model: Any = torch.nn.Linear(1, 1)
        plain = model.forward
        model._original_forward, model.forward = plain, lambda x: None
        wrapped = model.forward
        with untouched(model):
            assert model.forward == plain
        assert model.forward is wrapped


class TestRefusals:
    def test_wrong_data_are_refused_before_training(self) -> None:
        with pytest.raises(UnknownNameError):
            PriscianCallback(on="nothing:x")

    def test_steps_are_counted_from_one(self, data: str) -> None:
        with pytest.raises(UsageError, match="every=0"):
            PriscianCallback(on=data, every=0)

    @pytest.mark.parametrize("name", ["fsdp", "deepspeed"])
    def test_divided_weights_are_refused(self, data: str, name: str) -> None:
        with pytest.raises(UsageError, match="priscian watch"):
            PriscianCallback(on=data).on_train_begin(SimpleNamespace(**{name: "x"}), None, None)

    def test_a_tokenizer_is_needed_and_must_be_fast(self, data: str) -> None:
        arguments = SimpleNamespace(fsdp=None, deepspeed=None)
        with pytest.raises(UsageError, match="processing_class"):
            PriscianCallback(on=data).on_train_begin(arguments, None, None)
        slow = SimpleNamespace(is_fast=False)
        with pytest.raises(OffsetsError, match="slow"):
            PriscianCallback(on=data, tokenizer=slow).on_train_begin(arguments, None, None)


def test_the_trainers_tokenizer_is_not_changed(causal: Callable[..., Path]) -> None:
    tokenizer = AutoTokenizer.from_pretrained(causal("gpt2"))
    tokenizer.backend_tokenizer.enable_truncation(3)
    copied = Tokenizer.around(tokenizer, "model")
    assert copied.fast.truncation is None
    assert tokenizer.backend_tokenizer.truncation["max_length"] == 3
