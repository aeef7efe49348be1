"""Work in forked processes: all of it, once, and no error is lost."""

from __future__ import annotations

import os
import signal

import pytest

from priscian.errors import WorkerError
from priscian.workers import run_batches

REMEDY = "use one worker"


def test_a_worker_that_dies_is_reported() -> None:
    def die(number: int) -> int:
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(WorkerError, match=f"worker process died.*{REMEDY}"):
        list(run_batches(die, range(6), 2, REMEDY))


def test_an_error_in_a_worker_reaches_the_caller() -> None:
    def fail(number: int) -> int:
        raise ValueError("odd")

    with pytest.raises(WorkerError, match="ValueError: odd"):
        list(run_batches(fail, range(6), 2, REMEDY))


def test_every_batch_is_run_exactly_once() -> None:
    for workers in (1, 2, 3):
        found = dict(run_batches(lambda n: n * n, range(20), workers, REMEDY))
        assert found == {n: n * n for n in range(20)}


def test_workers_that_would_not_stop_do_not_keep_the_caller_waiting() -> None:
    held = signal.signal(signal.SIGTERM, lambda number, frame: None)
    try:
        assert len(list(run_batches(lambda n: n, range(4), 2, REMEDY))) == 4
    finally:
        signal.signal(signal.SIGTERM, held)
