"""What makes a gap a gap, a cleft a cleft, and a degree word the only licensor of its clause."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from priscian.grammar import Grammar
from priscian.lexicon import load_lexicon
from priscian.suites import generate_suite, read_rows, words
from priscian.suites.rows import human, phrase

LEXICON = load_lexicon()
GRAMMAR = Grammar(LEXICON, 1)
GAP_AT = {"fgd_subject": 2, "fgd_object": 4, "fgd_pp": 6}
CELLS = {
    "gaps": ("subjects", "objects", "third", "ends"),
    "cleft": ("subjects", "first", "second", "objects"),
    "degree": ("subjects", "adjectives", "modifiers", "infinitives", "results"),
}


@cache
def items(name):
    """Condition name to region contents, for each item of seed 1."""
    return [
        {c["condition_name"]: [r["content"] for r in c["regions"]] for c in item["conditions"]}
        for item in generate_suite(name, 100, 1)["items"]
    ]


def cells(table, column):
    return [part for row in read_rows(table, column) for part in row.parts(column, ",")]


def is_human(text):
    return human(GRAMMAR, words(GRAMMAR, text.removeprefix("-")))


@pytest.mark.parametrize("name", GAP_AT)
def test_a_gap_is_one_missing_region_and_nothing_else(name):
    at = GAP_AT[name]
    for item in items(name):
        for comp in ("what", "that"):
            whole, holed = item[f"{comp}_nogap"], item[f"{comp}_gap"]
            assert whole[at]
            assert holed == [*whole[:at], "", *whole[at + 1 :]]
        assert item["that_gap"][1] == "that"
        assert item["what_gap"][2:] == item["that_gap"][2:]


@pytest.mark.parametrize("name", GAP_AT)
def test_who_asks_for_people_and_what_for_things(name):
    at, asked = GAP_AT[name], set()
    for item in items(name):
        wh, *_ = item["what_nogap"][1:]
        assert wh == ("who" if is_human(item["what_nogap"][at]) else "what")
        asked.add(wh)
    assert asked == ({"who"} if name == "fgd_subject" else {"who", "what"})


@pytest.mark.parametrize("text", ["bank clerk", "newlyweds", "old friend", "glass of brandy"])
def test_the_head_of_a_phrase_decides(text):
    assert is_human(text) == (text != "glass of brandy")
    assert not is_human("customer records")


def test_whoever_does_something_is_a_person():
    assert [text for text in cells("gaps", "subjects") if not is_human(text)] == []


def test_the_verbs_before_a_gap_need_their_object():
    # An object can be left out, or becomes the subject: no gap would be felt.
    optional = {
        "eat", "read", "write", "cook", "bake", "paint", "steal", "sing", "drive", "clean", "wash",
        "sell", "report", "explain", "deliver", "break", "open", "roll", "drop", "park", "return",
        "load", "move", "transform", "insure", "share", "import", "help", "win", "study",
    }  # fmt: skip
    # A recipient may follow: *what she gave the nurse*.
    dative = {"give", "hand", "send", "show", "lend", "offer", "teach", "tell", "pay", "mail"}
    assert not set(cells("gaps", "verb")) & (optional | dative)


def test_no_preposition_before_a_gap_is_an_adverb_and_no_end_its_complement():
    adverbs = {"on", "in", "behind", "under", "inside", "outside", "near", "over", "off", "by"}
    assert not set(cells("gaps", "prep")) & adverbs
    # *for before lunch*, *with last week* would fill the gap.
    for end in cells("gaps", "ends"):
        assert end.split()[0] in {"at", "in", "on", "during"}, end


@pytest.mark.parametrize(("name", "depth"), [("fgd-embed3", 3), ("fgd-embed4", 4)])
def test_clauses_are_embedded_without_that(name, depth):
    said = {row["text"] for row in read_rows("frames", "kind", "text") if row["kind"] == "says"}
    for item in items(name):
        embedding = item["what_gap"][2]
        assert " that " not in f" {embedding} "
        assert sum(f" {verb} " in f" {embedding} " for verb in said) == depth, embedding
        assert item["what_gap"][5] == item["that_gap"][5] == ""


def test_a_filler_in_the_subject_is_there_for_both_gaps():
    for item in items("fgd_hierarchy"):
        for comp in ("what", "that"):
            whole = item[f"{comp}_nogap"]
            assert item[f"{comp}_subjgap"] == [*whole[:4], "", *whole[5:]]
            assert item[f"{comp}_matrixgap"] == [*whole[:7], "", whole[8]]


def test_a_cleft_crosses_two_verbs_with_two_categories():
    pasts = {verb.past_sg.text: verb.lemma for verb in LEXICON.all_verbs}
    for item in items("cleft"):
        did, other = item["np_mismatch"][2], item["np_match"][2]
        assert did == item["vp_match"][2] == "did"
        assert other == item["vp_mismatch"][2]
        assert pasts[other] != item["vp_match"][4]
        assert item["np_match"][4] == ""
        assert len({contents[5] for contents in item.values()}) == 1


def test_no_first_verb_of_a_cleft_may_have_a_verb_as_its_complement():
    taking = {"see", "hear", "watch", "feel", "want", "need", "like", "try", "help", "order", "do"}
    assert not set(cells("cleft", "first")) & taking


def test_nothing_but_the_degree_word_licenses_the_clause():
    # These take a clause or an infinitive themselves: *so proud to serve*, *too sure that*.
    taking = {
        "happy", "glad", "sad", "sure", "certain", "afraid", "scared", "proud", "eager", "ready",
        "hard", "easy", "difficult", "nice", "dangerous", "expensive", "slow", "quick", "lucky",
        "nervous", "excited", "angry", "surprised", "ashamed", "kind", "brave", "stupid",
        "careless",
    }  # fmt: skip
    assert not set(cells("degree", "adjectives")) & taking
    # Only *too* would license *any*.
    assert not any(" any " in f" {text} " for text in cells("degree", "infinitives"))
    for item in items("degree_complement"):
        for degree, clause in product(("so", "too"), ("that", "to")):
            contents = item[f"{degree}_{clause}"]
            assert contents[2] == degree
            assert contents[5].split()[0] == clause
        assert item["so_that"][3:] == item["too_that"][3:]
        assert item["so_to"][3:] == item["too_to"][3:]


@pytest.mark.parametrize(("table", "columns"), CELLS.items())
def test_every_cell_has_something_in_it(table, columns):
    for row in read_rows(table, *columns):
        for column in columns:
            assert row.parts(column, ","), (table, row.line, column)


def test_a_phrase_has_the_article_its_cell_asks_for():
    rows = {row["verb"]: row for row in read_rows("gaps", "verb", "third")}

    def first(verb):
        GRAMMAR.begin()
        return phrase(GRAMMAR, rows[verb], "third")[0].text

    assert first("attach") == "the"
    assert first("smash") == "a"
    assert first("sprinkle") not in ("the", "a")


def test_no_second_degree_word_stands_before_the_clause():
    licensors = {"so", "such", "too", "enough", "that"}
    before = [*cells("degree", "modifiers"), *cells("degree", "adjectives")]
    assert [text for text in before if licensors & set(text.split())] == []
