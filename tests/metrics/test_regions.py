"""Region surprisals against sums by hand: every corner case of alignment, on real tiny models."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.datasets.syntaxgym import build_sentence
from priscian.errors import DataError, UsageError
from priscian.metrics.regions import region_bits, region_tokens
from priscian.records import Sentence, Text, TokenScores
from priscian.runs import SuiteOptions
from priscian.scoring import ScoreStore, score_texts

LN2 = math.log(2)


def scores(*tokens: tuple[int, int, float]) -> TokenScores:
    """Tokens as start, end, bits."""
    return TokenScores(
        tuple(s for s, _, _ in tokens),
        tuple(e for _, e, _ in tokens),
        tuple(-bits * LN2 for _, _, bits in tokens),
    )


class TestByHand:
    def test_a_space_belongs_to_the_following_region(self) -> None:
        sentence = build_sentence(["The cat", "sat"])
        told = scores((0, 3, 1.0), (3, 7, 2.0), (7, 11, 4.0))  # The| cat| sat
        assert region_bits(told, sentence) == pytest.approx({"1": 3.0, "2": 4.0})

    def test_a_bare_space_goes_with_what_follows(self) -> None:
        sentence = build_sentence(["The cat", "sat"])
        told = scores((0, 7, 1.0), (7, 8, 2.0), (8, 11, 4.0))  # The cat| |sat
        assert region_bits(told, sentence) == pytest.approx({"1": 1.0, "2": 6.0})

    def test_a_piece_that_crosses_a_boundary_belongs_where_it_starts(self) -> None:
        sentence = build_sentence(["in", "side", "out"])
        told = scores((0, 1, 1.0), (1, 5, 2.0), (5, 11, 4.0))  # i|n si|de out
        assert region_bits(told, sentence) == pytest.approx({"1": 3.0, "2": 4.0, "3": 0.0})

    @pytest.mark.parametrize(
        ("contents", "wanted"),
        [
            (["", "The cat", "sat"], {"1": 0.0, "2": 3.0, "3": 4.0}),
            (["The cat", "", "sat"], {"1": 3.0, "2": 0.0, "3": 4.0}),
            (["The cat", "sat", ""], {"1": 3.0, "2": 4.0, "3": 0.0}),
            (["", "", "The cat", "", "", "sat", ""],
             {"1": 0.0, "2": 0.0, "3": 3.0, "4": 0.0, "5": 0.0, "6": 4.0, "7": 0.0}),
        ],
    )  # fmt: skip
    def test_empty_regions_get_nothing_wherever_they_stand(
        self, contents: list[str], wanted: dict[str, float]
    ) -> None:
        sentence = build_sentence(contents)
        assert sentence.text == "The cat sat"
        told = scores((0, 3, 1.0), (3, 7, 2.0), (7, 11, 4.0))
        assert region_bits(told, sentence) == pytest.approx(wanted)

    @pytest.mark.parametrize(
        ("way", "text", "tokens"),
        [
            ("attached", "He ran, she sat.", ((0, 6), (6, 7), (7, 15), (15, 16))),
            ("detached", "He ran , she sat .", ((0, 6), (6, 8), (8, 16), (16, 18))),
        ],
    )
    def test_a_region_may_be_a_mark_alone(
        self, way: str, text: str, tokens: tuple[tuple[int, int], ...]
    ) -> None:
        sentence = build_sentence(["He ran", ",", "she sat", "."], way)  # type: ignore[arg-type]
        assert sentence.text == text
        told = scores(*((s, e, 2.0**n) for n, (s, e) in enumerate(tokens)))
        assert region_bits(told, sentence) == pytest.approx({"1": 1, "2": 2, "3": 4, "4": 8})

    def test_the_end_of_the_text_is_left_out_or_counted_with_the_last_filled_region(self) -> None:
        sentence = build_sentence(["The cat", "sat", ""])
        told = scores((0, 7, 1.0), (7, 11, 2.0), (11, 11, 8.0))
        assert region_bits(told, sentence) == pytest.approx({"1": 1, "2": 2, "3": 0})
        with_end = region_bits(told, sentence, eos="last-region")
        assert with_end == pytest.approx({"1": 1, "2": 10, "3": 0})

    def test_pieces_of_one_character_stay_in_one_region(self) -> None:
        sentence = build_sentence(["caf", "é", "x"])  # not words, but the edge falls there
        told = scores((0, 3, 1.0), (4, 5, 2.0), (4, 5, 4.0), (5, 7, 8.0))
        assert region_bits(told, sentence) == pytest.approx({"1": 1, "2": 6, "3": 8})

    def test_a_token_that_was_not_scored_counts_nothing(self) -> None:
        sentence = build_sentence(["The", "cat"])
        told = TokenScores((0, 3), (3, 7), (math.nan, -2 * LN2))
        assert region_bits(told, sentence) == pytest.approx({"1": 0, "2": 2})

    @pytest.mark.parametrize(
        ("metric", "value"),
        [("sum", 7.0), ("mean", 7 / 3), ("median", 2.0), ("range", 3.0), ("max", 4.0),
         ("min", 1.0)],
    )  # fmt: skip
    def test_other_metrics_and_an_empty_region_is_0_by_each(
        self, metric: str, value: float
    ) -> None:
        sentence = build_sentence(["a b c", ""])
        told = scores((0, 1, 1.0), (1, 3, 2.0), (3, 5, 4.0))
        assert region_bits(told, sentence, metric=metric) == pytest.approx({"1": value, "2": 0.0})

    def test_a_sentence_without_regions_is_refused(self) -> None:
        with pytest.raises(DataError, match="has no regions"):
            region_bits(scores((0, 3, 1.0)), Sentence("The"))

    def test_an_unknown_rule_for_the_end_is_refused(self) -> None:
        with pytest.raises(UsageError, match="`eos=` takes exclude or last-region"):
            SuiteOptions(eos="yes").check()


words = st.lists(st.sampled_from(["a", "the cat", "", ",", "don't", "naïve", "."]), min_size=1)


@given(words.filter(any), st.sampled_from(["attached", "detached"]), st.data())
def test_regions_share_out_every_token_once(
    contents: list[str], way: str, data: st.DataObject
) -> None:
    sentence = build_sentence(contents, way)  # type: ignore[arg-type]
    cuts = data.draw(st.sets(st.integers(1, len(sentence.text)), max_size=12))
    edges = [0, *sorted(cuts - {len(sentence.text)}), len(sentence.text)]
    pieces = list(pairwise(edges))
    told = scores(*((s, e, 1.0) for s, e in pieces))
    shared = region_tokens(told, sentence)
    assert sorted(i for tokens in shared.values() for i in tokens) == list(range(len(pieces)))
    for name, tokens in shared.items():
        span = sentence.span(name)
        for i in tokens:
            first = pieces[i][0]
            while first < len(sentence.text) - 1 and sentence.text[first] == " ":
                first += 1
            assert span.start <= first < span.end


CASES = {
    "plain": ["The old nurse", "has admired", "the painting."],
    "empty first": ["", "The old nurse", "has"],
    "empty middle": ["The old nurse", "", "has"],
    "empty last": ["The old nurse", "has", ""],
    "empty in a row": ["The old", "", "", "nurse", "has"],
    "marks alone": ["Go now", ",", "nurse", "."],
    "a tail that is the next word": ["The girlthat", "that", "remand", "and"],
    "unknown words in a row": ["zxqv", "wvut", "has", "qqq jjj"],
    "a hyphen": ["café-owners", "forget", "us"],
    "characters of several bytes": ["Ünïcödé ☃", "漢字", "has"],
    "capitals": ["THE OLD", "Nurse", "HAS"],
}


@pytest.mark.parametrize("kind", ["causal", "cased", "uncased"])
def test_tiny_models_agree_with_a_walk_over_their_tokens(
    kind: str, causal: Callable[..., Path], masked: Callable[..., Path]
) -> None:
    """The sum by hand: for each character, which region; for each token, its first character."""
    model = f"hf:{causal('gpt2')}" if kind == "causal" else f"mlm:{masked(cased=kind == 'cased')}"
    built = {case: build_sentence(contents) for case, contents in CASES.items()}
    with ScoreStore() as store:
        found = score_texts(model, [Text(s.text) for s in built.values()], store).scores
    for case, contents in CASES.items():
        sentence = built[case]
        told = found[Text(sentence.text)]
        owner: list[int] = []
        for number, content in enumerate(contents, 1):
            if content:
                space = 0 if not owner or content[0] in ",." else 1
                owner += [number] * (space + len(content))
        assert len(owner) == len(sentence.text), case
        wanted = {str(n): 0.0 for n in range(1, len(contents) + 1)}
        for start, logp in zip(told.starts, told.logps, strict=True):
            wanted[str(owner[start])] -= logp / LN2
        assert region_bits(told, sentence) == pytest.approx(wanted, abs=1e-9), case
        assert math.fsum(wanted.values()) == pytest.approx(-told.total / LN2), case
