"""Whole numbers as people write them."""

from __future__ import annotations

DIGITS = 18
"""More than any count needs; Python refuses to read thousands of digits."""


def whole_number(text: str, most: int = 10**DIGITS - 1) -> int | None:
    """A whole number from 0 to `most` in the digits 0 to 9; None for any other text.

    `str.isdigit` also accepts characters that `int` does not read, such as ².

    >>> whole_number("250"), whole_number("²"), whole_number("-1"), whole_number("12", most=10)
    (250, None, None, None)
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        return None
    number = int(text)
    return number if number <= most else None
