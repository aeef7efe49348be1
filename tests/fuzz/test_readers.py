"""Every reader against damaged files: one line for each, never a traceback, a hang or a silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.data_samples import DATA
from tests.fuzz.harness import Sample, fuzz
from tests.fuzz.model_samples import MODELS

SAMPLES = [*DATA, *MODELS]
SEED = 20260101


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_damaged_files_are_refused_in_one_line_or_read_as_they_are(
    sample: Sample, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    failures = fuzz(sample, tmp_path, 200, SEED)
    assert not failures, f"{len(failures)} of 200:\n" + "\n".join(failures[:5])
    assert "panicked" not in capfd.readouterr().err
