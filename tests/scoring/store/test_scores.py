"""The score store keeps, finds and forgets, and never gives one model another one's scores."""

from __future__ import annotations

import itertools
import math
import random
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from priscian.errors import StoreError
from priscian.models import ModelKey, register, registry
from priscian.records import Text, TokenScores
from priscian.scoring import Pruned, ScoreStore, score_texts

KEY = ModelKey({"provider": "test", "weights": "1"})
OTHER = ModelKey({"provider": "test", "weights": "2"})
SCORES = TokenScores((0, 3), (3, 7), (-1.25, -0.5))
TEXTS = [Text(f"text {i}") for i in range(10)]


def scores_of(number: float, text: Text) -> TokenScores:
    return TokenScores((0,), (len(text.text),), (-number,))


class TestWrongKeys:
    def test_pruning_while_another_process_scores_gives_no_model_anothers_scores(
        self, tmp_path: Path
    ) -> None:
        """Two connections are two processes to SQLite: one scores, the other prunes it all."""
        with (
            ScoreStore(tmp_path / "s.sqlite") as scoring,
            ScoreStore(tmp_path / "s.sqlite") as pruning,
        ):
            scoring.write(KEY, "lstm", [(t, scores_of(1, t)) for t in TEXTS[:5]])
            pruning.prune([KEY.digest])
            scoring.write(KEY, "lstm", [(t, scores_of(1, t)) for t in TEXTS[5:]])
        with ScoreStore(tmp_path / "s.sqlite") as store:
            assert store.missing(OTHER, TEXTS) == [True] * 10
            store.write(OTHER, "ngram", [(t, scores_of(2, t)) for t in TEXTS])
            assert store.read(OTHER, TEXTS) == {t: scores_of(2, t) for t in TEXTS}
            assert store.read(KEY, TEXTS) == {t: scores_of(1, t) for t in TEXTS[5:]}

    def test_a_number_that_a_model_had_is_never_another_ones(self, tmp_path: Path) -> None:
        path = tmp_path / "s.sqlite"
        seen = []
        for key in (KEY, OTHER, KEY):
            with ScoreStore(path) as store:
                store.write(key, "m", [(TEXTS[0], SCORES)])
                (found,) = store._db.execute("SELECT model, text FROM scores").fetchall()
                seen.append(found)
                store.prune([key.digest])
        assert len({model for model, _ in seen}) == len({text for _, text in seen}) == 3

    @pytest.mark.parametrize(
        "change", ["model = 2", "text = 2", "channel = 3", "offsets = 1"], ids=str.split
    )
    def test_a_row_that_comes_to_stand_under_another_key_is_not_read(
        self, tmp_path: Path, change: str
    ) -> None:
        path = tmp_path / "s.sqlite"
        with ScoreStore(path) as store:
            store.write(KEY, "a", [(Text("x"), SCORES)])
            store.write(OTHER, "b", [(Text("y"), SCORES)])
            store.write(OTHER, "b", [(Text("x"), TokenScores((0,), (7,), (-1.0,)))])
        with sqlite3.connect(path) as db:
            db.execute("DELETE FROM scores WHERE model = 2")
            db.execute(f"UPDATE scores SET {change}")
        db.close()
        asked = [Text("x"), Text("y")]
        told = []
        with ScoreStore(path) as store:
            for key, channel in itertools.product((KEY, OTHER), ("logp", "entropy")):
                try:
                    assert store.read(key, asked, channel) == {}
                except StoreError as error:
                    told.append(str(error))
        assert len(told) == 1
        assert "a row is damaged; delete this model's scores" in told[0]

    def test_models_never_share_scores(self) -> None:
        with ScoreStore() as store:
            store.write(KEY, "same label", [(Text("x"), SCORES)])
            assert store.read(OTHER, [Text("x")]) == {}

    def test_a_tokenisation_is_shared_only_if_it_is_the_same(self) -> None:
        whole, cut = TokenScores((0,), (7,), (-1.0,)), TokenScores((0, 2), (2, 7), (-1.0, -2.0))
        again = TokenScores((0, 2), (2, 7), (-3.0, -4.0))
        third = ModelKey({"weights": "3"})
        with ScoreStore() as store:
            for key, scores in ((KEY, whole), (OTHER, cut), (third, again)):
                store.write(key, "m", [(Text("walking"), scores)])
                assert store.read(key, [Text("walking")]) == {Text("walking"): scores}
            assert store._db.execute("SELECT COUNT(*) FROM offsets").fetchone() == (2,)
            assert store.read(KEY, [Text("walking")]) == {Text("walking"): whole}


