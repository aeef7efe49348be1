"""What several tests of training share."""

from __future__ import annotations

import random
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 lines of six words that mean nothing."""
    draw = random.Random(4)
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    words = ("cat", "dog", "river", "sees", "likes", "stone")
    path.write_text("".join(f"{' '.join(draw.choices(words, k=6))}.\n" for _ in range(300)))
    return path
