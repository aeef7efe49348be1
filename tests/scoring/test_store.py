"""The score store keeps, finds, forgets, and refuses to read what is damaged."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import PriscianWarning, StoreError
from priscian.models import ModelKey
from priscian.records import Text, TokenScores
from priscian.scoring import ScoreStore
from priscian.scoring.store import pack, unpack

KEY = ModelKey({"provider": "test", "weights": "1"})
OTHER = ModelKey({"provider": "test", "weights": "2"})
SCORES = TokenScores((0, 3), (3, 7), (-1.25, -0.5))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with ScoreStore(tmp_path / "s.sqlite") as store:
        store.write(KEY, "a", [(Text("The cat."), SCORES)])
        assert store.read(KEY, [Text("The cat."), Text("No.")]) == {Text("The cat."): SCORES}
        assert store.missing(KEY, [Text("The cat."), Text("No.")]) == [False, True]


def test_models_never_share_scores(tmp_path: Path) -> None:
    with ScoreStore(tmp_path / "s.sqlite") as store:
        store.write(KEY, "same label", [(Text("x"), SCORES)])
        assert store.read(OTHER, [Text("x")]) == {}


def test_context_is_part_of_a_text() -> None:
    with ScoreStore() as store:
        store.write(KEY, "a", [(Text("b", "a"), SCORES)])
        assert store.missing(KEY, [Text("ab"), Text("b"), Text("b", "a")]) == [True, True, False]


def test_what_is_there_stays_as_it_is() -> None:
    with ScoreStore() as store:
        store.write(KEY, "a", [(Text("x"), SCORES)])
        store.write(KEY, "a", [(Text("x"), TokenScores((0,), (1,), (-9.0,)))])
        assert store.read(KEY, [Text("x")])[Text("x")] == SCORES


def test_pruning_forgets_one_model(tmp_path: Path) -> None:
    with ScoreStore(tmp_path / "s.sqlite") as store:
        store.write(KEY, "a", [(Text(str(i)), SCORES) for i in range(10)])
        store.write(OTHER, "b", [(Text("x"), SCORES)])
        assert {(m.label, m.texts) for m in store.models()} == {("a", 10), ("b", 1)}
        assert store.prune([KEY.digest]) == 10
        assert [m.label for m in store.models()] == ["b"]
        store.write(KEY, "a", [(Text("y"), SCORES)])
        assert store.read(KEY, [Text("y")])


@given(
    st.lists(
        st.tuples(
            st.integers(0, 10_000), st.integers(0, 10_000), st.floats(-1e6, 0, allow_nan=False)
        )
    )
)
def test_packing_is_lossless(rows: list[tuple[int, int, float]]) -> None:
    scores = TokenScores(
        *(tuple(column) for column in zip(*rows, strict=True)) if rows else ((),) * 3
    )  # type: ignore[arg-type]
    assert unpack(pack(scores)) == scores


def test_an_unscored_token_stays_unscored() -> None:
    assert math.isnan(unpack(pack(TokenScores((0,), (1,), (math.nan,)))).logps[0])


def test_a_damaged_row_is_never_read() -> None:
    data = bytearray(pack(SCORES))
    data[-1] ^= 1
    with pytest.raises(StoreError, match="damaged"):
        unpack(bytes(data))


def fill(path: Path, texts: int = 3000) -> None:
    with ScoreStore(path) as store:
        store.write(KEY, "a", [(Text(f"text {i}"), SCORES) for i in range(texts)])
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.98])
def test_a_store_cut_short_is_set_aside_with_a_message(tmp_path: Path, keep: float) -> None:
    path = tmp_path / "s.sqlite"
    fill(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.warns(PriscianWarning, match=r"damaged.*cut short.*set aside"):
        store = ScoreStore(path)
    assert store.missing(KEY, [Text("text 1")]) == [True]
    store.write(KEY, "a", [(Text("text 1"), SCORES)])
    store.close()
    assert [p.name for p in tmp_path.glob("*damaged*")]


def test_a_file_that_is_no_store_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    path.write_text("not a database " * 100)
    with pytest.warns(PriscianWarning, match="not an SQLite file"):
        ScoreStore(path).close()


def test_a_store_with_scrambled_pages_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    fill(path)
    data = bytearray(path.read_bytes())
    for at in range(4096 * 2, len(data), 4096):
        data[at : at + 64] = b"\xff" * 64
    path.write_bytes(data)
    with pytest.warns(PriscianWarning, match="damaged"):
        ScoreStore(path).close()


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="PRISCIAN_CACHE"):
        ScoreStore(tmp_path / "file" / "s.sqlite")


def test_a_full_disk_is_one_clear_error(tmp_path: Path) -> None:
    store = ScoreStore(tmp_path / "s.sqlite")
    store.write(KEY, "a", [(Text("kept"), SCORES)])
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count={pages + 1}")
    with pytest.raises(StoreError, match=r"full; free some space.*kept"):
        store.write(KEY, "a", [(Text(str(i)), SCORES) for i in range(5000)])
    store.close()
    with ScoreStore(tmp_path / "s.sqlite") as again:
        assert again.read(KEY, [Text("kept")])
