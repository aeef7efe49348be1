"""Annotated words as data files, morphology and look-up by feature."""

from priscian.lexicon.classes import WordClass
from priscian.lexicon.entries import (
    CONTENT,
    Adjective,
    Adverb,
    Complement,
    Determiner,
    Gender,
    Name,
    Noun,
    Number,
    Predicate,
    Preposition,
    Pronoun,
    Verb,
    Word,
    features,
    other_number,
)
from priscian.lexicon.lexicon import EntryPool, Lexicon, load_lexicon
from priscian.lexicon.morphology import Morphology, possessive, surname_plural, takes_an
from priscian.lexicon.selection import Selection

__all__ = [
    "CONTENT",
    "Adjective",
    "Adverb",
    "Complement",
    "Determiner",
    "EntryPool",
    "Gender",
    "Lexicon",
    "Morphology",
    "Name",
    "Noun",
    "Number",
    "Predicate",
    "Preposition",
    "Pronoun",
    "Selection",
    "Verb",
    "Word",
    "WordClass",
    "features",
    "load_lexicon",
    "other_number",
    "possessive",
    "surname_plural",
    "takes_an",
]
