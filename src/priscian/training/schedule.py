"""Token counts at which weights are kept."""

from __future__ import annotations

from collections.abc import Sequence

from priscian.errors import UsageError
from priscian.files import shown

FIRST = 1 << 16
MILLION = 1_000_000
MOST = 10**13


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
