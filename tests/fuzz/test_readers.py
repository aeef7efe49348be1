"""Every reader against damaged files: one line for each, never a traceback, a hang or a silence.

`python -m tests.fuzz.child NAME COUNT SEED` does the same by hand.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.child import SAMPLES
from tests.fuzz.harness import Sample, fuzz

ROOT = Path(__file__).resolve().parents[2]
SEED = 20260101
MOST_MEMORY = 1000
"""Megabytes, libraries included."""


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_damaged_files_are_refused_in_one_line_or_read_as_they_are(
    sample: Sample, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    failures = fuzz(sample, tmp_path, 100, SEED)
    assert not failures, f"{len(failures)} of 100:\n" + "\n".join(failures[:5])
    assert "panicked" not in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("name", [sample.name for sample in SAMPLES])
def test_two_thousand_damaged_files_take_less_than_a_gigabyte(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.child", name, "2000", str(SEED + 1)],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "panicked" not in done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    failures = found["failures"]
    assert not failures, f"{len(failures)} of 2,000:\n" + "\n".join(failures[:5])
    assert found["megabytes"] < MOST_MEMORY
