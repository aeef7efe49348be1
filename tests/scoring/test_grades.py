"""Models that grade whole texts: shards of them are disjoint, complete and resumable."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from priscian.records import Text
from priscian.scoring import ScoreStore, Shard, engine, grade_texts
from priscian.scoring.engine import SCORE

TEXTS = [Text("a" * (i + 1)) for i in range(20)]


class Lengths:
    """Grades a text by its length, and remembers what it was asked."""

    version = "1"

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def score(self, texts: Sequence[Text]) -> list[object]:
        raise AssertionError("it grades whole texts")

    def grade(self, texts: Sequence[Text]) -> list[float]:
        self.asked.append([len(text.text) for text in texts])
        return [float(len(text.text)) for text in texts]


def test_shards_of_grades_make_up_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "GRADED", 3)
    model = Lengths()
    whole = grade_texts(model, TEXTS, ScoreStore()).scores
    stores = [ScoreStore() for _ in range(3)]
    parts = [
        grade_texts(model, TEXTS, store, shard=Shard(n, 3)) for n, store in enumerate(stores, 1)
    ]
    assert [part.computed for part in parts] == [8, 6, 6]  # seven groups, the last of two
    joined = [pair for part in parts for pair in part.scores.items()]
    assert len(joined) == len(TEXTS)
    assert dict(joined) == whole


def test_a_shard_that_was_stopped_grades_the_same_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "GRADED", 3)
    model, store = Lengths(), ScoreStore()
    key = grade_texts(model, TEXTS[:1], ScoreStore()).key
    whole = grade_texts(model, TEXTS, ScoreStore(), shard=Shard(2, 3)).scores
    rows = [(text, whole[text]) for text in TEXTS[3:6]]
    store.write(key, "lengths", rows, SCORE)
    model.asked.clear()
    assert grade_texts(model, TEXTS, store, shard=Shard(2, 3)).scores == whole
    assert model.asked == [[13, 14, 15]]
