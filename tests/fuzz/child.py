"""Fuzz one reader in a process of its own, and say how much memory it took."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.fuzz.data_samples import DATA
from tests.fuzz.folder_samples import FOLDERS
from tests.fuzz.harness import fuzz
from tests.fuzz.judge_samples import JUDGE
from tests.fuzz.model_samples import MODELS
from tests.fuzz.network_samples import NETWORKS
from tests.fuzz.training_samples import TRAINING
from tests.peak_memory import peak_megabytes

SAMPLES = [*DATA, *MODELS, *FOLDERS, *NETWORKS, *TRAINING, *JUDGE]
ROOM = 6 << 30
"""Bytes of address space: libraries reserve much and use little; a bomb would take more."""


def main(name: str, count: str, seed: str) -> None:
    """Print a line of JSON: what came of it, and the most memory that was used."""
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    sample = next(sample for sample in SAMPLES if sample.name == name)
    with tempfile.TemporaryDirectory() as folder:
        report = fuzz(sample, Path(folder), int(count), int(seed))
    print(json.dumps({"name": name, **asdict(report), "megabytes": round(peak_megabytes())}))


if __name__ == "__main__":
    main(*sys.argv[1:])
