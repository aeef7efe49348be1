"""Measures: a number for a span of a sentence, from the scores of its tokens.

Character offsets alone decide which tokens belong to a span. A token belongs where its text begins
after leading white space: a space belongs to what follows it, and a token that crosses a boundary
to the side it starts on. So the spans of a partition never share or lose a token.

Lower is better for every measure, as for surprisal. A measure may also need the words of a unigram
model: `find_measure` binds it to them and returns a plain measure.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from priscian.errors import UnknownNameError, UsageError
from priscian.records import Sentence, TokenScores

LARGEST = math.log(sys.float_info.max)
"""A text without spaces is one word, of any number of nats."""

Measure = Callable[[TokenScores, Sentence, str], float]
UnigramMeasure = Callable[[TokenScores, TokenScores, Sentence, str], float]
Lookup = Callable[[Sentence], TokenScores]

MEASURES: dict[str, Measure] = {}
UNIGRAM_MEASURES: dict[str, UnigramMeasure] = {}
"""Measures that also need a unigram model's words."""


def measure(name: str) -> Callable[[Measure], Measure]:
    """Register a measure under a name."""

    def register(function: Measure) -> Measure:
        MEASURES[name] = function
        return function

    return register


def unigram_measure(name: str) -> Callable[[UnigramMeasure], UnigramMeasure]:
    """Register a measure that also needs a unigram model's words."""

    def register(function: UnigramMeasure) -> UnigramMeasure:
        UNIGRAM_MEASURES[name] = function
        return function

    return register


def needs_unigrams(name: str) -> bool:
    """Whether a measure needs a unigram model; an unknown name is an error."""
    if name not in MEASURES and name not in UNIGRAM_MEASURES:
        raise UnknownNameError("measure", name, (*MEASURES, *UNIGRAM_MEASURES))
    return name in UNIGRAM_MEASURES


def find_measure(name: str, unigrams: Lookup | None = None) -> Measure:
    """The measure of that name; `unigrams` gives a sentence's words by a unigram model."""
    if not needs_unigrams(name):
        return MEASURES[name]
    if unigrams is None:
        raise UsageError(f"the measure {name} needs a unigram model; give one: `unigram=MODEL`")
    both = UNIGRAM_MEASURES[name]
    return lambda scores, sentence, span: both(scores, unigrams(sentence), sentence, span)


def home(text: str, start: int) -> int:
    """The character that a token with this start belongs to: the next that is not white space.

    >>> home("The cat", 3)
    4
    """
    for place in range(start, len(text)):
        if not text[place].isspace():
            return place
    return min(start, len(text) - 1)  # white space or nothing up to the end of the text


def tokens_in(scores: TokenScores, sentence: Sentence, span: str) -> list[int]:
    """The tokens that belong to a span, by number."""
    where, text = sentence.span(span), sentence.text
    return [i for i, s in enumerate(scores.starts) if where.start <= home(text, s) < where.end]


def scored(scores: TokenScores, sentence: Sentence, span: str) -> list[float]:
    """Log-probabilities of the span's tokens, without those that could not be scored."""
    if span == "*":
        logps = scores.logps
    else:
        logps = tuple(scores.logps[i] for i in tokens_in(scores, sentence, span))
    return [p for p in logps if not math.isnan(p)]


@measure("surprisal")
def surprisal(scores: TokenScores, sentence: Sentence, span: str = "*") -> float:
    """−Σ log p over the span's tokens, in nats; 0 for an empty span."""
    return 0.0 - math.fsum(scored(scores, sentence, span))


@measure("surprisal_per_token")
def surprisal_per_token(scores: TokenScores, sentence: Sentence, span: str = "*") -> float:
    """Mean surprisal of the span's scored tokens, in nats; 0 for an empty span."""
    logps = scored(scores, sentence, span)
    return (0.0 - math.fsum(logps)) / len(logps) if logps else 0.0


@measure("surprisal_per_char")
def surprisal_per_char(scores: TokenScores, sentence: Sentence, span: str = "*") -> float:
    """Surprisal of the span over its length in characters, spaces included; 0 for an empty span."""
    length = len(sentence[span])
    return surprisal(scores, sentence, span) / length if length else 0.0


def perplexity(nats: float, units: float) -> float:
    """exp(nats / units); at most the largest number there is, since JSON has no infinity.

    >>> perplexity(2 * math.log(10), 2)
    10.000000000000002
    """
    return math.exp(min(nats / units, LARGEST))
