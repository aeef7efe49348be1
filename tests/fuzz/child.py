"""Fuzz one reader in a process of its own, and say how much memory it took.

`python -m tests.fuzz.child all COUNT SEED` does so with every reader and adds it all up.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.fuzz.data_samples import DATA
from tests.fuzz.folder_samples import FOLDERS
from tests.fuzz.harness import Report, fuzz
from tests.fuzz.judge_samples import JUDGE
from tests.fuzz.model_samples import MODELS
from tests.fuzz.network_samples import NETWORKS
from tests.fuzz.server_samples import SERVERS
from tests.fuzz.training_samples import TRAINING
from tests.peak_memory import peak_megabytes

SAMPLES = [*DATA, *MODELS, *FOLDERS, *NETWORKS, *TRAINING, *JUDGE, *SERVERS]
ROOM = 6 << 30
"""Bytes of address space: libraries reserve much and use little; a bomb would take more."""


def main(name: str, count: str, seed: str) -> None:
    """Print a line of JSON: what came of it, and the most memory that was used."""
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    sample = next(sample for sample in SAMPLES if sample.name == name)
    with tempfile.TemporaryDirectory() as folder:
        report = fuzz(sample, Path(folder), int(count), int(seed))
    print(json.dumps({"name": name, **asdict(report), "megabytes": round(peak_megabytes())}))


def everything(count: str, seed: str) -> None:
    """A line for every reader, and the sums."""
    total, megabytes = Report(), 0
    for sample in SAMPLES:
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.child", sample.name, count, seed],
            env=os.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode or "panicked" in done.stderr:
            print(f"{sample.name}: died: {done.stderr[-500:]}", flush=True)
            total.tracebacks += 1
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        used = found.pop("megabytes")
        report = Report(**{key: value for key, value in found.items() if key != "name"})
        total.add(report)
        megabytes = max(megabytes, used)
        print(f"{sample.name}: {report}, {used} MB", *report.failures[:5], sep="\n", flush=True)
    print(f"all: {total} ({total.slowest}), {megabytes} MB")


if __name__ == "__main__":
    everything(*sys.argv[2:]) if sys.argv[1:2] == ["all"] else main(*sys.argv[1:])
