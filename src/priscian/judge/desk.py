"""One writer that commits before it acknowledges, and readers beside it.

Jobs that wait are done in one transaction, each in a savepoint of its own, so that a hundred
answers cost one synchronisation of the disk. Nobody hears of a job before it has been committed.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from priscian.errors import StoreError
from priscian.judge.store import Store

T = TypeVar("T")
Job = Callable[[Store], T]
MOST = 256
"""Jobs in one transaction."""
READERS = 3


class Desk:
    """Takes jobs for a store from the event loop."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open = open_store
        self._jobs: queue.SimpleQueue[tuple[Job[Any], Future[Any]] | None] = queue.SimpleQueue()
        self._own = threading.local()
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="judge-reader")
        self._store = open_store()  # here, so that a mistake is told at once
        self._writer = threading.Thread(target=self._work, name="judge-writer", daemon=True)
        self._writer.start()

    async def write(self, job: Job[T]) -> T:
        """The result of a job, once it is on disk."""
        return await asyncio.wrap_future(self.submit(job))

    def submit(self, job: Job[T]) -> Future[T]:
        """The same for callers without an event loop."""
        future: Future[T] = Future()
        self._jobs.put((job, future))
        return future

    async def read(self, job: Job[T]) -> T:
        """The result of a job that changes nothing."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._read, job)

    def _read(self, job: Job[T]) -> T:
        store: Store | None = getattr(self._own, "store", None)
        if store is None:
            store = self._own.store = self._open()
        try:
            return job(store)
        except StoreError:
            self._own.store = None  # a connection that was cut is not used again
            raise

    def close(self) -> None:
        """Finish what was taken, then stop."""
        self._jobs.put(None)
        self._writer.join()
        self._readers.shutdown()

    def _work(self) -> None:
        ending = False
        while not ending:
            batch = []
            taken = self._jobs.get()
            while True:
                if taken is None:
                    ending = True
                    break
                batch.append(taken)
                if len(batch) == MOST:
                    break
                try:
                    taken = self._jobs.get_nowait()
                except queue.Empty:
                    break
            if batch:
                self._commit(batch)
        self._store.close()

    def _commit(self, batch: list[tuple[Job[Any], Future[Any]]]) -> None:
        done: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            with self._store.backend.transaction():
                for job, future in batch:
                    done.append((future, *self._one(job)))
        except StoreError as error:
            done = [(future, None, error) for _, future in batch]
            self._reopen()
        for future, result, problem in done:
            with contextlib.suppress(Exception):  # whoever asked has gone away
                future.set_exception(problem) if problem else future.set_result(result)

    def _one(self, job: Job[Any]) -> tuple[Any, BaseException | None]:
        try:
            with self._store.backend.savepoint():
                return job(self._store), None
        except StoreError:
            raise  # of the database: nothing of this batch can be kept
        except Exception as error:  # of this job alone; whoever asked gets to know
            return None, error

    def _reopen(self) -> None:
        """A new connection after an error; if that fails too, the next job tries again."""
        with contextlib.suppress(StoreError):
            fresh = self._open()
            old, self._store = self._store, fresh
            with contextlib.suppress(Exception):
                old.close()
