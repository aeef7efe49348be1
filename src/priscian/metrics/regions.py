"""Region surprisals, in bits, from character offsets alone.

A token belongs to the last non-empty region that begins at or before it, where the space between
two regions belongs to the second. So a token with a leading space belongs to what follows, a token
that crosses a boundary to the region it starts in, and an empty region gets nothing. A token that
starts at the end of the text is its end (EOS): left out, or counted with the last region.

**The leading-space correction.** A token such as `Ġcat` predicts two things: that the previous word
has ended, and that `cat` begins. So the plain sum over a word's tokens leaves out its own end and
includes that of the previous word. With B(i) the probability, before token i, of all tokens that
begin a word, a word of tokens i to j - 1 has

    p(word | context) = p(i) · … · p(j - 1) · B(j) / B(i)

and the probabilities of all words sum to 1 (Pimentel & Meister 2024, "How to compute the
probability of a word"; Oh & Schuler 2024, "Leading whitespaces of language models' subword
vocabulary pose a confound for calculating word probabilities"; both EMNLP).
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from priscian.errors import DataError
from priscian.metrics.measures import home
from priscian.records import Sentence, Span, TokenScores

BIT = math.log(2)  # nats

Eos = Literal["exclude", "last-region"]
Boundary = Literal["plain", "corrected"]

METRICS: dict[str, Callable[[Sequence[float]], float]] = {
    "sum": math.fsum,
    "mean": statistics.fmean,
    "median": statistics.median,
    "range": lambda bits: max(bits) - min(bits),
    "max": max,
    "min": min,
}
"""How a suite may combine the surprisals of a region's tokens; an empty region always has 0."""


def regions_of(sentence: Sentence) -> tuple[Span, ...]:
    """The spans of a sentence that are regions: those whose names are numbers."""
    return tuple(span for span in sentence.spans if span.name.isdecimal())


def region_tokens(
    scores: TokenScores, sentence: Sentence, eos: Eos = "exclude"
) -> dict[str, list[int]]:
    """The tokens of every region, by number."""
    regions = regions_of(sentence)
    filled = [span for span in regions if span.end > span.start]
    if not filled:
        raise DataError(f"{sentence.text!r} has no regions; read it as a suite: sg:PATH")
    edges = [span.start for span in filled]
    found: dict[str, list[int]] = {span.name: [] for span in regions}
    for number, start in enumerate(scores.starts):
        if start >= len(sentence.text):
            place = len(filled) - 1
            if eos == "exclude":
                continue
        else:
            # the last region that starts at or before the token's first visible character
            place = max(0, bisect_right(edges, home(sentence.text, start)) - 1)
        found[filled[place].name].append(number)
    return found


def region_bits(
    scores: TokenScores, sentence: Sentence, *, eos: Eos = "exclude", metric: str = "sum"
) -> dict[str, float]:
    """The surprisal of every region, in bits: by default the sum over its tokens.

    A token that the model could not score (the first one without BOS) is left out.
    """
    gather = METRICS[metric]
    found: dict[str, float] = {}
    for name, tokens in region_tokens(scores, sentence, eos).items():
        bits = [-scores.logps[i] / BIT for i in tokens if not math.isnan(scores.logps[i])]
        found[name] = gather(bits) + 0.0 if bits else 0.0
    return found


def correct_boundaries(scores: TokenScores, sentence: Sentence) -> TokenScores:
    """Scores whose sums over words, or over regions that begin with a word, are corrected.

    The last token of every word gains log B and the first token of the next one loses it, so inside
    a sequence of words all but the first and the last cancel out. A region that begins without a
    space, such as an attached comma, continues the previous word: nothing changes there. The end of
    the text (EOS) is a word of its own with nothing after it.
    """
    masses = scores.channels.get("boundary")
    if masses is None or len(masses) != len(scores) + 1:
        raise DataError(
            f"{sentence.text!r} has no scores for the beginning of words; score it again with "
            "`boundary=corrected`"
        )
    logps = list(scores.logps)
    for token in beginnings(scores, sentence):
        logps[token] -= masses[token]
        if token:
            logps[token - 1] += masses[token]
    if logps and scores.starts[-1] < len(sentence.text):
        logps[-1] += masses[-1]
    return replace(scores, logps=tuple(logps))


def beginnings(scores: TokenScores, sentence: Sentence) -> list[int]:
    """Tokens that begin a word: after white space, at the start of the text, or EOS."""
    text, before = sentence.text, sentence.context[-1:]
    found = []
    last = -1  # the character that the previous token belongs to
    for token, start in enumerate(scores.starts):
        if start >= len(text):
            found.append(token)
            continue
        place = home(text, start)
        ahead = text[place - 1] if place else before
        if place != last and (not ahead or ahead.isspace() or text[place].isspace()):
            found.append(token)
        last = place
    return found
