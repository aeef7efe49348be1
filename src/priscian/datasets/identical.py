"""Pairs with two identical sentences: no model can choose, so they are reported."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

from priscian.errors import DataWarning
from priscian.records import Item, ItemSet

_SHOWN = 10


def is_identical(item: Item) -> bool:
    """Whether all conditions have the same text and context."""
    return len({(s.text, s.context) for s in item.conditions.values()}) == 1


def identical_pairs(itemset: ItemSet) -> list[str]:
    """The ids of a set's identical pairs."""
    return [item.id for item in itemset.items if is_identical(item)]


def settle_identical(items: Iterable[Item], file: Path, *, drop: bool) -> list[Item]:
    """Report the identical pairs of one file, and keep or drop them."""
    items = list(items)
    same = [item.id for item in items if is_identical(item)]
    if not same:
        return items
    ids = ", ".join(same[:_SHOWN])
    if len(same) > _SHOWN:
        ids += f" and {len(same) - _SHOWN} more"
    noun, verb = ("pair", "has") if len(same) == 1 else ("pairs", "have")
    fate = "dropped" if drop else "kept, and will tie"
    warnings.warn(
        f"{file}: {len(same)} {noun} {verb} identical sentences ({ids}); {fate}",
        DataWarning,
        stacklevel=4,
    )
    return [item for item in items if not is_identical(item)] if drop else items
