"""Work on several things at a time, and take the results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from priscian.threads import cores

Given = TypeVar("Given")
Made = TypeVar("Made")
MOST = 4


def count_threads() -> int:
    """Threads worth starting here: NumPy lets others run while it sorts, adds and copies."""
    return min(MOST, cores())


def map_in_order(
    work: Callable[[Given], Made], things: Iterable[Given], threads: int
) -> Iterator[Made]:
    """Results in the order of the things, no more of them under way than there are threads."""
    if threads == 1:
        yield from map(work, things)
        return
    under_way: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for thing in things:
                under_way.append(pool.submit(work, thing))
                if len(under_way) >= threads:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()
