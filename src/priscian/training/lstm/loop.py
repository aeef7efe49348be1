"""Train a recurrent model within a given time or number of steps; stop and resume at will."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from priscian.training.lstm.batches import Ids, Sentences, batches
from priscian.training.lstm.network import Network, Shape


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long to train, and how fast to learn: linearly less until the end."""

    seconds: float  # of wall time, over all resumptions
    steps: int  # whichever ends first
    batch_tokens: int = 1024
    rate: float = 3e-3
    warm_up: int = 300
    clip: float = 1.0
    extra_share: float = 0.12  # of batches that come from the extra sentences
    last_share: float = 0.25  # the same in the last fifth
    checkpoint_seconds: float = 300.0
    threads: int = 1
    seed: int = 1

    def done(self, seconds: float, step: int) -> float:
        """How much of the training is over, from 0 to 1."""
        return min(1.0, max(seconds / self.seconds, step / self.steps))

    def rate_at(self, seconds: float, step: int) -> float:
        """The learning rate at a moment."""
        warm = min(1.0, (step + 1) / self.warm_up)
        return self.rate * warm * max(0.01, 1.0 - self.done(seconds, step))


@dataclass(slots=True)
class Progress:
    """What has been done so far."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    loss: float = math.nan  # of the last stretch, in nats a token


class Trainer:
    """A network, its optimiser and its checkpoint."""

    def __init__(
        self, shape: Shape, schedule: Schedule, main: Sentences, extra: Sentences, folder: Path
    ) -> None:
        torch.manual_seed(schedule.seed)
        torch.set_num_threads(schedule.threads)
        self.schedule = schedule
        self.network = Network(shape)
        self.optimiser = torch.optim.Adam(
            self.network.parameters(), lr=schedule.rate, betas=(0.9, 0.98), fused=True
        )
        self.folder = folder
        self.progress = Progress()
        self.main, self.extra = main, extra

    def resume(self) -> bool:
        """Take up the last checkpoint, if there is one."""
        path = self.folder / "checkpoint.pt"
        if not path.exists():
            return False
        saved: dict[str, Any] = torch.load(path, weights_only=True)
        self.network.load_state_dict(saved["network"])
        self.optimiser.load_state_dict(saved["optimiser"])
        self.progress = Progress(**saved["progress"])
        return True

    def save(self) -> None:
        """Write the checkpoint, complete or not at all."""
        path = self.folder / "checkpoint.pt"
        partial = path.with_suffix(".part")
        torch.save(
            {
                "network": self.network.state_dict(),
                "optimiser": self.optimiser.state_dict(),
                "progress": asdict(self.progress),
                "shape": asdict(self.network.shape),
                "schedule": asdict(self.schedule),
            },
            partial,
        )
        os.replace(partial, path)

    def run(self, held_out: Sentences, report: Callable[[str], None]) -> None:
        """Train to the end of the schedule."""
        schedule, progress = self.schedule, self.progress
        random = np.random.default_rng([schedule.seed, progress.step])
        main = _forever(self.main, schedule.batch_tokens, random)
        extra = _forever(self.extra, schedule.batch_tokens, random)
        begun = time.monotonic() - progress.seconds
        saved, total, count = progress.seconds, 0.0, 0
        while schedule.done(progress.seconds, progress.step) < 1.0:
            late = schedule.done(progress.seconds, progress.step) > 0.8
            share = schedule.last_share if late else schedule.extra_share
            source = extra if len(self.extra.ids) and random.random() < share else main
            batch = torch.from_numpy(next(source))
            total += self._step(batch)
            count += 1
            progress.step += 1
            progress.tokens += batch[1:].numel()
            progress.seconds = time.monotonic() - begun
            if count == 100:
                progress.loss, total, count = total / count, 0.0, 0
                report(f"{json.dumps(asdict(progress))}")
            if progress.seconds - saved > schedule.checkpoint_seconds:
                saved = progress.seconds
                self.save()
                report(f"held-out {perplexity(self.network, held_out, 40_000):.2f} a token")
        self.save()

    def _step(self, batch: torch.Tensor) -> float:
        rate = self.schedule.rate_at(self.progress.seconds, self.progress.step)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        loss = self.network.loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.schedule.clip)
        self.optimiser.step()
        return float(loss.detach())


def _forever(
    data: Sentences, tokens: int, random: np.random.Generator
) -> Iterator[np.ndarray[Any, np.dtype[np.int64]]]:
    while True:
        yield from batches(data, tokens, random)


@torch.inference_mode()
def perplexity(network: Network, data: Sentences, most: int | None = None) -> float:
    """Perplexity a token, boundaries included, over at most so many tokens."""
    total, count = 0.0, 0
    for array in batches(data, 2048, np.random.default_rng(0)):
        batch = torch.from_numpy(array)
        total += float(network.loss(batch)) * batch[1:].numel()
        count += batch[1:].numel()
        if most is not None and count >= most:
            break
    return math.exp(total / count)


__all__ = ["Ids", "Progress", "Schedule", "Trainer", "perplexity"]
