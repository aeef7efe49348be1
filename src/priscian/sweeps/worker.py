"""A process that does one job: `python -m priscian.sweeps.worker`, with its task on stdin.

Progress goes to standard output as lines of JSON, everything else to the job's log.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from pathlib import Path

import msgspec

from priscian.errors import PriscianError, RunError, flat
from priscian.sweeps.folder import SweepFolder
from priscian.sweeps.jobs import expand
from priscian.sweeps.sweep import Sweep
from priscian.sweeps.work import Busy, do_job

BUSY = 75
OUT_OF_MEMORY = "out of memory; use fewer `processes=` or a smaller recipe"
EVERY = 0.5
"""Seconds between two lines of progress."""


class WorkerTask(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is told."""

    out: str
    sweep: Sweep
    job: str
    """Name of the job."""
    trained: str
    """What decides its weights, by the recipe as the sweep has read it."""
    hashes: dict[str, str]
    threads: int


class Said(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of a worker: how far a stage is, or why the job failed."""

    stage: str = ""
    done: int = 0
    total: int = 0
    error: str = ""


class _Lines:
    """Progress as lines; the process ends when nobody reads them any more."""

    def __init__(self) -> None:
        self._last = ("", 0.0)

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage == self._last[0] and now - self._last[1] < EVERY and done < total:
            return
        self._last = (stage, now)
        self.send(Said(stage=stage, done=done, total=total))

    def send(self, line: Said) -> None:
        try:
            print(msgspec.json.encode(line).decode(), flush=True)
        except BrokenPipeError:
            os._exit(1)  # the sweep was killed; what was trained is saved


def main() -> int:
    """Do the job that standard input names; the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the sweep decides what Ctrl-C means
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=WorkerTask)
    lines = _Lines()
    warnings.simplefilter("default")
    try:
        jobs = {job.name: job for job in expand(task.sweep, task.hashes, task.threads)}
        job = jobs[task.job]
        if job.trained != task.trained:
            raise RunError("its recipe changed since the command began; run the same command again")
        do_job(SweepFolder(Path(task.out)), job, task.sweep, lines, task.hashes)
    except Busy:
        return BUSY
    except (PriscianError, OSError) as error:
        lines.send(Said(error=flat(error)))
        return 1
    except MemoryError:
        lines.send(Said(error=OUT_OF_MEMORY))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
