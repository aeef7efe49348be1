"""Runs jobs in processes of their own, one per core or GPU; a job that fails stops no other."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from priscian.errors import PriscianError, flat
from priscian.sweeps.folder import SweepFolder, missing_of
from priscian.sweeps.jobs import Hashes, SweepJob
from priscian.sweeps.sweep import Sweep
from priscian.sweeps.work import Busy, do_job, is_busy
from priscian.sweeps.worker import BUSY, OUT_OF_MEMORY, Said, WorkerTask

POLL = 2.0
"""Seconds between two looks at jobs that another process is doing."""
State = Literal["begun", "progress", "done", "failed", "elsewhere"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something happened to a job."""

    job: SweepJob
    state: State
    stage: str = ""
    done: int = 0
    total: int = 0
    said: str = ""
    seconds: float = 0.0


@dataclass(slots=True)
class Pool:
    """Jobs of one sweep, some of them running."""

    place: SweepFolder
    sweep: Sweep
    hashes: Hashes
    tell: Callable[[Event], None]
    processes: int = 1
    """0 runs one job after the other in this process."""
    threads: int = 1
    gpus: Sequence[str] = ()
    failed: dict[str, str] = field(default_factory=dict)
    _events: queue.Queue[tuple[int, Said | None]] = field(default_factory=queue.Queue)
    _running: dict[int, _Running] = field(default_factory=dict)

    def run(self, jobs: Sequence[SweepJob]) -> dict[str, str]:
        """Do all jobs; the reason for each that failed, by its name."""
        waiting, elsewhere = deque(jobs), deque[SweepJob]()
        try:
            while waiting or elsewhere or self._running:
                while waiting and len(self._running) < max(1, self.processes):
                    self._start(waiting.popleft(), elsewhere)
                if self._running:
                    self._listen(elsewhere)
                elif elsewhere and not waiting:
                    self._look_at(elsewhere, waiting)
        finally:
            self._stop()
        return self.failed

    def _start(self, job: SweepJob, elsewhere: deque[SweepJob]) -> None:
        if not missing_of(self.place, job, self.sweep):
            self.tell(Event(job, "done"))
        elif is_busy(self.place, job):
            elsewhere.append(job)
            self.tell(Event(job, "elsewhere"))
        elif self.processes == 0:
            self._here(job, elsewhere)
        else:
            self.tell(Event(job, "begun"))
            used = {running.slot for running in self._running.values()}
            slot = min(set(range(self.processes)) - used)
            running = _Running(job, slot, self._launch(job, slot))
            self._running[running.process.pid] = running
            threading.Thread(target=self._read, args=(running,), daemon=True).start()

    def _here(self, job: SweepJob, elsewhere: deque[SweepJob]) -> None:
        began = time.monotonic()
        self.tell(Event(job, "begun"))
        try:
            do_job(
                self.place, job, self.sweep,
                lambda stage, done, total: self.tell(Event(job, "progress", stage, done, total)),
                self.hashes,
            )  # fmt: skip
        except Busy:
            elsewhere.append(job)
            self.tell(Event(job, "elsewhere"))
        except (PriscianError, OSError) as error:
            self._fail(job, flat(error))
        except MemoryError:
            self._fail(job, OUT_OF_MEMORY)
        else:
            self.tell(Event(job, "done", seconds=time.monotonic() - began))

    def _launch(self, job: SweepJob, slot: int) -> subprocess.Popen[bytes]:
        task = WorkerTask(
            out=str(self.place.path.resolve()),
            sweep=self.sweep,
            job=job.name,
            trained=job.trained,
            hashes=dict(self.hashes),
            threads=self.threads,
        )
        environment = {**os.environ, "OMP_NUM_THREADS": str(self.threads)}
        if self.gpus:
            environment["CUDA_VISIBLE_DEVICES"] = self.gpus[slot % len(self.gpus)]
        self.log_of(job).parent.mkdir(parents=True, exist_ok=True)
        with self.log_of(job).open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "priscian.sweeps.worker"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment,
            )  # fmt: skip
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended already; its exit code says how
            process.stdin.write(msgspec.json.encode(task))
        with suppress(BrokenPipeError):
            process.stdin.close()
        return process

    def log_of(self, job: SweepJob) -> Path:
        """What a job's process has printed."""
        return self.place.job(job).path / "log.txt"

    def _read(self, running: _Running) -> None:
        """Lines of a process, and None at its end; runs in a thread."""
        pid, out = running.process.pid, running.process.stdout
        assert out is not None
        try:
            with out:
                for line in out:
                    with suppress(
                        msgspec.DecodeError, ValueError
                    ):  # a line that a library has printed
                        self._events.put((pid, msgspec.json.decode(line, type=Said)))
        finally:  # without the None, the sweep would wait for ever
            running.process.wait()
            self._events.put((pid, None))

    def _listen(self, elsewhere: deque[SweepJob]) -> None:
        pid, line = self._events.get()
        running = self._running[pid]
        if line is None:
            self._end(self._running.pop(pid), elsewhere)
        elif line.error:
            running.error = line.error
        elif line.stage:
            self.tell(Event(running.job, "progress", line.stage, line.done, line.total))

    def _end(self, running: _Running, elsewhere: deque[SweepJob]) -> None:
        job, code = running.job, running.process.returncode
        if code == 0:
            self.tell(Event(job, "done", seconds=time.monotonic() - running.began))
        elif code == BUSY:
            elsewhere.append(job)
            self.tell(Event(job, "elsewhere"))
        elif running.error:
            self._fail(job, running.error)
        elif code < 0:
            name = signal.Signals(-code).name
            self._fail(job, f"its process was ended by {name}, possibly {OUT_OF_MEMORY}")
        else:
            self._fail(job, f"its process failed; see {self.log_of(job)}")

    def _fail(self, job: SweepJob, reason: str) -> None:
        self.failed[job.name] = " ".join(reason.split())
        self.tell(Event(job, "failed", said=self.failed[job.name]))

    def _look_at(self, elsewhere: deque[SweepJob], waiting: deque[SweepJob]) -> None:
        """Wait until another process has let go of a job."""
        time.sleep(POLL)
        for _ in range(len(elsewhere)):
            job = elsewhere.popleft()
            (elsewhere if is_busy(self.place, job) else waiting).append(job)

    def _stop(self) -> None:
        for running in self._running.values():
            running.process.terminate()
        for running in self._running.values():
            running.process.wait()
        self._running.clear()


@dataclass(slots=True)
class _Running:
    job: SweepJob
    slot: int
    process: subprocess.Popen[bytes]
    error: str = ""
    began: float = field(default_factory=time.monotonic)
