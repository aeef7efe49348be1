"""What makes a gap a gap, a cleft a cleft, and a degree word the only licensor of its clause."""

from __future__ import annotations

from itertools import product

import pytest
from tests.suites.thousand import LEXICON
from tests.suites.thousand import hundred as items

from priscian.grammar import Grammar
from priscian.suites import read_rows, words
from priscian.suites.people import human, phrase

GRAMMAR = Grammar(LEXICON, 1)
VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}
GAP_AT = {"fgd_subject": 2, "fgd_object": 4, "fgd_pp": 6}
CELLS = {
    "gaps": ("subjects", "objects", "third", "ends"),
    "cleft": ("subjects", "first", "second", "objects", "modifiers"),
    "degree": ("subjects", "adjectives", "modifiers", "infinitives", "results"),
}


def cells(table, column):
    return [part for row in read_rows(table, column) for part in row.parts(column, ",")]


def is_human(text):
    return human(GRAMMAR, words(GRAMMAR, text.removeprefix("-")))


def is_proper(text):
    """A name: *-Prince Albert*, *-Judge {surname}*."""
    last = words(GRAMMAR, text.removeprefix("-"))[-1]
    return text.startswith("-") and (
        last.category == "name" or last.text in {"{name}", "{man}", "{woman}", "{surname}"}
    )


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
        assert wh == (
            "who" if name == "fgd_subject" or is_human(item["what_nogap"][at]) else "what"
        )
        asked.add(wh)
    assert asked == ({"who"} if name == "fgd_subject" else {"who", "what"})


@pytest.mark.parametrize("text", ["bank clerk", "newlyweds", "old friend", "glass of brandy"])
def test_the_head_of_a_phrase_decides(text):
    assert is_human(text) == (text != "glass of brandy")
    assert not is_human("customer records")


def test_whoever_does_something_is_a_person():
    for text in cells("gaps", "subjects"):
        assert is_human(text) or is_proper(text), text


def test_the_wh_word_suits_either_the_object_or_the_third_phrase():
    # *what he smashed the door with*: the gap may come later, and the object is no surprise.
    for row in read_rows("gaps", "objects", "prep", "third"):
        objects, thirds = ({is_human(t) for t in row.parts(c, ",")} for c in ("objects", "third"))
        assert len(objects) == len(thirds) == 1, row.line
        assert objects != thirds, row.line
        # *what* goes with any instrument, and *what … for* asks for a purpose.
        assert row["prep"] != "with", row.line
        assert row["prep"] != "for" or objects == {True}, row.line


def test_no_gap_makes_a_reduced_relative():
    # *the guard dragged to the exit*: not after a name, or with a past like *mistook*.
    handled = {
        "smuggle", "carry", "transport", "seize", "grab", "yank", "shield", "recapture", "drag",
        "tie", "haul", "hoist", "bury", "describe", "recommend", "assign", "equip", "free",
    }  # fmt: skip
    for row in read_rows("gaps", "verb", "subjects", "objects"):
        verb = VERBS[row["verb"]]
        people = verb.lemma in handled or any(map(is_human, row.parts("objects", ",")))
        if people and verb.past_sg.text == verb.participle.text:
            assert all(map(is_proper, row.parts("subjects", ","))), row.line


def test_the_verbs_before_a_gap_need_their_object():
    # An object can be left out, or becomes the subject: no gap would be felt.
    optional = {
        "eat", "read", "write", "cook", "bake", "paint", "steal", "sing", "drive", "clean", "wash",
        "sell", "report", "explain", "deliver", "break", "open", "roll", "drop", "park", "return",
        "load", "move", "transform", "insure", "share", "import", "help", "win", "study",
        "ship", "transmit", "outsource", "produce", "compensate", "reimburse", "defend", "recruit",
        "borrow", "buy", "inherit", "interview", "flick", "evacuate", "promote", "donate",
        "protect",
    }  # fmt: skip
    # A recipient may follow: *what she gave the nurse*.
    dative = {"give", "hand", "send", "show", "lend", "offer", "teach", "tell", "pay", "mail"}
    # A clause or a fact may be the object: *warned that*, *the fact that he withheld*.
    telling = {
        "mention", "convey", "disclose", "announce", "recommend", "warn", "conceal", "withhold",
        "extort", "coax", "wring", "demand", "request", "discuss", "propose", "exchange",
    }  # fmt: skip
    verbs = set(cells("gaps", "verb"))
    assert not verbs & (optional | dative | telling)
    without = {"unerg", "unacc", "optobj", "alt", "drop", "inch", "that", "wh"}
    for lemma in verbs:
        assert not without & VERBS[lemma].frames.keys(), lemma


