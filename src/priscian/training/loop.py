"""The training loop: batches, steps, checkpoints, and a state from which it resumes bit for bit."""

from __future__ import annotations

import math
import time
import warnings
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from priscian.errors import ModelError, PriscianWarning, TrainingError, UsageError, counted
from priscian.files import replacing
from priscian.training.machine import Batch, Machine
from priscian.training.optimisers import make_optimiser, rate_at
from priscian.training.recipe import Recipe, digest_of
from priscian.training.rows import Encoded, Packing, make_pass

STATE = "state.pt"
GEOMETRIC = 1.08
"""What the rate is divided by after each pass, for `geometric` (Dyer et al. 2016)."""
MINUTE = 60.0
SAVE_EVERY = 300.0
"""Seconds between two savings of the state; when it is saved changes nothing else."""


@dataclass(slots=True)
class TrainingProgress:
    """How far a training has come; all that changes from step to step but the weights."""

    step: int = 0
    tokens: int = 0
    passes: int = 0
    position: int = 0
    """Batches of this pass that have been read."""
    factor: float = 1.0
    """What annealing has left of the rate."""
    dev: list[float] = field(default_factory=list)
    """Nats per token on dev after each pass."""
    loss: float = math.nan
    unlogged: list[float] = field(default_factory=list)
    """Losses since the last line of the log."""
    seconds: float = 0.0
    stopped: bool = False
    """Ended by patience."""


@dataclass(frozen=True, slots=True)
class Data:
    """What is read while training."""

    main: Encoded
    extra: Encoded | None
    dev: Encoded
    digest: str = ""
    """A hash of what was read: a saved state is resumed with the same data only."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a progress line shows."""

    tokens: int
    total: int
    loss: float
    rate: float
    speed: float  # tokens a second
    step: int
    passes: int


class Speed:
    """Tokens a second in the last minute: what came before says little about the time left."""

    def __init__(self, tokens: int) -> None:
        self._marks = deque([(time.monotonic(), tokens)])

    def after(self, tokens: int) -> float:
        """The speed, after this many tokens."""
        now = time.monotonic()
        self._marks.append((now, tokens))
        while len(self._marks) > 2 and self._marks[1][0] <= now - MINUTE:
            self._marks.popleft()
        then, before = self._marks[0]
        return (tokens - before) / max(now - then, 1e-9)


