"""The leading-space correction: a word's probability includes its end and excludes its beginning.

A token such as `Ġcat` predicts two things: that the previous word has ended, and that `cat` begins.
So the plain sum over a word's tokens leaves out its own end and includes that of the previous word.
With B(i) the probability, before token i, of all tokens that begin a word, a word of tokens i to
j - 1 has

    p(word | context) = p(i) · … · p(j - 1) · B(j) / B(i)

and the probabilities of all words sum to 1 (Pimentel & Meister 2024, "How to compute the
probability of a word"; Oh & Schuler 2024, "Leading whitespaces of language models' subword
vocabulary pose a confound for calculating word probabilities"; both EMNLP).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, cast, get_args

from priscian.errors import DataError, UsageError
from priscian.metrics.measures import home
from priscian.records import Sentence, TokenScores

Boundary = Literal["plain", "corrected"]


def find_boundary(name: str) -> Boundary:
    """`plain` or `corrected`, checked."""
    if name not in get_args(Boundary):
        raise UsageError(f"`boundary=` takes {' or '.join(get_args(Boundary))}, not {name!r}")
    return cast(Boundary, name)


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
