"""Sort expressions: `food|drink`, `person&!kin`, `=cake,pie|@everyday` as sets of nouns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from priscian.lexicon.entries import Noun

TOKEN = re.compile(
    r"\s*(?:(?P<sort>[a-z_][a-z_0-9]*)|@(?P<noun_class>[a-z_][a-z_0-9]*)"
    r"|(?P<lemmas>=\s*[^|&!()\s][^|&!()]*)|(?P<mark>[|&!()]))\s*"
)


class SelectionError(ValueError):
    """A malformed sort expression; the reader adds file, line and field."""


@dataclass(frozen=True, slots=True)
class Sort:
    """Nouns of a sort or of one below it."""

    name: str


@dataclass(frozen=True, slots=True)
class Lemmas:
    """Just these nouns."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Class:
    """Nouns of a class of `noun_classes.tsv`."""

    name: str


@dataclass(frozen=True, slots=True)
class Not:
    """Every noun except these."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Both:
    """Nouns that satisfy both."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class OneOf:
    """Nouns that satisfy either."""

    left: Expression
    right: Expression


Expression = Sort | Lemmas | Class | Not | Both | OneOf
Leaf = Sort | Lemmas | Class


def parse(text: str) -> Expression:
    """Read an expression; `&` binds closer than `|`, `!` closest, brackets group."""
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while position < len(text):
            match = TOKEN.match(text, position)
            if not match or match.end() == position:
                raise SelectionError(
                    f"cannot read {text[position:]!r} in {text!r}; "
                    "expected a sort, @class, =lemma,lemma, or one of | & ! ( )"
                )
            self.tokens.append((match.lastgroup or "", match.group(match.lastgroup or 0)))
            position = match.end()
        self.at = 0

    def parse(self) -> Expression:
        if not self.tokens:
            raise SelectionError("empty expression; expected a sort such as 'person'")
        expression = self._union()
        if self.at < len(self.tokens):
            raise SelectionError(
                f"unexpected {self.tokens[self.at][1]!r} in {self.text!r}; expected | & or the end"
            )
        return expression

    def _next_is(self, mark: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at] == ("mark", mark):
            self.at += 1
            return True
        return False

    def _union(self) -> Expression:
        left = self._intersection()
        while self._next_is("|"):
            left = OneOf(left, self._intersection())
        return left

    def _intersection(self) -> Expression:
        left = self._single()
        while self._next_is("&"):
            left = Both(left, self._single())
        return left

    def _single(self) -> Expression:
        if self._next_is("!"):
            return Not(self._single())
        if self._next_is("("):
            inner = self._union()
            if not self._next_is(")"):
                raise SelectionError(f"a bracket is not closed in {self.text!r}")
            return inner
        if self.at == len(self.tokens):
            raise SelectionError(f"{self.text!r} ends too early; expected a sort or =lemma,lemma")
        kind, token = self.tokens[self.at]
        self.at += 1
        if kind == "sort":
            return Sort(token)
        if kind == "noun_class":
            return Class(token)
        if kind == "lemmas":
            names = tuple(name.strip() for name in token[1:].split(","))
            if not all(names):
                raise SelectionError(f"an empty lemma in {token!r}; expected =lemma,lemma")
            return Lemmas(names)
        raise SelectionError(f"unexpected {token!r} in {self.text!r}; expected a sort or =lemma,…")


class Universe:
    """All nouns by sort, lemma and class; what expressions are evaluated against."""

    def __init__(
        self,
        nouns: Sequence[Noun],
        bare: Mapping[str, Noun],
        classes: Mapping[str, Expression | None],
    ) -> None:
        self.nouns = tuple(nouns)
        # A class is an expression of its own, or a flag on the rows of its nouns.
        self.classes = classes
        self._members: dict[str, frozenset[Noun]] = {}
        # A bare noun stands for "something of this sort and nothing narrower": names, gerunds.
        self.bare = bare
        self.order = {noun: place for place, noun in enumerate(self.nouns)}
        everything = (*self.nouns, *bare.values())
        self.all = frozenset(everything)
        by_sort: dict[str, set[Noun]] = {name: set() for name in bare}
        by_lemma: dict[str, set[Noun]] = {}
        for noun in everything:
            for sort in noun.sorts:
                by_sort[sort].add(noun)
        for noun in self.nouns:
            by_lemma.setdefault(noun.lemma, set()).add(noun)
        self.by_sort = {name: frozenset(members) for name, members in by_sort.items()}
        self.by_lemma = {name: frozenset(members) for name, members in by_lemma.items()}

    def evaluate(self, expression: Expression) -> frozenset[Noun]:
        """The nouns that the expression admits."""
        match expression:
            case Sort(name):
                return self.by_sort[name]
            case Lemmas(names):
                return frozenset().union(*(self.by_lemma.get(name, ()) for name in names))
            case Class(name):
                if name not in self._members:
                    self._members[name] = self._class(name)
                return self._members[name]
            case Not(inner):
                return self.all - self.evaluate(inner)
            case Both(left, Not(right)):  # without the large complement
                return self.evaluate(left) - self.evaluate(right)
            case Both(left, OneOf(some, Not(others))):
                found = self.evaluate(left)
                return (found & self.evaluate(some)) | (found - self.evaluate(others))
            case Both(left, right):
                return self.evaluate(left) & self.evaluate(right)
            case OneOf(left, right):
                return self.evaluate(left) | self.evaluate(right)

    def _class(self, name: str) -> frozenset[Noun]:
        inner = self.classes[name]
        if inner is not None:
            return self.evaluate(inner)
        return frozenset(noun for noun in self.nouns if name in noun.flags)


class Selection:
    """A sort expression bound to a lexicon: `noun in selection`, `selection.nouns`."""

    def __init__(self, text: str, expression: Expression, universe: Universe) -> None:
        self.text = text
        self.expression = expression
        self.universe = universe

    def __repr__(self) -> str:
        return f"Selection({self.text!r})"

    def __contains__(self, noun: Noun) -> bool:
        return noun in self.members

    def __and__(self, other: Selection) -> Selection:
        """What both admit: `verb.subject & g.select("person")`."""
        text = f"({self.text})&({other.text})"
        return Selection(text, Both(self.expression, other.expression), self.universe)

    @cached_property
    def members(self) -> frozenset[Noun]:
        """Admitted nouns as a set, the bare ones included."""
        return self.universe.evaluate(self.expression)

    @cached_property
    def nouns(self) -> tuple[Noun, ...]:
        """Admitted nouns in the lexicon's order."""
        order = self.universe.order
        return tuple(sorted((n for n in self.members if n in order), key=order.__getitem__))

    def admits(self, sort: str) -> bool:
        """True if any noun of this sort is admitted, whatever its narrower sort."""
        return self.universe.bare[sort] in self.members

    def admits_some(self, sort: str) -> bool:
        """True if at least one noun of this sort is admitted."""
        return not self.members.isdisjoint(self.universe.by_sort[sort])

    @cached_property
    def admits_names(self) -> bool:
        """True if a person known only by name is admitted."""
        return self.admits("person")


def leaves(expression: Expression) -> list[Leaf]:
    """The sorts, classes and lemma lists of an expression, for checking."""
    match expression:
        case Not(inner):
            return leaves(inner)
        case Both(left, right) | OneOf(left, right):
            return leaves(left) + leaves(right)
        case _:
            return [expression]
