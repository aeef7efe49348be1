"""Acceptability measures from a sentence's log-probability: Lau, Clark & Lappin (2017).

Grammaticality, acceptability, and probability, Cognitive Science 41, 1202–1241, Table 3. All take
natural logarithms and are higher for better sentences; lengths are in tokens.

As measures of a run (`mean_lp`, `pen_lp`, `norm_lp`, `slor`, and `slln_lp`, which is not in that
table) they are negated, because there lower is better; tables and files show them with their own
sign.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from priscian.errors import DataError, UnknownNameError
from priscian.metrics.measures import home, measure, scored, tokens_in, unigram_measure
from priscian.records import Sentence, TokenScores

ALPHA = 0.8


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """A sentence's log-probability, its length, and its log-probability by word frequency alone."""

    logp: float
    length: int
    unigram: float | None = None

    def __post_init__(self) -> None:
        if self.length < 1:
            raise DataError("a sentence without tokens has no score; give at least one token")


def lp(score: SentenceScore) -> float:
    """LP: log p."""
    return score.logp


def mean_lp(score: SentenceScore) -> float:
    """MeanLP: log p over the length.

    >>> mean_lp(SentenceScore(-12.0, 4))
    -3.0
    """
    return score.logp / score.length


def pen_lp(score: SentenceScore, alpha: float = ALPHA) -> float:
    """PenLP: log p / ((5 + length) / (5 + 1))^α, a length penalty of machine translation.

    >>> pen_lp(SentenceScore(-12.0, 1))
    -12.0
    """
    penalty: float = ((5 + score.length) / 6) ** alpha
    return score.logp / penalty


def slln_lp(score: SentenceScore) -> float:
    """SLLN-LP: log p over the square root of the length; Liu et al. (2024), for ZhoBLiMP.

    >>> slln_lp(SentenceScore(-12.0, 4))
    -6.0
    """
    return score.logp / math.sqrt(score.length)


def norm_lp(score: SentenceScore) -> float:
    """NormLP: −log p / log p of the unigram model.

    >>> norm_lp(SentenceScore(-12.0, 4, unigram=-24.0))
    -0.5
    """
    unigram = _unigram(score)
    if unigram == 0:
        raise DataError("cannot divide by a unigram log-probability of 0; check the unigram model")
    return -score.logp / unigram


def slor(score: SentenceScore) -> float:
    """SLOR: (log p − log p of the unigram model) over the length; Pauls & Klein (2012).

    >>> slor(SentenceScore(-12.0, 4, unigram=-24.0))
    3.0
    """
    return (score.logp - _unigram(score)) / score.length


LAU: dict[str, Callable[[SentenceScore], float]] = {
    "LP": lp,
    "MeanLP": mean_lp,
    "PenLP": pen_lp,
    "NormLP": norm_lp,
    "SLOR": slor,
}


def lau(name: str, score: SentenceScore) -> float:
    """The measure of that name."""
    if name not in LAU:
        raise UnknownNameError("measure of Lau et al.", name, LAU)
    return LAU[name](score)


def unigram_logp(tokens: list[str], counts: Mapping[str, int]) -> float:
    """Σ log of (count + 1) / (all counts + types + 1): add-one smoothing, with one unseen type.

    >>> round(unigram_logp(["a", "b"], {"a": 6}), 6)  # 7/8 and 1/8
    -2.212973
    """
    total = sum(counts.values()) + len(counts) + 1
    return math.fsum(math.log((counts.get(token, 0) + 1) / total) for token in tokens)


def _unigram(score: SentenceScore) -> float:
    if score.unigram is None:
        raise DataError("SLOR and NormLP need a unigram log-probability; give `unigram`")
    return score.unigram


# ---------------------------------------------------------------- measures of a run


@measure("mean_lp")
def mean_lp_measure(scores: TokenScores, sentence: Sentence, span: str = "*") -> float:
    """MeanLP: log p over the number of the model's tokens."""
    return _negated(mean_lp, _alone(scores, sentence, span))


@measure("pen_lp")
def pen_lp_measure(scores: TokenScores, sentence: Sentence, span: str = "*") -> float:
    """PenLP: log p / ((5 + n) / 6)^0.8, n the number of the model's tokens."""
    return _negated(pen_lp, _alone(scores, sentence, span))


@measure("slln_lp")
def slln_lp_measure(scores: TokenScores, sentence: Sentence, span: str = "*") -> float:
    """SLLN-LP: log p over the square root of the number of the model's tokens."""
    return _negated(slln_lp, _alone(scores, sentence, span))


@unigram_measure("norm_lp")
def norm_lp_measure(
    scores: TokenScores, words: TokenScores, sentence: Sentence, span: str = "*"
) -> float:
    """NormLP: −log p / log p of the unigram model."""
    return _negated(norm_lp, _with_words(scores, words, sentence, span))


@unigram_measure("slor")
def slor_measure(
    scores: TokenScores, words: TokenScores, sentence: Sentence, span: str = "*"
) -> float:
    """SLOR: (log p − log p of the unigram model) over the number of the unigram model's words."""
    return _negated(slor, _with_words(scores, words, sentence, span))


def _negated(function: Callable[[SentenceScore], float], score: SentenceScore | None) -> float:
    return 0.0 - function(score) if score else 0.0


def _alone(scores: TokenScores, sentence: Sentence, span: str) -> SentenceScore | None:
    logps = scored(scores, sentence, span)
    return SentenceScore(math.fsum(logps), len(logps)) if logps else None


def _with_words(
    scores: TokenScores, words: TokenScores, sentence: Sentence, span: str
) -> SentenceScore | None:
    """Both log-probabilities of a span, over the same stretch of the text.

    Where a model could not score its first token, words that begin before its first scored token
    are left out too. The length is in words, so that it is the same for every model.
    """
    logps = scored(scores, sentence, span)
    known = [s for s, p in zip(scores.starts, scores.logps, strict=True) if not math.isnan(p)]
    if not logps or not known:
        return None
    begin = 0 if len(known) == len(scores) else home(sentence.text, known[0])
    own = [words.logps[i] for i in tokens_in(words, sentence, span) if words.starts[i] >= begin]
    return SentenceScore(math.fsum(logps), len(own), math.fsum(own)) if own else None
