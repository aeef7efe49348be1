"""Findings, and the registry of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from priscian.records import ItemSet


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that looks wrong: which check, in which set and item, and what was seen."""

    check: str
    set: str
    item: str
    message: str


# what a check finds: (item, message); an empty item means the whole set
Seen = Iterator[tuple[str, str]]
Look = Callable[[ItemSet], Seen]


@dataclass(frozen=True, slots=True)
class Check:
    """A named check: what it looks for, and whether it is for English only."""

    name: str
    look: Look
    english: bool = False

    @property
    def summary(self) -> str:
        """What the check looks for, in one line."""
        return (self.look.__doc__ or "").splitlines()[0]

    def find(self, itemset: ItemSet) -> Iterator[Finding]:
        """The findings in a set."""
        for item, message in self.look(itemset):
            yield Finding(self.name, itemset.name, item, message)


class CheckRegistry(dict[str, Check]):
    """Checks by name; `@checks("article", english=True)` adds one."""

    def __call__(self, name: str, *, english: bool = False) -> Callable[[Look], Look]:
        def add(look: Look) -> Look:
            self[name] = Check(name, look, english)
            return look

        return add
