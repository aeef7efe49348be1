"""Where batches are computed: in this process, in forked workers, or on a Ray cluster.

An executor gets the work and a queue of batch numbers, and yields answers as they arrive, in any
order. Plan, store and retries stay with the engine: a batch during which a worker died is `Lost`,
and the engine puts it back into the queue or sets it aside. A note names the machines, as far as
they can change the last bits of a score.
"""

from __future__ import annotations

import platform
import sys
import warnings
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol

from priscian.errors import PriscianWarning, UsageError, counted
from priscian.records import TokenScores
from priscian.scoring.plan import Work
from priscian.workers import run_batches

DIED = "run again with `workers=1`: what was scored is kept"
RAY = "ray"
LIBRARIES = ("torch", "transformers", "tokenizers", "numpy")
CPUS = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class BatchScores:
    """The scores of one batch; `machine` says where they were computed, if not here."""

    number: int
    scores: list[TokenScores]
    machine: str = ""


@dataclass(frozen=True, slots=True)
class Lost:
    """A batch that was being computed when its worker died."""

    number: int
    reason: str


Results = Iterator[BatchScores | Lost]


class Executor(Protocol):
    """Something that computes batches."""

    def run(self, work: Work, queue: deque[int]) -> Results:
        """Take numbers from the queue until it is empty and everything is answered.

        The caller may add a number to the queue whenever it has got something.
        """
        ...


@dataclass(frozen=True, slots=True)
class Inline:
    """One batch at a time, in this process."""

    def run(self, work: Work, queue: deque[int]) -> Results:
        """Results in the order of the batches."""
        while queue:
            number = queue.popleft()
            yield BatchScores(number, work.compute(number))


@dataclass(frozen=True, slots=True)
class Forked:
    """Worker processes that share the model's memory, one batch at a time each."""

    workers: int

    def run(self, work: Work, queue: deque[int]) -> Results:
        """Results as the workers finish them; a worker that dies ends the run."""
        order = list(queue)
        queue.clear()
        for number, scores in run_batches(work.compute, order, self.workers, DIED):
            yield BatchScores(number, scores)


def address_of(executor: str) -> str:
    """The address in `ray:ADDRESS`; empty for `ray`, which starts Ray on this machine."""
    name, _, address = executor.partition(":")
    if name != RAY:
        raise UsageError(f"`executor=` takes auto, ray or ray:ADDRESS, not {executor!r}")
    return address


def this_machine(threads: int, device: str = "cpu") -> str:
    """Processor or GPU, threads and libraries of this process, in one line."""
    where = processor() if device == "cpu" else _gpu(device)
    parts = [where, counted(threads, "thread")] if device == "cpu" else [where]
    for name in LIBRARIES:
        try:
            parts.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(parts)


def processor() -> str:
    """The processor's name."""
    try:
        lines = CPUS.read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _gpu(device: str) -> str:
    torch = sys.modules.get("torch")
    if torch is not None and device.startswith("cuda"):
        return str(torch.cuda.get_device_name(device))
    return device


def describe_machines(model: str, machines: Mapping[str, int]) -> dict[str, str]:
    """A note about the machines that computed batches; a warning if they differ."""
    if not machines:
        return {}
    if len(machines) == 1:
        return {"machines": next(iter(machines))}
    warn_of_mixture(model, list(machines))
    told = [f"{name} ({counted(n, 'batch', 'batches')})" for name, n in sorted(machines.items())]
    return {"machines": "; ".join(told)}


def warn_of_mixture(what: str, machines: list[str]) -> None:
    """Scores of unlike machines may differ in their last digits."""
    warnings.warn(
        f"{what} was scored on machines that differ ({'; '.join(sorted(machines))}): its scores "
        "may differ from those of one machine by up to 1e-4 nats per token",
        PriscianWarning,
        stacklevel=3,
    )
