"""Phrases out of the cells of a row."""

from __future__ import annotations

from itertools import takewhile

from priscian.grammar import THE, Grammar
from priscian.lexicon import Word
from priscian.lexicon.tables import LexiconRow
from priscian.suites.people import filled, unused, unused_text
from priscian.suites.text import noun

ARTICLES = frozenset({"a", "an"})


def one_of(g: Grammar, row: LexiconRow, column: str) -> tuple[Word, ...]:
    """One of the alternatives in a cell, as it is written there."""
    return unused(g, tuple(row.parts(column, ",")))


def phrase(g: Grammar, row: LexiconRow, column: str) -> tuple[Word, ...]:
    """A noun phrase: `old map` has *the* before it, `-cash` nothing, `a puppy` what is written."""
    text = unused_text(g, tuple(row.parts(column, ",")))
    found = filled(g, text.removeprefix("-"))
    return found if found[0].text in ARTICLES or text.startswith("-") else (THE, *found)


def human(g: Grammar, phrase: tuple[Word, ...]) -> bool:
    """True if *who* asks for it: its head, the last word before an *of*, is a person we know."""
    *_, head = takewhile(lambda word: word.text != "of", phrase)
    return head.category == "noun" and noun(g, head.lemma).person
