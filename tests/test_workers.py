"""Work in forked processes: all of it, once, and no error is lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from priscian import threads
from priscian.errors import WorkerError
from priscian.workers import can_fork, run_batches

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


def test_a_worker_starts_no_workers_of_its_own() -> None:
    assert can_fork()
    assert dict(run_batches(lambda n: can_fork(), range(2), 2, REMEDY)) == {0: False, 1: False}


def test_matrix_products_in_a_worker_use_one_thread() -> None:
    controls = threads._controls()
    if not controls:
        pytest.skip("NumPy and SciPy come without OpenBLAS here")
    before = [get() for get, _ in controls]
    for _, change in controls:
        change(3)
    try:
        found = dict(run_batches(lambda n: [get() for get, _ in controls], range(2), 2, REMEDY))
        assert found == {0: [1] * len(controls), 1: [1] * len(controls)}
        assert [get() for get, _ in controls] == [3] * len(controls)
    finally:
        for (_, change), count in zip(controls, before, strict=True):
            change(count)


def test_the_libraries_of_numpy_and_of_scipy_are_both_found() -> None:
    import scipy

    site = Path(scipy.__file__).parent.parent
    if not all(list((site / f"{name}.libs").glob("*openblas*")) for name in ("numpy", "scipy")):
        pytest.skip("NumPy and SciPy have no OpenBLAS of their own here")
    assert len(threads._controls()) == 2