def test_no_verb_after_a_subject_gap_is_an_adjective():
    # *that wounded soldier*
    adjectives = {adjective.lemma for adjective in LEXICON.all_adjectives} | {
        "modified", "used", "accused", "convicted", "convinced", "poisoned", "smashed", "sealed",
        "forged", "restored", "buried", "attached", "confined", "exposed", "dedicated", "hired",
    }  # fmt: skip
    assert not {VERBS[lemma].past_sg.text for lemma in cells("gaps", "verb")} & adjectives


def test_no_preposition_before_a_gap_is_an_adverb_and_no_end_its_complement():
    adverbs = {"on", "in", "behind", "under", "inside", "outside", "near", "over", "off", "by"}
    assert not set(cells("gaps", "prep")) & adverbs
    # *for before lunch*, *with last week* would fill the gap.
    for end in cells("gaps", "ends"):
        assert end.split()[0] in {"at", "in", "on", "during"}, end


def frames(kind):
    return {row["text"] for row in read_rows("frames", "kind", "text") if row["kind"] == kind}


def test_nothing_before_that_makes_it_a_relative_pronoun():
    nouns = {
        form.text for noun in LEXICON.all_nouns for form in (noun.singular, noun.plural) if form
    }
    for text in frames("knows"):
        assert text.split()[-1] not in nouns | {"everyone", "everybody", "someone", "somebody"}
    # *the news that he knew that she spread*
    assert {text.split()[-2] for text in frames("content")} == {"fact"}


@pytest.mark.parametrize(("name", "depth"), [("fgd-embed3", 3), ("fgd-embed4", 4)])
def test_clauses_are_embedded_without_that(name, depth):
    said = frames("says")
    # *imagined Emma invited to the ball*
    assert not said & {"imagined", "pictured", "presumed"}
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


def test_no_second_verb_of_a_cleft_completes_it():
    # *what he found was poison*, *was open*, *was read*
    mass = {noun.lemma for noun in LEXICON.all_nouns if not noun.plural} | {
        "drink", "polish", "paint", "feed", "fire", "light", "heat", "land", "pitch", "mail",
        "print", "film", "board", "leave", "refuse", "taste", "wrap", "rent", "copy", "poison",
        "release", "rescue", "mix", "pop", "display", "bandage", "comfort", "cover",
    }  # fmt: skip
    adjectives = {adjective.lemma for adjective in LEXICON.all_adjectives} | {"close", "forward"}
    participles = {verb.participle.text for verb in LEXICON.all_verbs}
    seconds = {text.split()[0] for text in cells("cleft", "second")}
    assert not seconds & (mass | adjectives | participles)


def test_what_was_is_one_thing():
    for text in cells("cleft", "objects"):
        head = words(GRAMMAR, text.split(" of ")[0])[-1]
        assert head.tag != "noun.pl", text


def test_no_modifier_of_a_cleft_begins_as_a_part_of_the_verb():
    # *did not*, *carried on*, *dropped in*, *brought to*
    for text in cells("cleft", "modifiers"):
        assert text.split()[0] not in {"not", "on", "in", "to", "up", "out", "off", "over"}


def test_nothing_but_the_degree_word_licenses_the_clause():
    # These take a clause or an infinitive themselves: *so proud to serve*, *too sure that*.
    taking = {
        "happy", "glad", "sad", "sure", "certain", "afraid", "scared", "proud", "eager", "ready",
        "hard", "easy", "difficult", "nice", "dangerous", "expensive", "slow", "quick", "lucky",
        "nervous", "excited", "angry", "surprised", "ashamed", "kind", "brave", "stupid",
        "careless", "upset", "hungry", "confused", "anxious", "willing", "content",
    }  # fmt: skip
    assert not set(cells("degree", "adjectives")) & taking
    # Only *too* would license *any*.
    assert not any(" any " in f" {text} " for text in cells("degree", "infinitives"))
    for item in items("degree_complement"):
        for degree, clause in product(("so", "too"), ("that", "to")):
            contents = item[f"{degree}_{clause}"]
            assert contents[2] == degree
            assert contents[5] == clause
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

    assert first("badger") == "the"
    assert first("mistake") == "a"
    assert first("introduce") not in ("the", "a")


def test_no_second_degree_word_stands_before_the_clause():
    licensors = {"so", "such", "too", "enough", "that"}
    before = [*cells("degree", "modifiers"), *cells("degree", "adjectives")]
    assert [text for text in before if licensors & set(text.split())] == []
