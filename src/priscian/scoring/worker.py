"""What a worker of a cluster does: load the model, rebuild the batches, compute some of them."""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from priscian.models import open_model
from priscian.records import TokenScores
from priscian.scoring.machine import this_machine
from priscian.scoring.plan import Plan
from priscian.scoring.planner import Task, Work, prepare

Packed = tuple[tuple[int, ...], tuple[int, ...], tuple[float, ...], dict[str, tuple[float, ...]]]


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker that has loaded the model: what it reads, and where it is."""

    key: str  # digest of the model's key
    digest: str  # of the batches
    inputs: str  # digest of the token ids
    machine: str
    host: str


class BatchWorker:
    """Computes batches of one task."""

    def __init__(self, task: Task, plan: Plan, folder: str) -> None:
        with contextlib.suppress(OSError):
            os.chdir(folder)  # paths of models may be relative to the driver's folder
        self.loaded = open_model(task.spec)
        self.work: Work = prepare(task, self.loaded.model, plan)

    def ready(self) -> Ready:
        """What the driver compares with its own plan."""
        plan = self.work.plan
        return Ready(
            key=self.loaded.key.digest,
            digest=plan.digest,
            inputs=plan.inputs,
            machine=this_machine(plan.threads, self.work.device),
            host=platform.node(),
        )

    def compute(self, number: int) -> bytes:
        """The scores of a batch, packed."""
        scores = self.work.compute(number)
        self.loaded.check()
        return pack_batch(scores)


def pack_batch(scores: Sequence[TokenScores]) -> bytes:
    """Scores as bytes; every number stays exactly what it is."""
    return msgspec.msgpack.encode([(s.starts, s.ends, s.logps, s.channels) for s in scores])


def unpack_batch(data: bytes) -> list[TokenScores]:
    """The reverse of `pack_batch`."""
    return [TokenScores(*row) for row in msgspec.msgpack.decode(data, type=list[Packed])]
