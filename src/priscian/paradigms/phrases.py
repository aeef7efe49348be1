"""Phrases that several paradigms share: heads of relative clauses, question words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeVar, Unpack

from priscian.grammar import DP, WHAT, WHO, Grammar, Reject, Word
from priscian.grammar.draw import Slot
from priscian.grammar.nominals import DPOptions
from priscian.lexicon import Noun, Predicate, Selection

T = TypeVar("T")
THAT_ONE = Word("that", "that", "det.sg")
ACTOR = "(animate&!infant)|(institution&!document)"


def object_of(verb: Predicate) -> Selection:
    """What a transitive verb selects."""
    assert verb.object is not None
    return verb.object


def persistently(g: Grammar, draw: Callable[[], T], tries: int = 12) -> T:
    """Try a draw again where it fails, so that what was dealt before it keeps its share."""
    used = frozenset(g.used)
    for _ in range(tries - 1):
        try:
            return draw()
        except Reject:
            g.used.clear()
            g.used.update(used)
    return draw()


def deed_to(g: Grammar, dp: DP, flags: str = "!rare|vague") -> Predicate:
    """A transitive verb for this object; to people mostly what people often do to each other."""
    if dp.person and g.coin(0.9):
        return g.verb("transitive", f"{flags}|incomplete social|liking|stirring", object=dp)
    return g.verb("transitive", f"{flags}|general", object=dp)


@cache
def asks_for(verb: Predicate, wh: Word) -> bool:
    """True if *who* or *what* is how one would ask for the object."""
    nouns = object_of(verb).nouns
    people = sum(map(human, nouns))
    if wh is WHO:
        return people >= 0.3 * len(nouns)
    # *what they had terrorized* would stand for people too.
    return people <= 0.1 * len(nouns) and sum(
        human(noun) or "institution" in noun.sorts for noun in nouns
    ) <= 0.5 * len(nouns)


def head(g: Grammar, *slots: Slot, **options: Unpack[DPOptions]) -> DP:
    """A phrase that a relative clause may narrow down: *the cook*, not *our mother*."""
    options["names"], options["det"], options["fits"] = 0.0, "the", restrictable
    return g.dp(slots, **options)


def restrictable(noun: Noun) -> bool:
    """True of what *the* or *which* may single out: not *the sun that*, *which wife*."""
    if "unique" in noun.flags or "sole" in noun.flags:
        return False
    return "kin" not in noun.sorts or "standalone" in noun.flags


def human(noun: Noun) -> bool:
    """True of people and of babies, which have a sort of their own (`infant`)."""
    return noun.person or "infant" in noun.sorts


def filler(noun: Noun, verb: Predicate) -> Word:
    """*who* for people, and for institutions where people would also fit; otherwise *what*."""
    if human(noun):
        return WHO
    people = verb.object is not None and verb.object.admits_names
    return WHO if people and "institution" in noun.sorts else WHAT
