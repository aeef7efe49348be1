"""Annotated words as data files, morphology and look-up by feature."""

from priscian.lexicon.classes import WordClass
from priscian.lexicon.entries import (
    Adjective,
    Adverb,
    Complement,
    Determiner,
    Name,
    Noun,
    Predicate,
    Preposition,
    Pronoun,
    Verb,
)
from priscian.lexicon.lexicon import Lexicon, load_lexicon
from priscian.lexicon.morphology import Morphology, possessive, surname_plural, takes_an
from priscian.lexicon.pool import EntryPool
from priscian.lexicon.selection import Selection
from priscian.lexicon.words import CONTENT, Gender, Number, Word, features, other_number

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
