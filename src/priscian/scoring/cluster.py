"""Batches on a cluster: the driver sends them to workers, which may die at any moment.

The driver has plan, store and retries. A worker has the model, and has rebuilt the batches from
the texts; it gets numbers. Each has two batches at a time, so that it never waits for the driver.
When a worker dies, the batch that it was computing is `Lost`; the next one, which it had not
begun, goes to another worker; and the worker starts again.
"""

from __future__ import annotations

import contextlib
import os
import platform
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

import msgspec

from priscian import __version__
from priscian.errors import WorkerError
from priscian.models import model_key, open_model
from priscian.records import TokenScores
from priscian.scoring.executors import BatchScores, Lost, Results, this_machine
from priscian.scoring.plan import Plan, ScoringTask, Work, prepare

FLIGHT = 2
"""Batches that a worker has at a time."""
PATIENCE = 60.0
"""Seconds after which workers that do not answer, while no other works, end the run."""
PAUSE = 0.5
"""Seconds before a worker that is being restarted is asked again."""
STARTS = 3
"""A worker that died this many times while it loaded the model is given up."""
Packed = tuple[tuple[int, ...], tuple[int, ...], tuple[float, ...], dict[str, tuple[float, ...]]]


class Gone(Exception):
    """The worker that should have answered has died, or cannot be reached."""


class Cluster(Protocol):
    """Workers that are addressed by number; a question gives a ticket for its answer."""

    size: int

    def greet(self, worker: int) -> Any:
        """Ask for the version of Priscian; answered as soon as the worker runs."""
        ...

    def prepare(self, worker: int) -> Any:
        """Ask to load the model and to rebuild the batches; the answer is a `Ready`."""
        ...

    def compute(self, worker: int, number: int) -> Any:
        """Ask for the scores of a batch; the answer is bytes."""
        ...

    def wait(self, tickets: Sequence[Any], seconds: float) -> list[Any]:
        """The tickets that are answered, in their order; it waits for the first one."""
        ...

    def answer(self, ticket: Any) -> Any:
        """The answer; `Gone` if there will be none, or the error that the worker raised."""
        ...

    def close(self) -> None:
        """End the workers."""
        ...


@dataclass(frozen=True, slots=True)
class Remote:
    """An executor whose workers are elsewhere."""

    cluster: Cluster

    def run(self, work: Work, queue: deque[int]) -> Results:
        """Results as the workers finish them."""
        try:
            yield from _Driver(self.cluster, work, queue).run()
        finally:
            self.cluster.close()


class _Stage(Enum):
    GREET = "start"
    PREPARE = "load the model"
    COMPUTE = "compute"


@dataclass(slots=True)
class _Member:
    """What the driver knows about a worker."""

    flight: deque[int] = field(default_factory=deque)  # its batches, the current one first
    ready: bool = False
    machine: str = ""
    starts: int = 0  # deaths while it loaded the model
    greet_at: float | None = None  # when to ask it again


class _Driver:
    """Sends batches to workers until the queue is empty and everything is answered."""

    def __init__(self, cluster: Cluster, work: Work, queue: deque[int]) -> None:
        self.cluster, self.work, self.queue = cluster, work, queue
        self.crew = {worker: _Member(greet_at=0.0) for worker in range(cluster.size)}
        self.asked: dict[Any, tuple[_Stage, int, int]] = {}  # ticket: stage, worker, batch
        self.heard = time.monotonic()
        self.reason = "none has started"

    def run(self) -> Results:
        """Every batch, answered or lost."""
        while self.queue or any(member.flight for member in self.crew.values()):
            self._send()
            done = self.cluster.wait(list(self.asked), PAUSE)
            if done:
                self.heard = time.monotonic()
            elif self._silent():
                raise WorkerError(
                    f"no worker answered for {PATIENCE:.0f} s ({self.reason}); check that the "
                    f"cluster has free {'CPUs' if self.work.device == 'cpu' else 'GPUs'} and is "
                    "reachable, then run again with `resume=True`: what was scored is kept"
                )
            for ticket in done:
                if ticket in self.asked:  # else its worker has died meanwhile
                    yield from self._receive(ticket)
                    self._send()  # the caller may have put a batch back

    def _silent(self) -> bool:
        """Whether for a long time no worker has answered, and none is known to be working."""
        busy = any(stage is not _Stage.GREET for stage, _, _ in self.asked.values())
        return not busy and time.monotonic() - self.heard > PATIENCE

    def _send(self) -> None:
        now = time.monotonic()
        for worker, member in self.crew.items():
            if member.greet_at is not None and member.greet_at <= now:
                member.greet_at = None
                self.asked[self.cluster.greet(worker)] = (_Stage.GREET, worker, -1)
        for depth in range(FLIGHT):  # every worker has one batch before any has two
            for worker, member in self.crew.items():
                if member.ready and len(member.flight) == depth and self.queue:
                    number = self.queue.popleft()
                    member.flight.append(number)
                    ticket = self.cluster.compute(worker, number)
                    self.asked[ticket] = (_Stage.COMPUTE, worker, number)

    def _receive(self, ticket: Any) -> Iterator[BatchScores | Lost]:
        stage, worker, number = self.asked.pop(ticket)
        member = self.crew[worker]
        try:
            answer = self.cluster.answer(ticket)
        except Gone as gone:
            yield from self._bury(stage, worker, str(gone))
            return
        if stage is _Stage.GREET:
            if answer != __version__:
                there = f"Priscian {answer}" if answer else "no Priscian"
                raise WorkerError(
                    f"the cluster has {there}, this process has {__version__}; install the same "
                    "version on every machine"
                )
            self.asked[self.cluster.prepare(worker)] = (_Stage.PREPARE, worker, -1)
        elif stage is _Stage.PREPARE:
            plan, spec = self.work.plan, self.work.task.spec
            wrong = ""
            if answer.key != model_key(spec).digest:
                wrong = "other files of the model"
            elif (answer.digest, answer.inputs) != (plan.digest, plan.inputs):
                wrong = "other tokens or batches, so probably other versions of the libraries"
            if wrong:
                raise WorkerError(
                    f"{spec}: a worker on {answer.host} has {wrong}; install the same files and "
                    "versions on every machine"
                )
            member.ready, member.machine, member.starts = True, answer.machine, 0
        else:
            member.flight.remove(number)
            yield BatchScores(number, unpack_batch(answer), member.machine)

    def _bury(self, stage: _Stage, worker: int, reason: str) -> Iterator[Lost]:
        """A worker has died: only the batch that it was computing counts as lost."""
        member = self.crew[worker]
        self.reason = reason
        self.asked = {t: asked for t, asked in self.asked.items() if asked[1] != worker}
        flight, member.flight = member.flight, deque()
        member.ready = False
        member.greet_at = time.monotonic() + (PAUSE if stage is _Stage.GREET else 0.0)
        if stage is _Stage.PREPARE:
            member.starts += 1
            if member.starts >= STARTS:
                member.greet_at = None
                self._give_up(worker, reason)
        if flight:
            self.queue.extendleft(reversed(list(flight)[1:]))
            yield Lost(flight[0], reason)

    def _give_up(self, worker: int, reason: str) -> None:
        del self.crew[worker]
        if not self.crew:
            raise WorkerError(
                f"every worker died {STARTS} times while it loaded {self.work.task.spec} "
                f"({reason}), possibly out of memory; give fewer `workers=`, then run again with "
                "`resume=True`"
            )


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

    def __init__(self, task: ScoringTask, plan: Plan, folder: str) -> None:
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
