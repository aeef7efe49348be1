"""Run batches of work in this process, or in forked workers that share its memory."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, cast

from priscian.errors import PriscianError, WorkerError
from priscian.threads import one_thread_each

Run = Callable[[int], Any]
Say = Callable[[str], None]
"""Shows a line to whoever waits for the work."""
Progress = Callable[[int, int], None]
"""Shows how much is done, and how much there is in all."""
Watch = Callable[[str, int, int], None]
"""The same of something that has a name: a file, a stage, a model."""


def can_fork() -> bool:
    """Whether workers can be forked, so that they share a model's weights without a copy.

    A worker itself cannot.
    """
    is_worker = multiprocessing.current_process().daemon
    return not is_worker and "fork" in multiprocessing.get_all_start_methods()


def run_batches(
    run: Run, order: Sequence[int], workers: int, remedy: str
) -> Iterator[tuple[int, Any]]:
    """Results of `run(number)` for every number, as they come; each worker holds one at a time.

    `remedy` is what to do if a worker dies. Where processes cannot be forked, there is one.
    """
    if workers <= 1 or not can_fork():
        for number in order:
            yield number, run(number)
        return
    yield from _run_forked(run, order, workers, remedy)


def _run_forked(
    run: Run, order: Sequence[int], workers: int, remedy: str
) -> Iterator[tuple[int, Any]]:
    context = multiprocessing.get_context("fork")
    todo = iter(order)
    pipes: dict[Connection, Any] = {}
    with warnings.catch_warnings():
        # Python 3.12 warns about forking with threads; ours are idle, and workers use one each.
        warnings.simplefilter("ignore", DeprecationWarning)
        for _ in range(min(workers, len(order))):
            ours, theirs = context.Pipe()
            others = [*pipes, ours]
            process = context.Process(target=_work, args=(run, theirs, others), daemon=True)
            process.start()
            theirs.close()
            pipes[ours] = process
    try:
        for pipe in pipes:
            _send(pipe, next(todo, None), remedy)
        open_pipes = set(pipes)
        while open_pipes:
            for ready in wait(list(open_pipes)):
                pipe = cast(Connection, ready)
                answer = _receive(pipe, remedy)
                if answer is None:
                    open_pipes.discard(pipe)
                    continue
                yield answer  # the caller saves it first, so that a kill costs one batch per worker
                _send(pipe, next(todo, None), remedy)
    finally:
        for pipe, process in pipes.items():
            pipe.close()
            process.terminate()
        for process in pipes.values():
            process.join(5)


def _send(pipe: Connection, number: int | None, remedy: str) -> None:
    try:
        pipe.send(number)
    except OSError:  # a broken pipe, which the command line would take for closed standard output
        raise _died(remedy) from None


def _receive(pipe: Connection, remedy: str) -> tuple[int, Any] | None:
    try:
        number, result = pipe.recv()
    except (EOFError, OSError):
        raise _died(remedy) from None
    if number is None:
        return None
    if isinstance(result, BaseException):
        raise result
    return number, result


def _died(remedy: str) -> WorkerError:
    return WorkerError(f"a worker process died, possibly out of memory; {remedy}")


def _work(run: Run, pipe: Connection, others: list[Connection]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:
        other.close()
    with contextlib.suppress(BrokenPipeError, EOFError, ConnectionResetError), one_thread_each():
        while (number := pipe.recv()) is not None:
            pipe.send_bytes(_answer(run, number))
        pipe.send((None, None))


def _answer(run: Run, number: int) -> Any:
    """The number and its result, or the error, pickled as `Connection.send` does it."""
    try:
        result = run(number)
    except PriscianError as error:
        result = error
    except Exception as error:
        result = WorkerError(f"{type(error).__name__}: {error}")
    try:
        return ForkingPickler.dumps((number, result))
    except Exception as error:  # what pickling raises depends on the object
        if isinstance(result, PriscianError):
            failed = WorkerError(f"{type(result).__name__}: {result}")
        else:
            failed = WorkerError(
                f"a result cannot be sent from a worker process ({type(error).__name__}: {error}); "
                "return plain data, or use one worker"
            )
        return ForkingPickler.dumps((number, failed))
