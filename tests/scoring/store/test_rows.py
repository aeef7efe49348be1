"""Rows are packed without loss, and a damaged one is known as such."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.records import TokenScores
from priscian.scoring.store.rows import (
    DamagedRow,
    Row,
    columns_of,
    decode,
    owner,
    pack_offsets,
    pack_values,
    seal,
    unpack,
    unpack_offsets,
)

OWNER = owner("0123abcd", 0)
TOKENS = st.lists(
    st.tuples(
        st.integers(-(2**40), 2**40) | st.integers(0, 300),
        st.integers(-(2**40), 2**40) | st.integers(0, 300),
        st.floats(-1e300, 0, allow_nan=False) | st.floats(-100, 0, width=32),
    ),
    max_size=12,
)


def scores(tokens: list[tuple[int, int, float]]) -> TokenScores:
    return TokenScores(*zip(*tokens, strict=True)) if tokens else TokenScores((), (), ())


def pack(rows: list[TokenScores]) -> list[Row]:
    return [
        (str(i).encode(), offsets, seal(OWNER, str(i).encode(), offsets, values))
        for i, (offsets, values) in enumerate(
            zip(pack_offsets(rows), pack_values(rows), strict=True)
        )
    ]


@given(st.lists(TOKENS, max_size=6))
def test_packing_loses_nothing(drawn: list[list[tuple[int, int, float]]]) -> None:
    rows = [scores(tokens) for tokens in drawn]
    packed = pack(rows)
    assert [unpack(OWNER, row) for row in packed] == rows
    names = [str(i).encode() for i in range(len(rows))]
    columns = decode(OWNER, [b"none", *reversed(names)], packed)
    wanted = columns_of([None, *reversed(rows)])
    for field in ("offsets", "starts", "ends", "logps", "found"):
        assert np.array_equal(getattr(columns, field), getattr(wanted, field)), field


def test_offsets_of_a_sentence_take_two_bytes_a_token() -> None:
    """The cat. as The| cat|. : gap and length of each token, after the width of a number."""
    (packed,) = pack_offsets([TokenScores((0, 3, 7), (3, 7, 8), (0.0, 0.0, 0.0))])
    assert packed == bytes([1, 0, 3, 0, 4, 0, 1])
    assert unpack_offsets(packed) == ((0, 3, 7), (3, 7, 8))


def test_a_character_cut_into_several_tokens_keeps_its_place() -> None:
    scores = TokenScores((0, 0, 0, 1), (1, 1, 1, 900), (-1.0, -2.0, -3.0, -4.0))
    (row,) = pack([scores])
    assert unpack(OWNER, row) == scores


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ((-1.5, -0.25), 4),
        ((-1.5, -0.1), 8),  # 0.1 is not a float32
        ((float(np.float32(-0.1)), math.nan), 4),
        ((-1e39, -1.0), 8),  # beyond float32
        ((-1e-46, -1.0), 8),  # below it
        ((-0.0, -math.inf), 4),
    ],
)
def test_values_are_as_short_as_they_can_be_without_loss(
    values: tuple[float, ...], size: int
) -> None:
    short = TokenScores((0,), (1,), (-0.5,))
    (before, data, after) = pack_values([short, TokenScores((0, 1), (1, 2), values), short])
    assert (len(before), len(data), len(after)) == (4, 2 * size, 4)


def test_a_row_with_any_bit_changed_is_damaged() -> None:
    (row,) = pack([TokenScores((0, 3), (3, 7), (-1.25, -0.1))])
    for part in range(3):
        for bit in range(8 * len(row[part] or b"")):
            wrong = bytearray(row[part] or b"")
            wrong[bit // 8] ^= 1 << bit % 8
            changed = (*row[:part], bytes(wrong), *row[part + 1 :])
            with pytest.raises(DamagedRow):
                unpack(OWNER, changed)  # type: ignore[arg-type]


def test_a_row_cut_short_or_without_offsets_is_damaged() -> None:
    (row,) = pack([TokenScores((0, 3), (3, 7), (-1.25, -0.1))])
    text, offsets, data = row
    cut = [(text, offsets, data[:n]) for n in range(len(data))]
    for wrong in (*cut, (text, None, data), (text, b"", data), (b"", b"", b"")):
        with pytest.raises(DamagedRow):
            unpack(OWNER, wrong)


def test_a_row_belongs_to_one_model_and_one_channel() -> None:
    (row,) = pack([TokenScores((0,), (3,), (-1.25,))])
    for other in (owner("0123abce", 0), owner("0123abcd", 1)):
        with pytest.raises(DamagedRow):
            unpack(other, row)
