"""The family of Lau, Clark and Lappin, worked out by hand."""

from __future__ import annotations

import math

import pytest

from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.metrics import UNIGRAM_MEASURES, find_measure, needs_unigrams
from priscian.metrics.lau import LAU, SentenceScore, lau, pen_lp, unigram_logp
from priscian.records import Sentence, Span, TokenScores

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
    with pytest.raises(DataError, match="cannot divide by"):
        lau("NormLP", SentenceScore(-1.0, 3, unigram=0.0))
    with pytest.raises(UnknownNameError, match="did you mean MeanLP"):
        lau("meanLP", SCORE)


# Nur|ses| sleep|.      four tokens of a model; Nurses|sleep|. are the unigram model's words
SENTENCE = Sentence("Nurses sleep.", (Span("noun", 0, 6), Span("gap", 6, 6)))
MODEL = TokenScores((0, 3, 6, 12), (3, 6, 12, 13), (-4.0, -1.0, -6.0, -1.0))
WORDS = TokenScores((0, 7, 12), (6, 12, 13), (-9.0, -8.0, -4.0))


class TestMeasures:
    """Lower is better, so each is the negative of its namesake."""

    def test_values_by_hand(self) -> None:
        def unigrams(sentence: Sentence) -> TokenScores:
            assert sentence is SENTENCE
            return WORDS

        def value(name: str, span: str = "*") -> float:
            return find_measure(name, unigrams)(MODEL, SENTENCE, span)

        # log p = -12 in 4 tokens; log p of words = -21 in 3 words
        assert value("mean_lp") == 3.0
        assert value("pen_lp") == pytest.approx(12 / 1.5**0.8)  # (5 + 4) / 6 = 1.5
        assert value("slln_lp") == 6.0  # 12 / √4
        assert value("norm_lp") == pytest.approx(-(12 / -21))
        assert value("slor") == pytest.approx(-3.0)  # (-12 + 21) / 3 = 3
        assert value("slor", "noun") == pytest.approx(-4.0)  # -5 + 9, one word

    def test_a_first_token_without_a_score_takes_its_word_along(self) -> None:
        scores = TokenScores(MODEL.starts, MODEL.ends, (math.nan, *MODEL.logps[1:]))
        found = find_measure("slor", lambda sentence: WORDS)(scores, SENTENCE, "*")
        # -1 - 6 - 1 by the model; the word "Nurses" began unscored, so -8 - 4 in two words
        assert found == pytest.approx(-((-8.0 + 12.0) / 2))

    @pytest.mark.parametrize("name", UNIGRAM_MEASURES)
    def test_an_empty_span_measures_zero(self, name: str) -> None:
        assert find_measure(name, lambda sentence: WORDS)(MODEL, SENTENCE, "gap") == 0.0

    def test_a_unigram_model_is_asked_for(self) -> None:
        assert needs_unigrams("slor")
        assert not needs_unigrams("pen_lp")
        with pytest.raises(UsageError, match="slor needs a unigram model"):
            find_measure("slor")
        with pytest.raises(UnknownNameError, match="no measure 'slur'; did you mean slor"):
            needs_unigrams("slur")