class Pruner:
    """A simple model during whose work another process prunes the store."""

    def __init__(self, path: Path, at: Sequence[int]) -> None:
        self.path, self.at, self.calls = path, at, 0

    def score(self, texts: Sequence[Text]) -> Iterator[TokenScores]:
        self.calls += 1
        if self.calls in self.at:
            with ScoreStore(self.path) as other:
                other.prune([m.key for m in other.models()])
        for text in texts:
            yield scores_of(len(text.text) + 0.5, text)


@pytest.mark.parametrize("at", [[1], [3], [5], [2, 7], range(1, 99)])
@pytest.mark.parametrize("before", [0, 4])
def test_a_run_that_is_pruned_while_it_is_scored_ends_with_the_right_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: Sequence[int], before: int
) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.setattr("priscian.scoring.plan.SIMPLE_BATCH", 2)
    path = tmp_path / "s.sqlite"
    register("calm", Pruner(path, []))
    register("pruner", Pruner(path, at))
    with ScoreStore(path) as store:
        wanted = score_texts("calm", TEXTS, ScoreStore()).scores
        score_texts("pruner", TEXTS[:before], store)
        assert score_texts("pruner", TEXTS, store).scores == wanted


class TestRows:
    def test_what_is_written_is_read(self, tmp_path: Path) -> None:
        with ScoreStore(tmp_path / "s.sqlite") as store:
            store.write(KEY, "a", [(Text("The cat."), SCORES)])
            assert store.read(KEY, [Text("The cat."), Text("No.")]) == {Text("The cat."): SCORES}
            assert store.missing(KEY, [Text("The cat."), Text("No.")]) == [False, True]

    def test_context_is_part_of_a_text(self) -> None:
        with ScoreStore() as store:
            store.write(KEY, "a", [(Text("b", "a"), SCORES)])
            assert store.missing(KEY, [Text("ab"), Text("b"), Text("b", "a")]) == [
                True,
                True,
                False,
            ]

    def test_what_is_there_stays_as_it_is(self) -> None:
        with ScoreStore() as store:
            store.write(KEY, "a", [(Text("x"), SCORES), (Text("x"), scores_of(9, Text("x")))])
            store.write(KEY, "a", [(Text("x"), scores_of(9, Text("x")))])
            assert store.read(KEY, [Text("x")])[Text("x")] == SCORES

    def test_a_channel_holds_values_of_its_own(self) -> None:
        mass = TokenScores((0, 3, 7), (3, 7, 7), (-0.1, -0.2, -0.3))
        with ScoreStore() as store:
            store.write(KEY, "a", [(Text("x"), SCORES)])
            store.write(KEY, "a", [(Text("x"), mass)], "boundary")
            assert store.read(KEY, [Text("x")], "boundary") == {Text("x"): mass}
            assert store.read(KEY, [Text("x")]) == {Text("x"): SCORES}
            assert [m.texts for m in store.models()] == [1]

    @pytest.mark.parametrize("share", [1, 3, 40])
    def test_any_part_of_the_texts_can_be_read(self, share: int) -> None:
        """Few texts are looked up, many are found in one sweep: both give the same."""
        texts = [Text(f"number {i}") for i in range(1200)]
        asked = [*texts[::share], Text("never scored")]
        random.Random(share).shuffle(asked)
        with ScoreStore() as store:
            store.write(KEY, "a", [(t, scores_of(i, t)) for i, t in enumerate(texts)])
            store.write(OTHER, "b", [(t, scores_of(0, t)) for t in texts])
            found = store.read(KEY, asked)
            assert found == {t: scores_of(i, t) for i, t in enumerate(texts) if i % share == 0}
            assert store.missing(KEY, asked) == [t.text == "never scored" for t in asked]
            columns = store.columns(KEY.digest, [t.hash for t in asked])
        assert columns.found.tolist() == [t in found for t in asked]
        assert columns.logps.tolist() == [found[t].logps[0] for t in asked if t in found]
        assert columns.ends.tolist() == [found[t].ends[0] for t in asked if t in found]

    def test_scores_with_fewer_values_than_tokens_are_refused_and_nothing_is_kept(self) -> None:
        bad = TokenScores((0, 1), (1, 2), (-1.0,))
        with ScoreStore() as store:
            with pytest.raises(StoreError, match="as many starts and ends as values"):
                store.write(KEY, "a", [(Text("x"), SCORES), (Text("y"), bad)])
            assert store.models() == []
            assert store.missing(KEY, [Text("x")]) == [True]


