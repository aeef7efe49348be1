"""Polarity items: *ever* on both sides, a licensor above it only in the good sentence."""

from __future__ import annotations

import itertools

import pytest

from priscian.lexicon import load_lexicon
from priscian.paradigms import generate

# Whatever could license *ever* or make a positive idiom with it (*only ever*, *hardly ever*).
LICENSORS = frozenset(
    {"not", "no", "nobody", "nothing", "never", "neither", "few", "fewer", "little", "than"}
    | {"every", "each", "all", "most", "any", "only", "first", "last", "if", "whether"}
    | {"hardly", "barely", "scarcely", "rarely", "seldom", "without", "before"}
)
PLAIN = (
    "matrix_question_npi_licensor_present",
    "npi_present_1",
    "npi_present_2",
    "only_npi_licensor_present",
    "sentential_negation_npi_licensor_present",
)
SCOPE = {"only_npi_scope": "only", "sentential_negation_npi_scope": "not"}


def words(side):
    return [text.lower() for text in side.texts]


@pytest.mark.parametrize("uid", PLAIN)
def test_no_licensor_hides_in_a_bad_sentence(uid):
    for pair in generate(uid, 300, 21):
        bad = words(pair.bad)
        assert bad.count("ever") == 1
        assert not LICENSORS & set(bad), pair.bad.text
        assert not any(word.endswith("n't") for word in bad), pair.bad.text


@pytest.mark.parametrize(("uid", "licensor"), SCOPE.items())
def test_the_licensor_of_a_bad_sentence_is_shut_in_the_relative_clause(uid, licensor):
    for pair in generate(uid, 300, 21):
        good, bad = words(pair.good), words(pair.bad)
        relative = min(bad.index(word, 1) for word in ("who", "that") if word in bad[1:])
        assert LICENSORS & set(bad) == {licensor}, pair.bad.text
        assert relative < bad.index(licensor) < bad.index("ever") - 1, pair.bad.text
        assert good[: good.index("ever")].count(licensor) == 1
        if licensor == "only":
            assert good[0] == "only"
        else:
            assert good[good.index("ever") - 1] == "not"


def test_the_question_is_turned_into_a_statement():
    for pair in generate("matrix_question_npi_licensor_present", 200, 21):
        assert pair.good.end == "?"
        assert pair.bad.end == "."
        assert words(pair.good)[0] in words(pair.bad)[1:]


def test_ever_is_replaced_by_an_adverb_that_needs_no_licensor():
    for uid in ("npi_present_1", "npi_present_2"):
        adverbs = set()
        for pair in generate(uid, 200, 21):
            good, bad = words(pair.good), words(pair.bad)
            (at,) = (i for i, word in enumerate(bad) if word == "ever")
            adverbs.add(good[at])
            assert (good[0] == "even") == (uid == "npi_present_1")
        assert len(adverbs) >= 10
        assert not LICENSORS & adverbs


@pytest.mark.parametrize("uid", ["npi_present_1", "npi_present_2"])
def test_the_licit_adverb_says_how_often_or_how_lately(uid):
    """*Even* clashes with *definitely* and *clearly*, as does a small matter."""
    lexicon = load_lexicon()
    fitting = {a.lemma for kind in ("habit", "lately") for a in lexicon.adverbs(kind)}
    for pair in generate(uid, 400, 22):
        (adverb,) = [a for a, b in zip(pair.good.words, pair.bad.words, strict=True) if a != b]
        assert adverb.lemma in fitting, pair.good.text


@pytest.mark.parametrize("uid", [*PLAIN, *SCOPE])
def test_no_word_is_doubled(uid):
    for pair in generate(uid, 300, 23):
        for side in (words(pair.good), words(pair.bad)):
            assert all(a != b for a, b in itertools.pairwise(side)), side
