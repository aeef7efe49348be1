"""Measures: a number for a span of a sentence, from the scores of its tokens.

Which tokens belong to a span is a matter of character offsets alone. A token belongs where its text
begins after leading white space: a space goes with what follows it, a token that crosses a
boundary with the side it starts on. So the spans of a partition never share or lose a token.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from priscian.errors import UnknownNameError
from priscian.records import Sentence, TokenScores

Measure = Callable[[TokenScores, Sentence, str], float]

MEASURES: dict[str, Measure] = {}


def measure(name: str) -> Callable[[Measure], Measure]:
    """Register a measure under a name."""

    def register(function: Measure) -> Measure:
        MEASURES[name] = function
        return function

    return register


def find_measure(name: str) -> Measure:
    """The measure of that name."""
    try:
        return MEASURES[name]
    except KeyError:
        raise UnknownNameError("measure", name, MEASURES) from None


def home(text: str, start: int) -> int:
    """The character a token that starts there belongs to: the next that is not white space.

    >>> home("The cat", 3)
    4
    """
    for place in range(start, len(text)):
        if not text[place].isspace():
            return place
    return min(start, len(text) - 1)  # white space, or nothing, at the end of the text


def tokens_in(scores: TokenScores, sentence: Sentence, span: str) -> list[int]:
    """The tokens that belong to a span, by number."""
    where, text = sentence.span(span), sentence.text
    return [i for i, s in enumerate(scores.starts) if where.start <= home(text, s) < where.end]


def _scored(scores: TokenScores, sentence: Sentence, span: str) -> list[float]:
    """Log-probabilities of the span's tokens, without those that could not be scored."""
    if span == "*":
        logps = scores.logps
    else:
        logps = tuple(scores.logps[i] for i in tokens_in(scores, sentence, span))
    return [p for p in logps if not math.isnan(p)]


@measure("surprisal")
def surprisal(scores: TokenScores, sentence: Sentence, span: str = "*") -> float:
    """−Σ log p over the span's tokens, in nats; 0 for an empty span."""
    return 0.0 - math.fsum(_scored(scores, sentence, span))


@measure("surprisal_per_token")
def surprisal_per_token(scores: TokenScores, sentence: Sentence, span: str = "*") -> float:
    """Mean surprisal of the span's scored tokens, in nats; 0 for an empty span."""
    logps = _scored(scores, sentence, span)
    return (0.0 - math.fsum(logps)) / len(logps) if logps else 0.0


@measure("surprisal_per_char")
def surprisal_per_char(scores: TokenScores, sentence: Sentence, span: str = "*") -> float:
    """Surprisal of the span over its length in characters, spaces included; 0 for an empty span."""
    length = len(sentence[span])
    return surprisal(scores, sentence, span) / length if length else 0.0
