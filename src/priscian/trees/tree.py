"""A constituency tree: a label over words and smaller trees."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tree:
    """A constituent; a child that is a string is a word."""

    label: str
    children: tuple[Tree | str, ...]

    def __str__(self) -> str:
        return f"({self.label} {' '.join(map(str, self.children))})"
