"""Plans made in these tests use one core: threads that wait for each other cost minutes."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """One worker with one thread, except where a test asks for workers."""
    monkeypatch.setattr("priscian.scoring.planner.cores", lambda: 1)
