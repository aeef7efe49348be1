"""Shards: a run divided among processes that share nothing but a folder."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from priscian.errors import UsageError

MOST = 999_999
"""Largest number of shards."""
Span = tuple[int, int]
"""The first and the last of some consecutive numbers."""
_FORM = re.compile(r"(\d{1,6})\s*/\s*(\d{1,6})")


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` parts of a run: every `count`-th batch. Numbers begin with 1.

    Every shard plans the full list of texts, so all agree about the batches, and the scores do
    not depend on the number of shards.

    >>> shard = Shard.parse("3/8")
    >>> str(shard), shard.name, [batch for batch in range(20) if shard.has(batch)]
    ('3/8', '3-of-8', [2, 10, 18])
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if self.count > MOST:
            raise UsageError(f"{self.count} shards are too many; give {MOST:,} or fewer")
        if not 1 <= self.number <= self.count:
            raise UsageError(
                f"there is no shard {self.number}/{self.count}; with {max(self.count, 1)} shards "
                f"give 1/{max(self.count, 1)} to {max(self.count, 1)}/{max(self.count, 1)}"
            )

    @classmethod
    def parse(cls, given: str | Sequence[int] | Shard) -> Shard:
        """`"3/8"` or `(3, 8)` as a shard."""
        if isinstance(given, Shard):
            return given
        if isinstance(given, str):
            found = _FORM.fullmatch(given.strip())
            if found:
                return cls(int(found[1]), int(found[2]))
        elif len(given) == 2 and all(isinstance(part, int) for part in given):
            return cls(*given)
        raise UsageError(f"a shard is its number and how many there are, 3/8; not {given!r}")

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @property
    def name(self) -> str:
        """Its name in the run folder."""
        return f"{self.number}-of-{self.count}"

    def has(self, batch: int) -> bool:
        """Whether a batch, numbered from 0, belongs to this shard."""
        return batch % self.count == self.number - 1


def missing_shards(present: Collection[int], count: int) -> list[Span]:
    """The numbers from 1 to `count` that are not present; many in a row are one span.

    >>> missing_shards({4, 6}, 8), missing_shards(set(), 500_000)
    ([(1, 3), (5, 5), (7, 8)], [(1, 500000)])
    """
    found = []
    before = 0
    for number in (*sorted(present), count + 1):
        if number > before + 1:
            found.append((before + 1, number - 1))
        before = number
    return found


def span_text(spans: Sequence[Span]) -> str:
    """Spans in the short form of SLURM.

    >>> span_text([(1, 3), (5, 5), (7, 8)])
    '1-3,5,7-8'
    """
    return ",".join(f"{first}-{last}" if last > first else str(first) for first, last in spans)
