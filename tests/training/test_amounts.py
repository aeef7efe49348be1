"""Amounts are read back as they were written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.training.amounts import format_amount, parse_amount


@given(
    st.one_of(
        st.integers(1, 10**13 - 1),
        st.builds(int.__mul__, st.integers(1, 10**8), st.sampled_from((100, 1000, 10**5))),
    ).filter(lambda number: number < 10**13)
)
def test_every_amount_reads_back_the_same(number: int) -> None:
    assert parse_amount(format_amount(number), "size") == number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (250_000, "250k"),
        (1_000_000, "1M"),
        (1_500_000, "1.5M"),
        (2_000_000_000, "2B"),
        (999, "999"),
        (1_234_567_000, "1234567k"),
        (1_234_568_000, "1234568k"),
        (100_234_500, "100234.5k"),
    ],
)
def test_amounts_are_short_and_keep_every_digit(number: int, text: str) -> None:
    assert format_amount(number) == text
