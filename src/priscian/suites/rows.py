"""Phrases out of the cells of a row."""

from __future__ import annotations

from itertools import takewhile

from priscian.grammar import THE, Grammar
from priscian.lexicon import Word
from priscian.lexicon.tables import Row
from priscian.suites.people import unused
from priscian.suites.text import noun

ARTICLES = frozenset({"a", "an"})


def one_of(g: Grammar, row: Row, column: str) -> tuple[Word, ...]:
    """One of the alternatives in a cell, as it is written there."""
    return unused(g, tuple(row.parts(column, ",")))


def phrase(g: Grammar, row: Row, column: str) -> tuple[Word, ...]:
    """A noun phrase: `old map` has *the* before it, `-cash` nothing, `a puppy` what is written."""
    texts = row.parts(column, ",")
    found = unused(g, tuple(text.removeprefix("-") for text in texts))
    written = " ".join(word.text for word in found)
    return found if found[0].text in ARTICLES or f"-{written}" in texts else (THE, *found)


def human(g: Grammar, phrase: tuple[Word, ...]) -> bool:
    """True if *who* asks for it: its head, the last word before an *of*, is a person we know."""
    *_, head = takewhile(lambda word: word.text != "of", phrase)
    return head.category == "noun" and noun(g, head.lemma).person
