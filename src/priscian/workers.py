"""Run batches of work in this process, or in forked workers that share its memory."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, cast

from priscian.errors import PriscianError, WorkerError
from priscian.threads import one_thread_each

Run = Callable[[int], Any]


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

    `remedy` is what to do if a worker dies.
    """
    if workers <= 1:
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
            pipe.send(next(todo, None))
        open_pipes = set(pipes)
        while open_pipes:
            for ready in wait(list(open_pipes)):
                pipe = cast(Connection, ready)
                answer = _receive(pipe, remedy)
                if answer is None:
                    open_pipes.discard(pipe)
                    continue
                yield answer  # the caller saves it first, so that a kill costs one batch per worker
                pipe.send(next(todo, None))
    finally:
        for pipe, process in pipes.items():
            pipe.close()
            process.terminate()
        for process in pipes.values():
            process.join(5)


def _receive(pipe: Connection, remedy: str) -> tuple[int, Any] | None:
    try:
        number, result = pipe.recv()
    except EOFError:
        raise WorkerError(f"a worker process died, possibly out of memory; {remedy}") from None
    if number is None:
        return None
    if isinstance(result, BaseException):
        raise result
    return number, result


def _work(run: Run, pipe: Connection, others: list[Connection]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:
        other.close()
    with contextlib.suppress(BrokenPipeError, EOFError, ConnectionResetError), one_thread_each():
        while (number := pipe.recv()) is not None:
            try:
                result = run(number)
            except PriscianError as error:
                result = error
            except Exception as error:
                result = WorkerError(f"{type(error).__name__}: {error}")
            pipe.send((number, result))
        pipe.send((None, None))
