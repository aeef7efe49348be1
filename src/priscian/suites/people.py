"""People, what they do to each other, and rows of predicates that suit them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from priscian.grammar import BE, HAVE, THE, Grammar, Reject
from priscian.lexicon import Noun, Verb, Word
from priscian.lexicon.tables import LexiconRow
from priscian.suites.text import dealt, lemmas, noun, verb, words

PREPOSITIONS = (
    "next to", "behind", "in front of", "near", "beside", "across from",
    "to the left of",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """A row of a table: a verb, what follows it, and who does it."""

    verb: Verb
    rest: tuple[Word, ...]
    subject: Noun


def person(g: Grammar, among: str = "") -> Noun:
    """Somebody of everyday life, or one of these."""
    if among:
        return g.noun(lemmas(g, among))
    return g.noun("@bystander", features="neuter")


def forms(noun: Noun) -> tuple[Word, Word]:
    """Singular and plural."""
    assert noun.singular is not None
    assert noun.plural is not None
    return noun.singular, noun.plural


def fresh(g: Grammar, among: Sequence[str]) -> str:
    """A lemma that is not yet in the sentence."""
    lemma = g.choose(among)
    if lemma in g.used:
        raise Reject
    return lemma


def told(g: Grammar, table: str, anyone: str) -> Told:
    """A row of a table with a subject, its own or `anyone`; rows are dealt, all about as often."""
    row = dealt(g, table, "verb", "rest", "subjects")
    known = {"be": BE, "have": HAVE}.get(row["verb"])
    rest = words(g, row["rest"])
    g.used.update(word.lemma for word in rest if word.is_content)
    return Told(known or verb(g, row["verb"]), rest, person(g, row["subjects"] or anyone))


def preposition(g: Grammar, rest: tuple[Word, ...] = ()) -> tuple[Word, ...]:
    """A position, in words that the rest of the sentence does not contain."""
    chosen = words(g, g.deal(PREPOSITIONS))
    if {word.text for word in chosen} & {word.text for word in rest} - {"the", "to", "of", "in"}:
        raise Reject
    return chosen


def unused(g: Grammar, texts: tuple[str, ...]) -> tuple[Word, ...]:
    """One of these texts, dealt, with nothing in it that the sentence has already."""
    return filled(g, unused_text(g, texts))


def unused_text(g: Grammar, texts: tuple[str, ...]) -> str:
    """One of these texts, dealt, as it is written; its words count as used."""
    for _ in texts:
        text = g.deal(texts)
        content = {w.lemma for w in words(g, text.removeprefix("-")) if w.is_content}
        if content.isdisjoint(g.used):
            g.used |= content
            return text
    raise Reject


def filled(g: Grammar, text: str) -> tuple[Word, ...]:
    """The words of a text, with somebody in the places that are left open."""
    return tuple(_filled(g, word) for word in words(g, text))


def _filled(g: Grammar, word: Word) -> Word:
    """Somebody in the place of {one}, {many}, {name}, {man}, {woman} or {surname}."""
    match word.text:
        case "{name}":
            return g.name().word
        case "{man}":
            return g.name("m").word
        case "{woman}":
            return g.name("f").word
        case "{surname}":
            return g.name(kind="surname").word
        case "{one}":
            return forms(person(g))[0]
        case "{many}":
            return forms(person(g))[1]
    return word


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
