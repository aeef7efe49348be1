"""Tokens belong to spans by their characters, and nothing is counted twice or lost."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import DataError, UnknownNameError
from priscian.metrics import (
    MEASURES,
    find_measure,
    measure,
    surprisal,
    surprisal_per_char,
    surprisal_per_token,
    tokens_in,
)
from priscian.records import Sentence, Span, TokenScores

NAN = math.nan


def scores(*tokens):
    """Token scores from (start, end, log-probability)."""
    starts, ends, logps = zip(*tokens, strict=True)
    return TokenScores(starts, ends, logps)


# The| cat| pur|red.      the spans: "The", "cat", "purr", "ed."
SENTENCE = Sentence(
    "The cat purred.",
    (Span("det", 0, 3), Span("noun", 4, 7), Span("stem", 8, 12), Span("end", 12, 15)),
)
SCORES = scores((0, 3, -1.0), (3, 7, -2.0), (7, 11, -4.0), (11, 15, -8.0))


def test_surprisal_sums_the_tokens_of_a_span():
    assert surprisal(SCORES, SENTENCE) == 15.0
    assert surprisal(SCORES, SENTENCE, "det") == 1.0
    assert surprisal(SCORES, SENTENCE, "noun") == 2.0  # " cat": the space goes with what follows


def test_a_token_that_crosses_a_boundary_belongs_where_it_starts():
    assert surprisal(SCORES, SENTENCE, "stem") == 12.0  # " pur" and "red."
    assert surprisal(SCORES, SENTENCE, "end") == 0.0
    assert tokens_in(SCORES, SENTENCE, "stem") == [2, 3]
    assert tokens_in(SCORES, SENTENCE, "end") == []


def test_white_space_alone_belongs_to_what_follows():
    sentence = Sentence("a  b", (Span("a", 0, 1), Span("b", 3, 4)))
    tokens = scores((0, 1, -1.0), (1, 2, -2.0), (2, 3, -4.0), (3, 4, -8.0))
    assert surprisal(tokens, sentence, "a") == 1.0
    assert surprisal(tokens, sentence, "b") == 14.0


def test_a_zero_width_token_goes_with_its_start():
    sentence = Sentence("ab cd", (Span("first", 0, 2), Span("second", 3, 5)))
    tokens = scores((0, 0, -1.0), (0, 2, -2.0), (2, 2, -4.0), (3, 5, -8.0), (5, 5, -16.0))
    assert surprisal(tokens, sentence, "first") == 3.0
    assert surprisal(tokens, sentence, "second") == 28.0
    assert surprisal(tokens, sentence) == 31.0


def test_white_space_at_the_end_belongs_to_itself():
    sentence = Sentence("ab ", (Span("word", 0, 2), Span("rest", 2, 3)))
    tokens = scores((0, 2, -1.0), (2, 3, -2.0))
    assert surprisal(tokens, sentence, "word") == 1.0
    assert surprisal(tokens, sentence, "rest") == 2.0


def test_tokens_without_a_score_are_left_out():
    tokens = scores((0, 3, NAN), (3, 7, -2.0), (7, 11, -4.0), (11, 15, -8.0))
    assert surprisal(tokens, SENTENCE) == 14.0
    assert surprisal(tokens, SENTENCE, "det") == 0.0
    assert surprisal_per_token(tokens, SENTENCE) == pytest.approx(14 / 3)
    assert surprisal_per_token(tokens, SENTENCE, "det") == 0.0


def test_means_per_token_and_per_character():
    assert surprisal_per_token(SCORES, SENTENCE) == 3.75
    assert surprisal_per_token(SCORES, SENTENCE, "stem") == 6.0
    assert surprisal_per_char(SCORES, SENTENCE) == 1.0
    assert surprisal_per_char(SCORES, SENTENCE, "stem") == 3.0


@pytest.mark.parametrize("name", list(MEASURES))
def test_an_empty_span_measures_zero(name):
    sentence = Sentence("ab", (Span("gap", 1, 1),))
    value = find_measure(name)(scores((0, 2, -1.0)), sentence, "gap")
    assert math.copysign(1.0, value) == 1.0  # not −0
    assert value == 0.0


def test_a_span_that_is_not_there_is_named():
    with pytest.raises(DataError, match=r"no span 'verb' in 'The cat purred\.'; its spans: det"):
        surprisal(SCORES, SENTENCE, "verb")


def test_measures_are_found_by_name(monkeypatch):
    assert find_measure("surprisal") is surprisal
    with pytest.raises(UnknownNameError, match="no measure 'suprisal'; did you mean surprisal"):
        find_measure("suprisal")
    monkeypatch.setattr("priscian.metrics.measures.MEASURES", {})
    twice = measure("twice")(lambda s, t, name: 2 * surprisal(s, t, name))
    assert find_measure("twice")(SCORES, SENTENCE, "*") == 30.0
    assert find_measure("twice") is twice


@st.composite
def cut_texts(draw):
    """A text, tokens that tile it (some of zero width) and spans that tile it."""
    text = draw(st.text("ab é\t\n字", min_size=1, max_size=25))
    places = st.lists(st.integers(0, len(text)), max_size=8)
    token_cuts = sorted([0, *draw(places), len(text)])
    span_cuts = sorted({0, *draw(places), len(text)})
    logps = draw(
        st.lists(
            st.floats(-30, 0) | st.just(NAN),
            min_size=len(token_cuts) - 1,
            max_size=len(token_cuts) - 1,
        )
    )
    spans = tuple(Span(str(n), a, b) for n, (a, b) in enumerate(itertools.pairwise(span_cuts)))
    tokens = TokenScores(tuple(token_cuts[:-1]), tuple(token_cuts[1:]), tuple(logps))
    return Sentence(text, spans), tokens


@given(cut_texts())
def test_the_spans_of_a_partition_add_up_to_the_whole(cut):
    sentence, tokens = cut
    parts = [surprisal(tokens, sentence, span.name) for span in sentence.spans]
    assert math.fsum(parts) == pytest.approx(-tokens.total, abs=1e-9)
    owned = [i for span in sentence.spans for i in tokens_in(tokens, sentence, span.name)]
    assert sorted(owned) == list(range(len(tokens)))
    assert surprisal(tokens, sentence) == pytest.approx(-tokens.total, abs=1e-9)


def test_metrics_load_no_heavy_library():
    heavy = "{'torch', 'transformers', 'scipy', 'polars', 'numpy'}"
    code = f"import sys, priscian.metrics; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
