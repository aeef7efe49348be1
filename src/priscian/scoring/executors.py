"""Where batches are computed: in this process, or in forked workers.

An executor gets a function and the numbers of the batches, and yields results as they arrive, in
any order. Plan, store and retries stay with the caller, so a cluster is one more class here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from priscian.records import TokenScores
from priscian.scoring.compute import Compute
from priscian.scoring.plan import Plan
from priscian.workers import run_batches

DIED = "run again with --workers 1: what was scored is kept"

Results = Iterator[tuple[int, list[TokenScores]]]


class Executor(Protocol):
    """Something that computes batches."""

    def run(self, compute: Compute, order: Sequence[int]) -> Results:
        """The scores of every batch in `order`, each with the batch's number, as they arrive."""
        ...


@dataclass(frozen=True, slots=True)
class Inline:
    """One batch at a time, in this process."""

    def run(self, compute: Compute, order: Sequence[int]) -> Results:
        """Results in the order of the batches."""
        for number in order:
            yield number, compute(number)


@dataclass(frozen=True, slots=True)
class Forked:
    """Worker processes that share the model's memory, one batch at a time each."""

    workers: int

    def run(self, compute: Compute, order: Sequence[int]) -> Results:
        """Results as the workers finish them."""
        yield from run_batches(compute, order, self.workers, DIED)


def choose_executor(plan: Plan) -> Executor:
    """The executor for a plan."""
    return Forked(plan.workers) if plan.workers > 1 else Inline()
