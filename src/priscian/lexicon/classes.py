"""The hierarchy of sorts, and selections that are checked against it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import LexiconError
from priscian.lexicon import selection as sel
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


@dataclass(frozen=True, slots=True)
class WordClass:
    """One row of a class table; if `words` is empty, the words' own rows name the class."""

    name: str
    words: str
    reason: str
    row: LexiconRow


class Classes:
    """The classes of one part of speech, read from a table such as `verb_classes.tsv`.

    A cell of words lists lemmas, separated by commas; `@telling` stands for the members of a class
    further up.
    """

    def __init__(self, folder: Path, what: str) -> None:
        self.what = what
        self.column = f"{what}s"
        self.by_name: dict[str, WordClass] = {}
        for row in read_table(folder / f"{what}_classes.tsv", ("class", self.column, "reason")):
            if row["class"] in self.by_name:
                raise row.error("class", f"{row['class']!r} is defined twice; rename one")
            if not row["reason"]:
                raise row.error("reason", "empty; say in a sentence why these words form a class")
            self.by_name[row["class"]] = WordClass(
                row["class"], row[self.column], row["reason"], row
            )

    def __iter__(self) -> Iterator[WordClass]:
        return iter(self.by_name.values())

    def __contains__(self, name: str) -> bool:
        return name in self.by_name

    def hint(self, name: str) -> str:
        """The nearest known names, or where to look."""
        near = difflib.get_close_matches(name, self.by_name, n=2)
        return f"did you mean {' or '.join(near)}?" if near else f"see {self.what}_classes.tsv"

    def find(self, name: str) -> WordClass:
        """The class of that name; an unknown name suggests the nearest."""
        if name not in self.by_name:
            raise LexiconError(f"no {self.what} class {name!r}; {self.hint(name)}")
        return self.by_name[name]

    def flags(self, row: LexiconRow, column: str) -> frozenset[str]:
        """The classes that a row of nouns, verbs, adjectives or adverbs names."""
        names = row.parts(column)
        for name in names:
            if name not in self.by_name:
                raise row.error(column, f"no {self.what} class {name!r}; {self.hint(name)}")
        return frozenset(names)


class ListedClasses(Classes):
    """Classes whose cells list lemmas: those of verbs, adjectives and adverbs."""

    def __init__(self, folder: Path, what: str) -> None:
        super().__init__(folder, what)
        self.listed: dict[str, frozenset[str]] = {}
        self._of: dict[str, set[str]] = {}
        for entry in self:
            self.listed[entry.name] = members = self._members(entry)
            for lemma in members:
                self._of.setdefault(lemma, set()).add(entry.name)

    def of(self, lemma: str) -> frozenset[str]:
        """The classes that list a lemma."""
        return frozenset(self._of.get(lemma, ()))

    def check(self, known: Iterable[str]) -> None:
        """Raise LexiconError for a class that lists a lemma unknown to the lexicon."""
        lemmas = set(known)
        for entry in self:
            for lemma in sorted(self.listed[entry.name] - lemmas):
                raise entry.row.error(
                    self.column,
                    f"unknown {self.what} {lemma!r}; add it to the {self.column} "
                    "of the lexicon or drop it here",
                )

    def _members(self, entry: WordClass) -> frozenset[str]:
        members: set[str] = set()
        for part in entry.row.parts(self.column, ","):
            if not part.startswith("@"):
                members.add(part)
            elif part[1:] in self.listed:
                members |= self.listed[part[1:]]
            else:
                raise entry.row.error(
                    self.column,
                    f"no {self.what} class {part[1:]!r} further up; {self.hint(part[1:])}",
                )
        return frozenset(members)


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
