"""The hierarchy of sorts, and selections that are checked against it."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

from priscian.errors import LexiconError
from priscian.lexicon import selection as sel
from priscian.lexicon.classes import Classes
from priscian.lexicon.entries import Noun
from priscian.lexicon.selection import (
    Class,
    Expression,
    Lemmas,
    Selection,
    SelectionError,
    Sort,
    Universe,
)
from priscian.lexicon.tables import LexiconRow, read_table


class Sorts:
    """The hierarchy of sorts: every sort with all the sorts above it."""

    def __init__(self, path: Path) -> None:
        parents: dict[str, tuple[str, ...]] = {}
        for row in read_table(path, ("sort", "parents"), ("gloss",)):
            above = tuple(row.parts("parents", None))
            for parent in above:
                if parent not in parents:
                    raise row.error("parents", f"unknown sort {parent!r}; define it further up")
            parents[row["sort"]] = above
        self.above: dict[str, frozenset[str]] = {}
        for sort, direct in parents.items():
            self.above[sort] = frozenset({sort}).union(*(self.above[p] for p in direct))

    def close(self, row: LexiconRow, column: str, names: list[str]) -> frozenset[str]:
        """The sorts and all above them; an unknown sort is refused."""
        for name in names:
            if name not in self.above:
                raise row.error(column, f"unknown sort {name!r}; {self.hint(name)}")
        return frozenset().union(*(self.above[name] for name in names))

    def hint(self, name: str) -> str:
        """The nearest known sorts, or where to look."""
        near = difflib.get_close_matches(name, self.above, n=2)
        return f"did you mean {' or '.join(near)}?" if near else "see sorts.tsv"


class Selections:
    """Makes selections from text, once per text, and binds them when the nouns are known."""

    def __init__(self, sorts: Sorts, classes: Classes) -> None:
        self.sorts = sorts
        self.classes = classes
        self.universe: Universe = Universe((), {}, {})
        self._made: dict[str, Selection] = {}
        self._lemmas: list[tuple[LexiconRow, str, str]] = []
        self._expressions: dict[str, Expression | None] = {}
        for entry in classes:
            text = entry.words
            made = self.make(entry.row, classes.column, text) if text else None
            self._expressions[entry.name] = made.expression if made else None

    def make(self, row: LexiconRow, column: str, text: str) -> Selection:
        """The selection of a cell; errors name the file, line and field."""
        if text not in self._made:
            made = self._made[text] = self._parsed(text, lambda fault: row.error(column, fault))
            for leaf in sel.leaves(made.expression):
                if isinstance(leaf, Lemmas):
                    self._lemmas += [(row, column, name) for name in leaf.names]
        return self._made[text]

    def find(self, text: str) -> Selection:
        """A selection by its text, for paradigms."""
        if text not in self._made:
            self._made[text] = self._parsed(
                text, lambda fault: LexiconError(f"selection {text!r}: {fault}")
            )
        return self._made[text]

    def bind(self, nouns: list[Noun]) -> list[LexiconError]:
        """Let the selections see the nouns.

        A noun class must list known nouns; unknown ones in other tables are returned as errors.
        """
        self.show(nouns)
        faults = [
            (row, row.error(column, f"unknown noun {name!r}; add it to the nouns or drop it here"))
            for row, column, name in self._lemmas
            if name not in self.universe.by_lemma
        ]
        for row, error in faults:
            if any(entry.row is row for entry in self.classes):
                raise error
        return [error for _, error in faults]

    def show(self, nouns: list[Noun]) -> None:
        """Let the selections see these nouns and no others."""
        bare = {
            sort: Noun(f"<{sort}>", None, None, above) for sort, above in self.sorts.above.items()
        }
        self.universe.__init__(nouns, bare, self._expressions)  # type: ignore[misc]

    def _parsed(self, text: str, error: Callable[[str], LexiconError]) -> Selection:
        try:
            expression = sel.parse(text)
        except SelectionError as fault:
            raise error(str(fault)) from None
        for leaf in sel.leaves(expression):
            if isinstance(leaf, Sort) and leaf.name not in self.sorts.above:
                raise error(f"unknown sort {leaf.name!r}; {self.sorts.hint(leaf.name)}")
            # Inside the table of classes these are the ones further up, so none refers to itself.
            if isinstance(leaf, Class) and leaf.name not in self._expressions:
                raise error(f"no noun class {leaf.name!r}; {self.classes.hint(leaf.name)}")
        return Selection(text, expression, self.universe)
