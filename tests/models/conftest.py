"""One thread: two processes that spin on two cores would make tiny models slow."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans made in these tests use one core, and so one worker with one thread."""
    import torch

    torch.set_num_threads(1)
    monkeypatch.setattr("priscian.scoring.planner.cores", lambda: 1)
