"""Named classes of words, each with the reason why its words belong together."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from priscian.errors import LexiconError
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
