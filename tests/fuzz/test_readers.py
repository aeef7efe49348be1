"""Every reader against damaged files: one line for each, never a traceback, a hang or a silence.

`python -m tests.fuzz.child NAME COUNT SEED` does the same by hand. The slow tests read
`PRISCIAN_FUZZ` files with each reader, from the seed `PRISCIAN_FUZZ_SEED`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.bombs import BOMBS, in_child
from tests.fuzz.child import SAMPLES
from tests.fuzz.harness import Sample, fuzz

ROOT = Path(__file__).resolve().parents[2]
SEED = 20260101
FEW = 80
MANY = int(os.environ.get("PRISCIAN_FUZZ", "2000"))
MANY_SEED = os.environ.get("PRISCIAN_FUZZ_SEED", str(SEED + 1))
MOST_MEMORY = 1500
"""Megabytes, libraries included."""
MOST_OF_A_BOMB = 4000
MOST_SECONDS = 120
"""Of the processor, for the reading of 50 MB; endless loops would take for ever."""


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_damaged_files_are_refused_in_one_line_or_read_as_they_are(
    sample: Sample, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    report = fuzz(sample, tmp_path, FEW, SEED)
    assert not report.failures, f"{report}:\n" + "\n".join(report.failures[:5])
    assert "panicked" not in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("name", [sample.name for sample in SAMPLES])
def test_thousands_of_damaged_files_take_little_memory(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.child", name, str(MANY), MANY_SEED],
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
    assert not failures, f"{len(failures)} of {found['inputs']}:\n" + "\n".join(failures[:5])
    assert found["megabytes"] < MOST_MEMORY


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_stands_for_much_takes_less_than_4_gigabytes(name: str) -> None:
    found = in_child(name)
    assert found["said"].startswith(("read", "refused: ")), found
    assert found["megabytes"] < MOST_OF_A_BOMB
    assert found["seconds"] < MOST_SECONDS
