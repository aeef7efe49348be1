"""A model that is being trained, as a model that can be scored without leaving a trace in it."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from priscian.models import ModelSpec, TorchModel, Traits
from priscian.models.hf.causal import CausalModel
from priscian.models.hf.encoding import Tokenizer
from priscian.records import Text, TokenScores
from priscian.scoring import Options
from priscian.scoring.plan import ScoringTask, Shared, prepare
from priscian.threads import threads_kept

ALONE = Options(workers=1)
"""A process that trains is never forked."""


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
