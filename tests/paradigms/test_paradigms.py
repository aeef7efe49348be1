"""What is true of every paradigm: metadata, docstring examples, and sound sentences."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from priscian.lexicon import load_lexicon, takes_an
from priscian.paradigms import Exchange, Reordering, SpanSubstitution, generate, paradigms

PARADIGMS = paradigms()
OFFICIAL = Path(__file__).parents[3] / "shared" / "spec" / "blimp" / "paradigms.json"
LEXICON = load_lexicon()


@pytest.fixture(scope="module")
def official():
    if not OFFICIAL.exists():
        pytest.skip("needs ../shared")
    return {row["UID"]: row for row in json.loads(OFFICIAL.read_text(encoding="utf-8"))}


@pytest.mark.shared
@pytest.mark.parametrize("uid", [uid for uid, p in PARADIGMS.items() if not p.extra])
def test_metadata_are_those_of_blimp(uid, official):
    paradigm, row = PARADIGMS[uid], official[uid]
    assert paradigm.field == row["field"].replace("/", "_")
    assert paradigm.phenomenon == row["phenomenon"]
    assert (paradigm.prefix == "one") == row["one_prefix_method"]
    assert (paradigm.prefix == "two") == row["two_prefix_method"]
    assert paradigm.lexically_identical == row["lexically_identical"]


@pytest.mark.parametrize("uid", list(PARADIGMS))
def test_the_example_shows_the_kind_of_edit_in_words_of_the_lexicon(uid):
    paradigm = PARADIGMS[uid]
    good, bad = (
        re.findall(r"[\w'-]+", example.lower())
        for example in (paradigm.good_example, paradigm.bad_example)
    )
    assert len(good) == len(bad)
    changed = [(a, b) for a, b in zip(good, bad, strict=True) if a != b]
    match paradigm.edit:
        case Reordering(what=what):
            assert changed
            assert len(set(good) ^ set(bad)) <= 2 * bool(what)
        case Exchange():
            assert changed
        case SpanSubstitution(words=words):
            assert 0 < len(changed) <= words
        case _:
            assert len(changed) == paradigm.edit.words
    for word in {*good, *bad}:
        stem = re.sub(r"'s?$", "", word)
        assert word in LEXICON.words or stem in LEXICON.words, f"{word} is not in the lexicon"


@pytest.mark.parametrize("uid", list(PARADIGMS))
def test_sentences_are_well_made(uid):
    for pair in generate(uid, 60, 11):
        for side in (pair.good, pair.bad):
            assert re.fullmatch(r"[A-Z][A-Za-z' -]*[.?]", side.text), side.text
            for article, word in zip(side.texts, side.texts[1:], strict=False):
                if article.lower() in ("a", "an"):
                    assert (article.lower() == "an") == takes_an(word), side.text


@pytest.mark.parametrize("uid", list(PARADIGMS))
def test_every_word_is_in_the_lexicon(uid):
    for pair in generate(uid, 60, 12):
        for side in (pair.good, pair.bad):
            for text in side.texts:
                stem = re.sub(r"'s?$", "", text.lower())
                assert {text.lower(), stem} & LEXICON.words or text == "an", text
