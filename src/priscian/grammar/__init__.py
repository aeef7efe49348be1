"""Phrases, agreement, selection, and realisation as text with spans."""

from priscian.grammar.draw import Reject
from priscian.grammar.grammar import Grammar
from priscian.grammar.inflection import (
    BE,
    DO,
    HAVE,
    NOT,
    PAST,
    PERFECT,
    PRESENT,
    Inflection,
    conjugate,
)
from priscian.grammar.nominals import (
    AND,
    REL_THAT,
    REL_WHICH,
    REL_WHO,
    THE,
    WHAT,
    WHO,
)
from priscian.grammar.phrases import DP, TO, VP, Clause, Either, NamedNode, Node, critical, label
from priscian.grammar.realise import Pair, Utterance, realise
from priscian.grammar.verbals import BY, THAT
from priscian.lexicon import Word, other_number

__all__ = [
    "AND",
    "BE",
    "BY",
    "DO",
    "DP",
    "HAVE",
    "NOT",
    "PAST",
    "PERFECT",
    "PRESENT",
    "REL_THAT",
    "REL_WHICH",
    "REL_WHO",
    "THAT",
    "THE",
    "TO",
    "VP",
    "WHAT",
    "WHO",
    "Clause",
    "Either",
    "Grammar",
    "Inflection",
    "NamedNode",
    "Node",
    "Pair",
    "Reject",
    "Utterance",
    "Word",
    "conjugate",
    "critical",
    "label",
    "other_number",
    "realise",
]
