"""Work in forked processes: all of it, once, and no error is lost."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from pathlib import Path

import pytest

from priscian import threads
from priscian.errors import (
    BackendError,
    FormulaError,
    ModelError,
    PriscianError,
    SetAsideError,
    UnknownNameError,
    WorkerError,
)
from priscian.workers import _receive, can_fork, run_batches

REMEDY = "use one worker"


def test_a_worker_that_dies_is_reported() -> None:
    def die(number: int) -> int:
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(WorkerError, match=f"worker process died.*{REMEDY}"):
        list(run_batches(die, range(6), 2, REMEDY))


def test_a_worker_that_dies_while_the_caller_holds_its_result_is_reported() -> None:
    found = run_batches(lambda number: os.getpid(), range(6), 2, REMEDY)
    _, process = next(found)
    os.kill(process, signal.SIGKILL)
    for child in multiprocessing.active_children():
        if child.pid == process:
            child.join()
    with pytest.raises(WorkerError, match=f"worker process died.*{REMEDY}"):
        list(found)


def test_a_worker_that_dies_before_it_reads_its_number_is_reported() -> None:
    ours, theirs = multiprocessing.Pipe()
    ours.send(1)
    theirs.close()  # with the number unread, the kernel resets the connection
    with pytest.raises(WorkerError, match=f"worker process died.*{REMEDY}"):
        _receive(ours, REMEDY)


@pytest.mark.parametrize(
    "error",
    [
        UnknownNameError("paradigm", "wh_iland", ["wh_island"]),
        FormulaError("(1) >> 2", 4, "unknown sign", "use >"),
        BackendError("the server refused", 429),
        SetAsideError("m", ["Go."], "killed"),
        ModelError("no such folder"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_comes_from_a_worker_with_its_message_and_attributes(error: PriscianError) -> None:
    def fail(number: int) -> int:
        raise error

    with pytest.raises(type(error)) as caught:
        list(run_batches(fail, range(2), 2, REMEDY))
    assert type(caught.value) is type(error)
    assert str(caught.value) == str(error)
    assert vars(caught.value) == vars(error)
    assert vars(pickle.loads(pickle.dumps(error))) == vars(error)


def test_a_result_that_cannot_be_sent_is_reported_as_such(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(WorkerError, match="a result cannot be sent from a worker process"):
        list(run_batches(lambda n: lambda: n, range(2), 2, REMEDY))
    assert capfd.readouterr().err == ""


def test_an_error_of_a_class_that_cannot_be_pickled_keeps_its_message() -> None:
    class OwnError(ModelError):
        pass

    def fail(number: int) -> int:
        raise OwnError("odd")

    with pytest.raises(WorkerError, match="OwnError: odd"):
        list(run_batches(fail, range(2), 2, REMEDY))


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
    threads._blas.cache_clear()
    blas = threads._blas()
    if not len(blas):
        pytest.skip("NumPy comes without a BLAS library of its own here")

    def counts() -> list[int]:
        return [library["num_threads"] for library in blas.info()]

    with blas.limit(limits=3):
        found = dict(run_batches(lambda n: counts(), range(2), 2, REMEDY))
        assert found == {0: [1] * len(blas), 1: [1] * len(blas)}
        assert counts() == [3] * len(blas)


def test_the_libraries_of_numpy_and_of_scipy_are_both_found() -> None:
    import scipy.linalg

    site = Path(scipy.__file__).parent.parent
    if not all(list((site / f"{name}.libs").glob("*openblas*")) for name in ("numpy", "scipy")):
        pytest.skip("NumPy and SciPy have no OpenBLAS of their own here")
    threads._blas.cache_clear()
    assert len(threads._blas()) == 2
