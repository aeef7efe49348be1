"""Measurements in fresh processes, and the load from other processes meanwhile."""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BATCH_SIZES = (8, 32, 128)


def end_cleanly() -> None:
    """On termination, also end the child process and remove the folder of models."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


@dataclass(frozen=True, slots=True)
class Run:
    """One timed run of one tool."""

    tool: str
    batch_size: int
    pairs: int
    seconds: float  # from model loaded to scores stored
    others: float  # share of the machine that other processes took meanwhile
    notes: dict[str, Any]

    @property
    def rate(self) -> float:
        """Pairs per second."""
        return self.pairs / self.seconds


@dataclass(frozen=True, slots=True)
class Bench:
    """One model on some cores, and a folder for what passes between processes."""

    model: Path
    folder: Path
    cores: int

    def child(self, script: str, *arguments: object) -> Any:
        """Run a script of this folder in a fresh process and return its output."""
        out = self.folder / "result.json"
        out.unlink(missing_ok=True)
        command = [sys.executable, str(HERE / script), *map(str, arguments)]
        subprocess.run(
            [*command, "--cores", str(self.cores), "--out", str(out)],
            check=True,
            env=os.environ | {"PRISCIAN_CACHE": str(self.folder / "cache")},
        )
        return json.loads(out.read_text(encoding="utf-8"))

    def probe(self, tool: str, pairs: Path) -> list[Run]:
        """A run at each batch size, after a first pass that is discarded."""
        return self._runs(tool, pairs, BATCH_SIZES[0], *BATCH_SIZES)[1:]

    def run(self, tool: str, pairs: Path, batch_size: int) -> Run:
        """One run in its own process."""
        (run,) = self._runs(tool, pairs, batch_size)
        return run

    def _runs(self, tool: str, pairs: Path, *sizes: int) -> list[Run]:
        before = _Clock.now()
        results = self.child("tools.py", tool, self.model, pairs, "--batch-size", *sizes)
        others = _Clock.now().others_since(before)
        return [
            Run(tool, r["batch_size"], r["pairs"], r["seconds"], others, r["notes"])
            for r in results
        ]


@dataclass(frozen=True, slots=True)
class _Clock:
    """Total and busy seconds of the machine's cores, and seconds of our finished children."""

    whole: float
    busy: float
    ours: float

    @classmethod
    def now(cls) -> _Clock:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        ours = usage.ru_utime + usage.ru_stime
        try:
            first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
        except OSError:
            return cls(math.nan, math.nan, ours)
        ticks = [int(value) / os.sysconf("SC_CLK_TCK") for value in first.split()[1:9]]
        idle = ticks[3] + ticks[4]  # idle, iowait; stolen time counts as busy with others
        return cls(sum(ticks), sum(ticks) - idle, ours)

    def others_since(self, before: _Clock) -> float:
        spent = (self.busy - before.busy) - (self.ours - before.ours)
        return max(0.0, spent / (self.whole - before.whole))
