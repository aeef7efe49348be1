"""A file that another one replaces at a moment of a test's choice, while it is read."""

from __future__ import annotations

import itertools
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import PriscianError

MOMENTS = int(os.environ.get("PRISCIAN_SWAPS", "200"))
"""How many random moments the slow tests try; PRISCIAN_SWAPS_SEED draws others."""
MOMENTS_SEED = int(os.environ.get("PRISCIAN_SWAPS_SEED", "11"))


class Swap:
    """Puts another version in the place of a file when it is opened for the nth time."""

    def __init__(self, path: Path, data: bytes, *, in_place: bool) -> None:
        self.path, self.data, self.in_place = path, data, in_place
        self.before = path.read_bytes()
        self.opened = 0

    def now(self) -> None:
        if self.in_place:
            self.path.write_bytes(self.data)
        else:
            new = self.path.with_name(".new")
            new.write_bytes(self.data)
            new.replace(self.path)

    @contextmanager
    def at(self, number: int, *, after: bool) -> Iterator[None]:
        """Inside, the swap happens just before the nth opening, or just after it."""
        self.path.write_bytes(self.before)
        os.utime(self.path, ns=(10**18, 10**18))
        self.opened = 0
        plain = Path.open

        def opening(path: Path, mode: str = "r", *given: Any, **named: Any) -> Any:
            mine = path == self.path and "r" in mode
            self.opened += mine
            due = mine and self.opened == number
            if due and not after:
                self.now()
            file = plain(path, mode, *given, **named)
            if due and after:
                self.now()
            return file

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "open", opening)
            patch.setattr(Path, "read_bytes", lambda path: _read(opening(path, "rb")))
            patch.setattr(Path, "read_text", lambda path, *_: _read(opening(path, "r")))
            yield


def _read(file: Any) -> Any:
    with file:
        return file.read()


def swap_everywhere(path: Path, data: bytes, make: Callable[[], Any]) -> tuple[set[str], int]:
    """What is made, whenever the file is swapped: one of two versions, or an error of ours."""
    swap = Swap(path, data, in_place=False)
    versions = [make()]
    path.write_bytes(data)
    versions.append(make())
    assert versions[0] != versions[1]
    path.write_bytes(swap.before)
    outcomes: set[str] = set()
    most = 0
    for in_place, after in itertools.product((False, True), repeat=2):
        swap.in_place = in_place
        for number in itertools.count(1):
            with swap.at(number, after=after):
                try:
                    made = make()
                except PriscianError:
                    outcomes.add("refused")
                else:
                    assert made in versions
                    outcomes.add("old" if made == versions[0] else "new")
            if swap.opened < number:
                break
            most = max(most, number)
    return outcomes, most


@contextmanager
def swapped_later(path: Path, data: bytes, seconds: float, *, in_place: bool) -> Iterator[None]:
    """Inside, another version takes the place of a file after a while."""
    swap = Swap(path, data, in_place=in_place)
    thread = threading.Timer(seconds, swap.now)
    thread.start()
    try:
        yield
    finally:
        thread.cancel()
        thread.join()


def swap_at_random(
    path: Path, data: bytes, make: Callable[[], tuple[Any, Any]], count: int
) -> Counter[str]:
    """How often which version was made; each is known by its mark and has its own contents."""
    versions = (path.read_bytes(), data)
    known = {}
    seconds = 0.0
    for version in versions:
        path.write_bytes(version)
        began = time.perf_counter()
        mark, contents = make()
        seconds = time.perf_counter() - began  # of the second one: the first one imports
        known[mark] = contents
    assert len(known) == 2
    draw = random.Random(MOMENTS_SEED)
    found: Counter[str] = Counter()
    for _ in range(count):
        first, second = draw.sample(versions, 2)
        path.write_bytes(first)
        moment = seconds * draw.random() ** 2  # files are read at the beginning
        with swapped_later(path, second, moment, in_place=draw.random() < 0.5):
            try:
                mark, contents = make()
            except PriscianError:
                found["refused"] += 1
                continue
        assert contents == known[mark]
        found["made"] += 1
    return found
