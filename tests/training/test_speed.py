"""The speed that a progress line shows, from which the time left is reckoned."""

from __future__ import annotations

import pytest

from priscian.training import loop


def test_the_speed_is_that_of_the_last_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(loop.time, "monotonic", lambda: now)
    speed = loop.Speed(5_000_000)  # a training that goes on where it was stopped
    found = []
    for after, tokens in ((10, 5_010_000), (50, 5_050_000), (90, 5_050_400), (170, 5_051_200)):
        now = 1000.0 + after
        found.append(speed.after(tokens))
    assert found == pytest.approx([1000, 1000, 40_400 / 80, 10])
