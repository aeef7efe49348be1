"""A small text with its trees, and sweeps that take seconds."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

NOUNS = ("cat", "dog", "child", "teacher", "river", "stone", "letter", "garden")
VERBS = ("sees", "likes", "finds", "paints", "remembers", "follows")
TREE = "(ROOT (S (NP (DT The) (NN {})) (VP (VBZ {}) (NP (DT the) (NN {}))) (. .)))"
COUNTS = """
sizes = ["1k", "2k", "4k"]

[corpus]
files = ["text.txt"]

[models.5-gram]

[scoring]
on = ["pairs:PAIRS"]
test_sentences = 20
"""


def write_corpus(folder: Path) -> Path:
    """600 paragraphs of two sentences, a tree for each, and four minimal pairs."""
    draw = random.Random(1)
    lines, trees = [], []
    for _ in range(600):
        said = [(draw.choice(NOUNS), draw.choice(VERBS), draw.choice(NOUNS)) for _ in range(2)]
        lines.append(" ".join(f"The {a} {v} the {b}." for a, v, b in said))
        trees += [TREE.format(*words) for words in said]
    (folder / "text.txt").write_text("\n".join(lines) + "\n")
    pairs = ["good,bad,UID"]
    for name in ("order", "article"):
        for a, v, b in said:
            bad = f"{a} the {v} the {b}." if name == "order" else f"The {a} {v} {b} the."
            pairs.append(f"The {a} {v} the {b}.,{bad},{name}")
    (folder / "pairs.csv").write_text("\n".join(pairs) + "\n")
    (folder / "trees.txt").write_text("\n".join(trees) + "\n")
    return folder / "text.txt"


@pytest.fixture(autouse=True)
def no_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests do without image files, which take a second each."""
    if "pictures" not in request.fixturenames:
        monkeypatch.setattr("priscian.sweeps.curve.write_figures", lambda *_: [])


@pytest.fixture
def pictures() -> None:
    """This test draws."""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """The text; `trees.txt` is beside it."""
    return write_corpus(tmp_path)


@pytest.fixture
def counts(text: Path) -> Path:
    """A sweep of three 5-gram models."""
    path = text.parent / "sweep.toml"
    path.write_text(COUNTS.replace("PAIRS", str(text.parent / "pairs.csv")))
    return path


@pytest.fixture
def edited(counts: Path) -> Callable[[str, str], Path]:
    """The sweep with a part of it replaced."""

    def edit(old: str, new: str) -> Path:
        text = counts.read_text()
        assert old in text
        counts.write_text(text.replace(old, new))
        return counts

    return edit
