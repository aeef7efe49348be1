"""The leading-space correction of token scores, worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import DataError, UsageError
from priscian.metrics.regions import beginnings, correct_boundaries, region_bits
from priscian.records import Sentence, Span, TokenScores
from priscian.runs import SuiteOptions

BIT = math.log(2)


def scores(text: str, *pieces: str, masses: tuple[float, ...] = ()) -> TokenScores:
    """Tokens laid end to end, -1, -2, … nats each; masses -0.1, -0.2, … unless given."""
    starts, at = [], 0
    for piece in pieces:
        starts.append(at)
        at += len(piece)
    ends = [s + len(p) for s, p in zip(starts, pieces, strict=True)]
    logps = tuple(-1.0 - i for i in range(len(pieces)))
    chosen = masses or tuple(-(i + 1) / 10 for i in range(len(pieces) + 1))
    assert "".join(pieces) == text
    return TokenScores(tuple(starts), tuple(ends), logps, {"boundary": chosen})


def test_a_word_gains_its_end_and_loses_its_beginning() -> None:
    text = "An oboist left."
    got = correct_boundaries(scores(text, "An", " ob", "oist", " left", "."), Sentence(text))
    # B: -.1 An -.2 ob -.3 oist -.4 left -.5 . -.6
    assert got.logps == pytest.approx((-1 + 0.1 - 0.2, -2 + 0.2, -3 - 0.4, -4 + 0.4, -5 - 0.6))


def test_an_attached_comma_goes_on_with_its_word() -> None:
    text = "she slept, we"
    spans = (Span("1", 0, 3), Span("2", 4, 9), Span("3", 9, 10), Span("4", 11, 13))
    sentence = Sentence(text, spans)
    got = correct_boundaries(scores(text, "she", " slept", ",", " we"), sentence)
    bits = region_bits(got, sentence)
    wanted = {"1": 1 - 0.1 + 0.2, "2": 2 - 0.2, "3": 3 + 0.4, "4": 4 - 0.4 + 0.5}
    assert bits == pytest.approx({k: v / BIT for k, v in wanted.items()})


def test_after_the_end_of_the_text_nothing_comes() -> None:
    found = scores("she left<e>", "she", " left", "<e>")
    got = correct_boundaries(found, Sentence("she left"))
    assert got.logps == pytest.approx((-1 + 0.1 - 0.2, -2 + 0.2 - 0.3, -3 + 0.3))


def test_spaces_of_their_own_and_halves_of_characters_begin_no_second_word() -> None:
    text = "a  b\nc é"
    found = TokenScores(
        (0, 1, 2, 4, 5, 6, 7), (1, 2, 4, 5, 6, 8, 8), (-1.0,) * 7, {"boundary": (-1.0,) * 8}
    )
    assert [text[s:e] for s, e in zip(found.starts, found.ends, strict=True)] == [
        "a", " ", " b", "\n", "c", " é", "é"]  # fmt: skip
    assert beginnings(found, Sentence(text)) == [0, 1, 3, 5]


@pytest.mark.parametrize(
    ("text", "context", "wanted"),
    [("left", "", [0]), (" left", "She", [0]), ("left", "She ", [0]), ("ly", "sad", [])],
)
def test_a_context_decides_whether_the_first_token_begins_a_word(
    text: str, context: str, wanted: list[int]
) -> None:
    found = TokenScores((0,), (len(text),), (-1.0,))
    assert beginnings(found, Sentence(text, (), context)) == wanted


def test_a_token_that_could_not_be_scored_stays_so() -> None:
    found = scores("go on", "go", " on", masses=(math.nan, -0.5, -0.25))
    unscored = TokenScores(found.starts, found.ends, (math.nan, -2.0), found.channels)
    got = correct_boundaries(unscored, Sentence("go on"))
    assert math.isnan(got.logps[0])
    assert got.logps[1] == pytest.approx(-2 + 0.5 - 0.25)


@given(st.lists(st.sampled_from(["a", " b", " ", ",", " cd", "e"]), min_size=1, max_size=12))
def test_a_whole_text_changes_by_its_two_ends_alone(pieces: list[str]) -> None:
    text = "a" + "".join(pieces)
    found = scores(text, "a", *pieces)
    got = correct_boundaries(found, Sentence(text))
    masses = found.channels["boundary"]
    assert got.total == pytest.approx(found.total - masses[0] + masses[-1])


def test_scores_without_masses_are_refused() -> None:
    with pytest.raises(DataError, match=r"score it again with `boundary=corrected`"):
        correct_boundaries(TokenScores((0,), (2,), (-1.0,)), Sentence("go"))


def test_names_are_checked() -> None:
    SuiteOptions(boundary="corrected").check()
    with pytest.raises(UsageError, match=r"`boundary=` takes plain or corrected, not 'yes'"):
        SuiteOptions(boundary="yes").check()