class TestPrune:
    def test_pruning_forgets_one_model(self, tmp_path: Path) -> None:
        with ScoreStore(tmp_path / "s.sqlite") as store:
            store.write(KEY, "a", [(t, SCORES) for t in TEXTS])
            store.write(OTHER, "b", [(Text("x"), SCORES)])
            assert {(m.label, m.texts) for m in store.models()} == {("a", 10), ("b", 1)}
            assert store.prune([KEY.digest, KEY.digest, "no such key"]) == Pruned(1, 10)
            assert [m.label for m in store.models()] == ["b"]
            assert store.prune([KEY.digest]) == Pruned(0, 0)
            store.write(KEY, "a", [(Text("y"), SCORES)])
            assert store.read(KEY, [Text("y")])

    def test_texts_go_with_the_last_model_that_has_them(self) -> None:
        with ScoreStore() as store:
            store.write(KEY, "a", [(Text("mine"), SCORES), (Text("ours"), SCORES)])
            store.write(OTHER, "b", [(Text("ours"), SCORES)])
            store.prune([KEY.digest])
            for table in ("texts", "offsets"):
                assert store._db.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (1,)
            assert store.read(OTHER, [Text("ours")]) == {Text("ours"): SCORES}

    def test_pruning_gives_the_room_back(self, tmp_path: Path) -> None:
        texts = [Text(f"number {i}") for i in range(3000)]
        with ScoreStore(tmp_path / "s.sqlite") as store:
            store.write(OTHER, "b", [(Text("x"), SCORES)])
            store.write(KEY, "a", [(t, SCORES) for t in texts])
            full = store.size()
            store.prune([KEY.digest])
            assert store.size() < 100_000 < full
            assert store.size() == (tmp_path / "s.sqlite").stat().st_size

    def test_sizes_are_about_what_the_file_takes(self, tmp_path: Path) -> None:
        rng = random.Random(0)
        texts = [Text(f"number {i}") for i in range(800)]
        with ScoreStore(tmp_path / "s.sqlite") as store:
            for name in "abcdef":
                rows = [
                    TokenScores(tuple(range(9)), tuple(range(1, 10)),
                                tuple(-rng.random() for _ in range(9)))
                    for _ in texts
                ]  # fmt: skip
                store.write(ModelKey({"n": name}), name, zip(texts, rows, strict=True))
            told = sum(m.bytes for m in store.models())
        assert told == pytest.approx((tmp_path / "s.sqlite").stat().st_size, rel=0.25)


def test_a_sweep_takes_at_most_13_bytes_a_token(tmp_path: Path) -> None:
    """20 checkpoints with one tokenizer on sentences of about ten tokens."""
    rng = random.Random(5)
    words = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(2, 9))) for _ in range(400)]
    rows = []
    for _ in range(300):
        text = " ".join(rng.choices(words, k=max(3, round(rng.gauss(10.5, 2.5)))))
        ends = [at for at, c in enumerate(text) if c == " "] + [len(text)]
        rows.append((Text(text), (0, *ends[:-1]), tuple(ends)))
    tokens = 20 * sum(len(ends) for *_, ends in rows)
    for width, round_to in ((4, np.float32), (8, np.float64)):
        path = tmp_path / f"{width}.sqlite"
        with ScoreStore(path) as store:
            for number in range(20):
                store.write(
                    ModelKey({"step": str(number)}),
                    "m",
                    [
                        (text, TokenScores(s, e, tuple(float(round_to(-rng.random())) for _ in e)))
                        for text, s, e in rows
                    ],
                )
        assert path.stat().st_size / tokens < width + 4  # 8 and 12 bytes


@pytest.mark.parametrize(
    "bits",
    [
        0x7FF8000000000000,  # NaN
        0xFFF8000000000001,  # another NaN
        0x7FF0000000000000,  # infinity
        0x8000000000000000,  # -0
        0x0000000000000001,  # the least double
        0xBFF0000000000000,  # -1, a float32
        0xBFF0000000000001,  # its neighbour, not one
        0xFFEFFFFFFFFFFFFF,  # the least of all
        0x36A0000000000000,  # the least float32
    ],
)
def test_every_double_comes_back_bit_for_bit(bits: int) -> None:
    (value,) = struct.unpack("<d", struct.pack("<Q", bits))
    scores = TokenScores((0, 1), (1, 2), (value, -0.5))
    with ScoreStore() as store:
        store.write(KEY, "a", [(Text("x"), scores)])
        found = store.read(KEY, [Text("x")])[Text("x")].logps[0]
        columns = store.columns(KEY.digest, [Text("x").hash])
    if math.isnan(value):
        assert math.isnan(found)
        assert math.isnan(columns.logps[0])
    else:
        assert struct.pack("<d", found) == columns.logps[:1].tobytes() == struct.pack("<d", value)