class Loop:
    """A network, its optimiser, and where it stands."""

    def __init__(
        self, network: nn.Module, recipe: Recipe, data: Data, folder: Path, machine: Machine
    ) -> None:
        self.recipe, self.data, self.folder, self.machine = recipe, data, folder, machine
        self.network = network.to(machine.device)
        self.wrapped = machine.wrap(self.network)
        self.optimiser = make_optimiser(self.network, recipe.training)
        self.progress = TrainingProgress()
        self.memory: Any = None
        self.average: dict[str, torch.Tensor] | None = None
        """Mean of the weights since averaging began, for `asgd`."""
        self.averaged = 0
        self.best: dict[str, torch.Tensor] | None = None
        """The weights with the lowest loss on dev, where passes end with a look at it."""
        training = recipe.training
        self.packing = Packing(
            recipe.text.pack, training.batch_tokens, training.stream_length,
            recipe.corpus.extra_share if data.extra is not None else 0.0,
        )  # fmt: skip
        self.total = recipe.tokens
        if not self.total:
            once = make_pass(data.main, data.extra, self.packing, 0, 0)  # with the extra text
            tokens = sum(once.tokens(n) for n in range(len(once)))
            self.total = max(1, round(tokens * training.epochs))

    def run(
        self,
        counts: list[int],
        keep: Callable[[int], None],
        report: Callable[[Moment], None],
    ) -> None:
        """Train until the last of `counts`, calling `keep` at each."""
        begun = time.monotonic() - self.progress.seconds
        saved = time.monotonic()
        speed = Speed(self.progress.tokens)
        ahead = [count for count in counts if count > self.progress.tokens]
        for tokens, loss, rate in self._steps():
            progress = self.progress
            progress.seconds = time.monotonic() - begun
            report(
                Moment(
                    tokens, self.total, loss, rate, speed.after(tokens),
                    progress.step, progress.passes,
                )
            )  # fmt: skip
            due = bool(ahead) and tokens >= ahead[0]
            while ahead and tokens >= ahead[0]:
                keep(ahead.pop(0))  # before the state: an interrupted export is repeated
            if self.machine.agree(due or time.monotonic() - saved > SAVE_EVERY):
                self.save()
                saved = time.monotonic()
        if ahead:  # stopped early by patience
            keep(self.progress.tokens)
        self.save()

    def _steps(self) -> Iterator[tuple[int, float, float]]:
        """Steps of the optimiser: tokens seen, loss and rate after each."""
        progress, training = self.progress, self.recipe.training
        while progress.tokens < self.total and not progress.stopped:
            batches = make_pass(
                self.data.main, self.data.extra, self.packing, training.seed, progress.passes
            )
            each = training.grad_accumulation
            for first in range(progress.position, len(batches), each):
                group = list(range(first, min(first + each, len(batches))))
                rate = rate_at(training, progress.tokens / self.total) * progress.factor
                loss = self._step([batches[n] for n in group], rate)
                progress.tokens += sum(batches.tokens(n) for n in group)
                progress.position = group[-1] + 1
                progress.step += 1
                progress.loss = loss
                over, done = progress.position >= len(batches), progress.tokens >= self.total
                if over:
                    progress.passes, progress.position, self.memory = progress.passes + 1, 0, None
                if over or done:  # before the state is saved, so that it happens just once
                    progress.stopped = self._pass_over()
                yield progress.tokens, loss, rate
                if done:
                    return

    def _step(self, batches: list[Batch], rate: float) -> float:
        network, training = self.wrapped, self.recipe.training
        network.train()
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        total = 0.0
        mine = self.machine.share(batches)
        for number, (batch, weight) in enumerate(mine):
            rows = torch.from_numpy(batch).to(self.machine.device)
            memory = self.memory if self.packing.pack == "stream" else None
            with self.machine.step_of(network, last=number == len(mine) - 1):
                loss, self.memory = network(rows, memory)
                self.machine.backward(loss * weight)
            total += float(loss.detach()) * weight
        self._refuse_unless_finite("loss", total, rate)
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), training.grad_clip)
        self._refuse_unless_finite("gradient", float(norm), rate)  # else the weights would be lost
        self.optimiser.step()
        self._add_to_average()
        return self.machine.mean(total)

    def _refuse_unless_finite(self, what: str, value: float, rate: float) -> None:
        if not math.isfinite(value):
            kept = "checkpoints are kept, " if list(self.folder.parent.glob("tokens-*")) else ""
            raise TrainingError(
                f"the {what} became {value} at step {self.progress.step + 1} with rate {rate:g}; "
                f"{kept}lower training.learning_rate or training.grad_clip, and name a new `out=`"
            )

    def _pass_over(self) -> bool:
        """Dev after a pass: anneal, begin to average, or stop."""
        training, progress = self.recipe.training, self.progress
        if training.schedule == "geometric":
            progress.factor /= GEOMETRIC
        if training.schedule != "anneal" and not training.patience and training.optimiser != "asgd":
            return False
        with self.best_weights():
            nats = mean_nats(self.network, self.data.dev, self.machine.device)
        before = progress.dev
        if training.schedule == "anneal" and before and nats >= min(before):
            progress.factor /= 4
        if not before or nats < min(before):
            self.best = _copies(self.network if self.average is None else self.average)
        averaging = training.optimiser == "asgd" and self.average is None and len(before) > 5
        if averaging and nats > min(before[:-5]):
            self.average = _copies(self.network)
            self.averaged = 1
        progress.dev = [*before, nats]
        best = progress.dev.index(min(progress.dev))
        return bool(training.patience) and len(progress.dev) - 1 - best >= training.patience

    def _add_to_average(self) -> None:
        if self.average is None:
            return
        self.averaged += 1
        for name, value in self.network.named_parameters():
            self.average[name].lerp_(value.detach(), 1 / self.averaged)

    def best_weights(self) -> AbstractContextManager[None]:
        """Inside the block the network has its averaged weights, where there are any."""
        return _swapped(self.network, self.average)

    def final_weights(self) -> AbstractContextManager[None]:
        """Inside the block the network has the weights that were best on dev, if it was used."""
        return _swapped(self.network, self.average if self.best is None else self.best)

    def save(self) -> None:
        """Write the state atomically; the last good one stays if the disk is full."""
        machine = self.machine
        random = [torch.get_rng_state()]
        if machine.device.startswith("cuda"):
            random.append(torch.cuda.get_rng_state(machine.device))
        own = machine.gather({"random": random, "memory": _to(self.memory, "cpu")})
        if machine.rank:
            return
        state = {
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "progress": {name: getattr(self.progress, name) for name in TrainingProgress.__slots__},
            "processes": own,
            "average": self.average,
            "averaged": self.averaged,
            "best": self.best,
            "products": machine.products,
            "data": self.data.digest,
            "recipe": digest_of(self.recipe),
        }
        with replacing(self.folder / STATE) as temporary:
            try:
                torch.save(state, temporary)
            except RuntimeError as error:  # torch's name for a full disk
                raise OSError(28, f"no room for the training's state ({error})") from None

    def resume(self) -> bool:
        """Take up the saved state, if there is one."""
        path = self.folder / STATE
        if not path.is_file():
            return False
        out, machine = self.folder.parent, self.machine
        try:
            with zipfile.ZipFile(path) as parts:  # torch does not look at the checksums
                if changed := parts.testzip():
                    raise ValueError(f"the checksum of {changed} is wrong")
            state = torch.load(path, weights_only=True, map_location="cpu")
            for what, digest in (("corpus", self.data.digest), ("recipe", digest_of(self.recipe))):
                key = "data" if what == "corpus" else what
                if state.get(key, digest) != digest:  # the first states of 0.2 have neither
                    raise UsageError(
                        f"the {what} of the training in {out} has changed since; restore what it "
                        "was, or name a new `out=`"
                    )
            self.network.load_state_dict(state["network"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.progress = TrainingProgress(**state["progress"])
            self.average, self.averaged = _to(state["average"], machine.device), state["averaged"]
            self.best = _to(state.get("best"), machine.device)
            processes = state["processes"]
            if len(processes) != machine.world:
                before = counted(len(processes), "process", "processes")
                raise UsageError(
                    f"the training in {out} was started with {before}, not {machine.world}; go on "
                    f"with {len(processes)}"
                )
            own = processes[machine.rank]
            first, *others = own["random"]
            torch.set_rng_state(first)
            for other in others:
                torch.cuda.set_rng_state(other, machine.device)
            self.memory = _to(own["memory"], machine.device)
        except UsageError:
            raise
        except Exception as error:  # unpickling damaged bytes may raise anything
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ModelError(
                f"{path} cannot be read ({reason}); delete it to begin the training again"
            ) from None
        if state.get("products", machine.products) != machine.products:
            warnings.warn(
                f"the training in {out} began with another library for products of matrices "
                "(another CPU, or one too busy for a trial): it goes on, with other last bits",
                PriscianWarning,
                stacklevel=2,
            )
        return True


def _copies(weights: nn.Module | Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    named = weights.named_parameters() if isinstance(weights, nn.Module) else weights.items()
    return {name: value.detach().clone() for name, value in named}


@contextmanager
def _swapped(network: nn.Module, weights: Mapping[str, torch.Tensor] | None) -> Iterator[None]:
    """Puts other weights into a network for a while."""
    if weights is None:
        yield
        return

    def put(values: Mapping[str, torch.Tensor]) -> None:
        with torch.no_grad():
            for name, value in network.named_parameters():
                value.copy_(values[name])

    own = _copies(network)
    put(weights)
    try:
        yield
    finally:
        put(own)


@torch.inference_mode()
def mean_nats(network: nn.Module, data: Encoded, device: str = "cpu", rows: int = 4096) -> float:
    """Nats per token, boundaries at the end of sentences included."""
    was = network.training
    network.eval()
    total, count = 0.0, 0
    batches = make_pass(data, None, Packing(batch_tokens=rows), 0, 0)
    for number in range(len(batches)):
        batch = torch.from_numpy(batches[number]).to(device)
        loss, _ = network(batch)
        total += float(loss) * batches.tokens(number)
        count += batches.tokens(number)
    network.train(was)
    return total / count


def _to(value: Any, device: str) -> Any:
    """Tensors, and what holds them, on a device."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {key: _to(part, device) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_to(part, device) for part in value)
    return value
