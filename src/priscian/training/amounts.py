"""Amounts as people write them (250k, 16M, 1.5B), and when weights are kept, in tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from priscian.errors import UsageError
from priscian.files import shown

_AMOUNT = re.compile(r"([0-9][0-9_,]*(?:\.[0-9]+)?)\s*([kKmMbB]?)")
_POWERS = {"": 0, "k": 3, "m": 6, "b": 9}
FIRST = 1 << 16
MILLION = 1_000_000
MOST = 10**13


def parse_amount(value: str | int, what: str) -> int:
    """A number of tokens.

    >>> [parse_amount(v, "size") for v in ("0.25M", "16M", 4096, "1,000k")]
    [250000, 16000000, 4096, 1000000]
    """
    if isinstance(value, int):
        number = Decimal(value)
    else:
        match = _AMOUNT.fullmatch(value.strip())
        if match is None:
            raise UsageError(
                f"{what} = {shown(value)} is not an amount; write 250000, 250k or 0.25M"
            )
        digits = match[1].replace(",", "").replace("_", "")
        number = Decimal(f"{digits}e{_POWERS[match[2].lower()]}")  # 2.05 · 10⁶ is whole, no float
    if not 1 <= number < 10**13 or number != number.to_integral_value():
        raise UsageError(f"{what} = {shown(value)} is not a whole number of tokens from 1")
    return int(number)


def format_amount(number: int) -> str:
    """A short form that reads back the same.

    >>> [format_amount(n) for n in (250_000, 1_000_000, 16_500_000, 1234)]
    ['250k', '1M', '16.5M', '1234']
    """
    for unit in ("B", "M", "k"):
        factor = 10 ** _POWERS[unit.lower()]
        if number >= factor and (10 * number) % factor == 0:
            whole, tenths = divmod(10 * number // factor, 10)
            return f"{whole}.{tenths}{unit}" if tenths else f"{whole}{unit}"
    return str(number)


def checkpoint_counts(at: str | Sequence[int], total: int) -> list[int]:
    """Token counts up to `total`, which is always the last one.

    `log2` doubles from 65,536; `babylm` counts every million to ten million, then every ten.

    >>> checkpoint_counts("log2", 300_000)
    [65536, 131072, 262144, 300000]
    """
    if at == "none":
        return [total]
    if at == "log2":
        found = [FIRST << n for n in range(40) if FIRST << n < total]
    elif at == "babylm":
        found = [n * MILLION for n in (*range(1, 10), *range(10, 100, 10), *range(100, 1001, 100))]
    elif isinstance(at, str):
        raise UsageError(
            f"checkpoints.at = {shown(at)}; it takes log2, babylm, none or a list of counts"
        )
    else:
        found = sorted(set(at))
        if any(not 1 <= count < MOST for count in found):
            raise UsageError(f"checkpoints.at takes token counts from 1 to below {MOST:,}")
    return [*(count for count in found if count < total), total]
