"""A file that another one replaces at a moment of a test's choice, while it is read."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import PriscianError


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
