"""A treebank of a few words, and a parser that has learnt it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

NOUNS = ("cat", "dog", "child", "teacher")
VERBS = ("sees", "likes", "finds")
SMALL: dict[str, Any] = {
    "network.hidden": 24, "network.span": 24, "network.filters": 16, "network.context": 16,
    "network.dropout": 0.1, "training.epochs": 5, "training.batch_tokens": 60,
    "training.learning_rate": 1e-2,
}  # fmt: skip


def sentence(draw: random.Random) -> str:
    """A tree of The N V the N, some with of-phrases."""

    def phrase() -> str:
        noun = f"(NP (DT the) (NN {draw.choice(NOUNS)}))"
        return f"(NP-SBJ {noun} (PP (IN of) {phrase()}))" if draw.random() < 0.2 else noun

    return f"(ROOT (S {phrase()} (VP (VBZ {draw.choice(VERBS)}) {phrase()}) (. .)))"


@pytest.fixture
def small() -> dict[str, Any]:
    """Changes of the recipe that make a small parser."""
    return SMALL


@pytest.fixture(scope="session")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """100 trees, one a line."""
    draw = random.Random(1)
    path = tmp_path_factory.mktemp("trees") / "trees.txt"
    path.write_text("".join(f"{sentence(draw)}\n" for _ in range(100)))
    return path


@pytest.fixture(scope="session")
def trained(trees: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a parser."""
    pytest.importorskip("torch")
    from priscian import train_parser

    out = tmp_path_factory.mktemp("parser") / "model"
    train_parser(trees, out, overrides=SMALL)
    return out
