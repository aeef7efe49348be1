"""A callback for Transformers' Trainer: a grammar curve during training."""

from __future__ import annotations

import contextlib
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from transformers import TrainerCallback

from priscian.errors import PriscianError, PriscianWarning, UsageError, flat
from priscian.models import ModelSpec, TorchModel, Traits
from priscian.models.hf.causal import CausalModel
from priscian.models.hf.encoding import Tokenizer
from priscian.records import Text, TokenScores
from priscian.runs import Run, ScoreOptions
from priscian.runs.job import read_data, set_up
from priscian.runs.record import Record
from priscian.scoring import Options, ScoreStore
from priscian.scoring.plan import ScoringTask, Shared, prepare
from priscian.threads import threads_kept

PREFIX = "priscian"
LIMIT = 50
ALONE = Options(workers=1)
"""A process that trains is never forked."""


class PriscianCallback(TrainerCallback):  # type: ignore[misc]
    """Scores the model during training and logs accuracies as `priscian/…`.

    >>> callback = PriscianCallback(on="blimp:data", every=1000)          # doctest: +SKIP
    >>> trainer = Trainer(model, arguments, callbacks=[callback])         # doctest: +SKIP

    on
        Data strings, as in `priscian.score`. They are read at once, so errors come before training.
    every
        Score every this many steps; by default whenever the Trainer saves a checkpoint.
    limit, options
        Items of each set, and other options of scoring (a `ScoreOptions`).
    out
        Folder for one run folder per scoring (`out/step-1000`), for `priscian report`.
    name, tokenizer, bos
        The model's name in results; its fast tokenizer, by default the Trainer's
        `processing_class`; and the token that opens a text, as in model strings.

    Only the first process scores, with the weights as they are. Modes, random states, buffers and
    threads are restored, so the training is the same with and without the callback. If a scoring
    fails, a warning says why and the training continues.
    """

    def __init__(
        self,
        on: str | Sequence[str],
        every: int | None = None,
        limit: int | None = LIMIT,
        *,
        options: ScoreOptions | None = None,
        out: str | Path | None = None,
        name: str = "model",
        tokenizer: Any = None,
        bos: str = "auto",
    ) -> None:
        if every is not None and every < 1:
            raise UsageError(f"every={every}: give a number of steps from 1, or None for each save")
        self.every, self.name, self.tokenizer, self.bos = every, name, tokenizer, bos
        self.out = None if out is None else Path(out)
        self.options = replace(options or ScoreOptions(), limit=limit).updated({})
        self.data = read_data(on, self.options)
        self.history: list[dict[str, float]] = []
        """What was logged: `step`, and accuracies by data set and by class."""
        self._shared = Shared()
        self._log: Callable[[dict[str, float]], None] | None = None

    def add_to(self, trainer: Any) -> PriscianCallback:
        """Add this callback to a Trainer and log through it, so that its trackers get the curve."""
        trainer.add_callback(self)
        self._log = trainer.log
        return self

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Refuse what cannot be scored before any step is done."""
        sharded = getattr(args, "fsdp", None) or getattr(args, "deepspeed", None)
        if sharded:
            raise UsageError(
                "PriscianCallback cannot score a model whose weights are divided among processes "
                "(FSDP, DeepSpeed); use priscian watch on the folder of checkpoints instead"
            )
        self._tokenizer(given)

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Score if it is time."""
        if self.every is not None and state.global_step % self.every == 0:
            self._score(state, given)

    def on_save(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Score with every checkpoint, unless steps are counted."""
        if self.every is None:
            self._score(state, given)

    def _score(self, state: Any, given: dict[str, Any]) -> None:
        step = int(state.global_step)
        if not state.is_world_process_zero or (self.history and self.history[-1]["step"] == step):
            return
        try:
            with untouched(given["model"]):
                run = self._run(given["model"], self._tokenizer(given), step)
        except (PriscianError, RuntimeError) as error:  # a training is worth more than a curve
            warnings.warn(
                f"step {step} was not scored: {flat(error)}; training continues",
                PriscianWarning,
                stacklevel=2,
            )
            return
        found = metrics(run)
        self.history.append({"step": step, **found})
        if self._log is not None:
            self._log(found)
        else:
            state.log_history.append({**found, "epoch": state.epoch, "step": step})

    def _run(self, model: Any, tokenizer: Tokenizer, step: int) -> Run:
        live = LiveModel(model, tokenizer, f"step{step}", self.bos, self._shared)
        place = None if self.out is None else self.out / f"step-{step}"
        try:
            work = set_up(live, self.data, self.options)
            record = Record.begin(work.request, place)
            with ScoreStore() as store:  # in memory: these weights are never seen again
                return work.run(record, store)
        finally:
            live.release()

    def _tokenizer(self, given: dict[str, Any]) -> Tokenizer:
        found = self.tokenizer or given.get("processing_class")
        if found is None:
            raise UsageError(
                "PriscianCallback needs a tokenizer: Trainer(processing_class=…), or "
                "PriscianCallback(tokenizer=…)"
            )
        return Tokenizer.around(found, self.name)


def metrics(run: Run) -> dict[str, float]:
    """Accuracies of a run by data set and class, under the names that are logged."""
    found: dict[str, float] = {}
    for result in run.results:
        found[f"{PREFIX}/{result.data}"] = result.overall
        for name, score in result.summary.by_class().items():
            found[f"{PREFIX}/{result.data}/{name}"] = score.accuracy
    return found


class LiveModel:
    """Scores texts with a causal model of Transformers as it is now."""

    def __init__(
        self, model: Any, tokenizer: Tokenizer, version: str, bos: str, shared: Shared
    ) -> None:
        self.name, self.version = tokenizer.name, version
        around = CausalModel.around(model, tokenizer, bos)
        self._model = cast(TorchModel, around)
        self._shared = shared
        self.traits = Traits(scores_first=around.bos is not None)

    def score(self, texts: Sequence[Text]) -> Iterator[TokenScores]:
        """Token scores of each text."""
        task = ScoringTask(ModelSpec("hf", self.name, self.version), texts, options=ALONE)
        work = prepare(task, self._model, None, self._shared)
        found: dict[int, TokenScores] = {}
        for number, group in enumerate(work.groups):
            found.update(zip(group, work.compute(number), strict=True))
        return (found[i] for i in range(len(texts)))

    def release(self) -> None:
        """Forget the model, so that nothing keeps it in memory."""
        del self._model


@contextlib.contextmanager
def untouched(model: Any) -> Iterator[None]:
    """Evaluation mode for a while; then modes, buffers, random states and threads are as before."""
    import torch

    modes = [(module, module.training) for module in model.modules()]
    buffers = [(module, dict(module._buffers)) for module in model.modules()]
    own, arrays = random.getstate(), np.random.get_state()
    forward = model.__dict__.get("forward")
    on_gpu = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    devices = list(range(torch.cuda.device_count())) if on_gpu else []
    try:
        with threads_kept(), torch.random.fork_rng(devices):
            if "_original_forward" in model.__dict__:  # accelerate's, for mixed precision
                model.forward = model._original_forward
            model.eval()
            yield
    finally:
        if forward is not None:
            model.forward = forward
        for module, mode in modes:
            module.training = mode
        for module, before in buffers:  # tensors made here could not be trained through
            module._buffers.update(before)
        random.setstate(own)
        np.random.set_state(arrays)
