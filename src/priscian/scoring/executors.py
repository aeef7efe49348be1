"""Where batches are computed: in this process, in forked workers, or on a Ray cluster.

An executor gets the work and a queue of batch numbers, and yields answers as they arrive, in any
order. Plan, store and retries stay with the engine: a batch during which a worker died is `Lost`,
and the engine puts it back into the queue or sets it aside.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from priscian.errors import UsageError
from priscian.records import TokenScores
from priscian.scoring.planner import Work
from priscian.workers import run_batches

DIED = "run again with `workers=1`: what was scored is kept"
RAY = "ray"


@dataclass(frozen=True, slots=True)
class Answer:
    """The scores of one batch; `machine` says where they were computed, if not here."""

    number: int
    scores: list[TokenScores]
    machine: str = ""


@dataclass(frozen=True, slots=True)
class Lost:
    """A batch that was being computed when its worker died."""

    number: int
    reason: str


Results = Iterator[Answer | Lost]


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
            yield Answer(number, work.compute(number))


@dataclass(frozen=True, slots=True)
class Forked:
    """Worker processes that share the model's memory, one batch at a time each."""

    workers: int

    def run(self, work: Work, queue: deque[int]) -> Results:
        """Results as the workers finish them; a worker that dies ends the run."""
        order = list(queue)
        queue.clear()
        for number, scores in run_batches(work.compute, order, self.workers, DIED):
            yield Answer(number, scores)


def address_of(executor: str) -> str:
    """The address in `ray:ADDRESS`; empty for `ray`, which starts Ray on this machine."""
    name, _, address = executor.partition(":")
    if name != RAY:
        raise UsageError(f"`executor=` takes auto, ray or ray:ADDRESS, not {executor!r}")
    return address
