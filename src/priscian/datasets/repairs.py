"""What a reader repairs or reports in a file of pairs: each kind once, with a count."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from priscian.errors import DataWarning
from priscian.records import Item, ItemSet

_SHOWN = 10  # ids of identical pairs

_SPELLINGS = {
    "field": {"syntax/semantics": "syntax_semantics", "syntax-semantics": "syntax_semantics"},
    "linguistics_term": {"s-selection": "argument_structure"},
}


def usual_spelling(key: str, value: str) -> str:
    """The spelling that BLiMP's files use most for a `field` or `linguistics_term`."""
    return _SPELLINGS[key].get(value, value)


@dataclass(slots=True)
class Repairs:
    """The repairs of one file."""

    file: Path
    stray: Counter[str] = field(default_factory=Counter)
    capitals: Counter[str] = field(default_factory=Counter)
    spellings: Counter[tuple[str, str]] = field(default_factory=Counter)
    edges: int = 0

    def strip(self, key: str, value: str) -> str:
        """The value without spaces around it."""
        clean = value.strip()
        if clean != value:
            self.stray[key] += 1
        return clean

    def spell(self, key: str, value: str) -> str:
        """The usual spelling of a field or phenomenon."""
        usual = usual_spelling(key, value)
        if usual != value:
            self.spellings[key, value] += 1
        return usual

    def watch_edges(self, *sentences: str) -> None:
        """Count sentences with white space at an end: it is scored, so it is not removed."""
        for sentence in sentences:
            if sentence[0].isspace() or sentence[-1].isspace():
                self.edges += 1

    def tell(self) -> None:
        """Give one warning for each kind of repair."""
        for key, count in self.stray.items():
            values = "value" if count == 1 else "values"
            self._warn(f"{count} {values} of {key} had stray spaces; stripped")
        for key, count in self.capitals.items():
            self._warn(f"{count} of {key} differ from the sentence only in capitals; accepted")
        for (key, value), count in self.spellings.items():
            usual = _SPELLINGS[key][value]
            rows = "row" if count == 1 else "rows"
            self._warn(f"{key} {value!r} in {count} {rows}; read as {usual}")
        if self.edges:
            noun, verb = ("sentence", "has") if self.edges == 1 else ("sentences", "have")
            self._warn(f"{self.edges} {noun} {verb} white space at an end; scored as written")

    def _warn(self, message: str) -> None:
        warnings.warn(f"{self.file}: {message}", DataWarning, stacklevel=5)


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
