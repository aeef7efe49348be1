"""The family of Lau, Clark and Lappin, worked out by hand."""

from __future__ import annotations

import math

import pytest

from priscian.errors import DataError, UnknownNameError
from priscian.metrics.lau import LAU, SentenceScore, lau, pen_lp, unigram_logp

SCORE = SentenceScore(-20.0, 7, unigram=-34.0)


def test_values_by_hand() -> None:
    assert lau("LP", SCORE) == -20.0
    assert lau("MeanLP", SCORE) == pytest.approx(-20 / 7)
    assert lau("PenLP", SCORE) == pytest.approx(-20 / 2**0.8)  # (5 + 7) / 6 = 2
    assert lau("NormLP", SCORE) == pytest.approx(-20 / 34)
    assert lau("SLOR", SCORE) == 2.0


def test_no_penalty_without_alpha() -> None:
    assert pen_lp(SCORE, alpha=0) == -20.0


@pytest.mark.parametrize("name", LAU)
def test_a_likelier_sentence_is_better(name: str) -> None:
    assert lau(name, SentenceScore(-10.0, 7, -34.0)) > lau(name, SCORE)


def test_rare_words_are_forgiven_by_slor() -> None:
    common, rare = SentenceScore(-20.0, 5, -25.0), SentenceScore(-26.0, 5, -40.0)
    assert lau("LP", common) > lau("LP", rare)
    assert lau("SLOR", common) < lau("SLOR", rare)


def test_unigram_probabilities_sum_to_one() -> None:
    counts = {"the": 5, "cat": 2}
    mass = sum(math.exp(unigram_logp([w], counts)) for w in (*counts, "unseen"))
    assert mass == pytest.approx(1.0)


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(DataError, match="need a unigram"):
        lau("SLOR", SentenceScore(-1.0, 3))
    with pytest.raises(DataError, match="without tokens"):
        SentenceScore(-1.0, 0)
    with pytest.raises(DataError, match="normalises nothing"):
        lau("NormLP", SentenceScore(-1.0, 3, unigram=0.0))
    with pytest.raises(UnknownNameError, match="did you mean MeanLP"):
        lau("meanLP", SCORE)
