"""Tokens of many texts at once are those that the store gives one by one."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path

import pytest

from priscian.errors import StoreError
from priscian.models import ModelKey, model_key
from priscian.records import Text, TokenScores
from priscian.runs import ModelFacts
from priscian.runs.tokens import read_tokens
from priscian.scoring import ScoreStore

KEY = ModelKey({"provider": "test", "name": "m"})
ABOUT = ModelFacts(string="test:m", folder="m", digest=KEY.digest)
SCORES = {
    "The keys.": TokenScores((0, 3, 8), (3, 8, 9), (math.nan, -2.5, -0.25)),
    "A": TokenScores((0,), (1,), (-1.0,)),
    "nothing": TokenScores((), (), ()),
}


@pytest.fixture
def store(tmp_path: Path) -> ScoreStore:
    store = ScoreStore(tmp_path / "scores.sqlite")
    store.write(KEY, "m", ((Text(text), scores) for text, scores in SCORES.items()))
    return store


def test_columns_hold_every_token_in_the_order_of_the_texts(store: ScoreStore) -> None:
    texts = ["A", "never scored", "The keys.", "nothing", "A"]
    table = read_tokens(ABOUT, texts, store)
    assert table is not None
    assert table.found.tolist() == [True, False, True, True, True]
    assert table.missing == 1
    assert table.offsets.tolist() == [0, 1, 1, 4, 4, 5]
    assert table.starts.tolist() == [0, 0, 3, 8, 0]
    bits = [1 / math.log(2), math.nan, 2.5 / math.log(2), 0.25 / math.log(2), 1 / math.log(2)]
    assert table.bits.tolist() == pytest.approx(bits, abs=1e-5, nan_ok=True)


def test_a_model_that_is_not_in_the_store_has_no_tokens(store: ScoreStore) -> None:
    assert (
        read_tokens(ModelFacts(string="test:x", folder="x", digest="0" * 32), ["A"], store) is None
    )


def test_without_a_store_there_are_none_and_none_is_made(cache: Path) -> None:
    assert read_tokens(ABOUT, ["A"]) is None
    assert not list(cache.iterdir())


def test_a_damaged_row_is_an_error(store: ScoreStore, tmp_path: Path) -> None:
    store.close()
    with sqlite3.connect(tmp_path / "scores.sqlite") as db:
        db.execute("UPDATE scores SET data = substr(data, 1, 4) || zeroblob(length(data) - 4)")
    db.close()
    with (
        ScoreStore(tmp_path / "scores.sqlite") as again,
        pytest.raises(StoreError, match="damaged"),
    ):
        read_tokens(ABOUT, ["The keys."], again)


def test_a_table_made_elsewhere_is_read_again(tmp_path: Path) -> None:
    table = tmp_path / "table.tsv"
    table.write_text("sentence\ttoken\tsurprisal\nA cat\tA\t1.5\nA cat\tcat\t3\n", "utf-8")
    model = f"surprisals:{table}"
    about = ModelFacts(string=model, folder="t", digest=model_key(model).digest)
    found = read_tokens(about, ["A cat", "A dog"])
    assert found is not None
    assert found.found.tolist() == [True, False]
    assert found.bits.tolist() == [1.5, 3.0]
    table.write_text("sentence\ttoken\tsurprisal\nA cat\tA\t2.5\nA cat\tcat\t3\n", "utf-8")
    assert read_tokens(about, ["A cat"]) is None  # no longer the table of the run
    table.unlink()
    assert read_tokens(about, ["A cat"]) is None
