"""Entries that share features, with the nouns that each admits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Generic, ParamSpec, TypeVar, cast

from priscian.lexicon.entries import Adjective, Noun, Predicate

P = TypeVar("P", Predicate, Adjective)
Given = ParamSpec("Given")
Found = TypeVar("Found")


def remembered(method: Callable[Given, Found]) -> Callable[Given, Found]:
    """`functools.cache` with the method's types; lexicons live as long as the process."""
    return cast(Callable[Given, Found], cache(method))


class EntryPool(Generic[P]):
    """Entries that share features, with the nouns that each admits in its slots."""

    def __init__(self, entries: tuple[P, ...]) -> None:
        self.entries: tuple[P, ...] = entries
        nothing: frozenset[Noun] = frozenset()
        # For a predicate: its possible subjects and objects; for an adjective: what it describes.
        self.subjects = [
            (e.subject if isinstance(e, Predicate) else e.selects).members for e in entries
        ]
        self.objects = [
            e.object.members if isinstance(e, Predicate) and e.object else nothing for e in entries
        ]

    def __len__(self) -> int:
        return len(self.entries)

    @cached_property
    def by_lemma(self) -> tuple[tuple[P, ...], ...]:
        """The entries of each lemma, so that *crash*, which has two uses, counts once."""
        groups: dict[str, list[P]] = {}
        for entry in self.entries:
            groups.setdefault(entry.lemma, []).append(entry)
        return tuple(tuple(group) for group in groups.values())

    @remembered
    def admitting(self, subject: Noun | None, object: Noun | None) -> list[P]:  # noqa: A002
        """The entries that admit these nouns."""
        found: Sequence[int] = range(len(self.entries))
        if subject is not None:
            found = [at for at in found if subject in self.subjects[at]]
        if object is not None:
            found = [at for at in found if object in self.objects[at]]
        return [self.entries[at] for at in found]
