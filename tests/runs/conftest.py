"""A small data set in BLiMP's schema, and models that are loaded once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from priscian.models import LoadedModel, ResolvedModel

LOADED: dict[str, LoadedModel] = {}


@pytest.fixture
def loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models stay in memory, where a test would load the same one many times."""

    load = ResolvedModel.load

    def once(self: ResolvedModel) -> LoadedModel:
        if str(self) not in LOADED:
            LOADED[str(self)] = load(self)
        return LOADED[str(self)]

    monkeypatch.setattr(ResolvedModel, "load", once)


def row(uid: str, field: str, term: str, number: int, good: str, bad: str, **more: Any) -> str:
    facts = {"sentence_good": good, "sentence_bad": bad, "field": field, "linguistics_term": term}
    return json.dumps(facts | {"UID": uid, "pairID": str(number)} | more)


@pytest.fixture
def blimp(tmp_path: Path) -> Path:
    """Three paradigms of two phenomena: without prefix, with one prefix, with two."""
    folder = tmp_path / "tiny-blimp"
    folder.mkdir()
    nouns = ("nurse", "lawyer", "goose", "child")
    plain = [
        row("odd_plain", "syntax", "islands", i, f"Some {n} forget us.", f"Forget {n} some us.")
        for i, n in enumerate(nouns)
    ]
    one = [
        row("odd_one", "syntax", "binding", i, f"The {n} has gone out.", f"The {n} have gone out.",
            one_prefix_prefix=f"The {n}", one_prefix_word_good="has", one_prefix_word_bad="have")
        for i, n in enumerate(nouns)
    ]  # fmt: skip
    two = [
        row("odd_two", "morphology", "agreement", i, f"The {n} has gone.", f"These {n} has gone.",
            two_prefix_prefix_good=f"The {n}", two_prefix_prefix_bad=f"These {n}",
            two_prefix_word="has")
        for i, n in enumerate(nouns[:3])
    ]  # fmt: skip
    for name, rows in (("odd_plain", plain), ("odd_one", one), ("odd_two", two)):
        (folder / f"{name}.jsonl").write_text("\n".join(rows) + "\n")
    return folder


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A plain table of pairs."""
    path = tmp_path / "pairs.csv"
    path.write_text("good,bad\nShe has admired us!,Us she admired has!\nGo now.,Now the go.\n")
    return path
