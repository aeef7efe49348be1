"""What the rows of garden paths and center embeddings must have for their contrasts to hold."""

from __future__ import annotations

import pytest
from tests.suites.thousand import LEXICON, NEVER_TRANSITIVE
from tests.suites.thousand import hundred as items

from priscian.suites import find
from priscian.suites.garden_path import PASTS
from priscian.suites.text import read_rows

VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}
LEMMAS = {verb.past_sg.text: verb.lemma for verb in LEXICON.all_verbs}
NOUNS = {noun.lemma: noun for noun in LEXICON.all_nouns}
RELATIVES = read_rows(
    "reduced_relatives", "ambiguous", "unambiguous", "contents", "interveners", "mains"
)
SUBORDINATES = read_rows(
    "subordinate_objects", "conjunctions", "verb", "intransitive", "objects", "mains"
)
EMBEDDINGS = read_rows("center_embeddings", "heads", "subjects", "verbs", "ends", "modifiers")
SINGULARS = {noun.singular.text for noun in LEXICON.all_nouns if noun.singular}
PLURALS = {noun.plural.text for noun in LEXICON.all_nouns if noun.plural} - SINGULARS
WITH_OBJECT = {"trans", "optobj", "alt", "ditrans"}
WITHOUT_OBJECT = {"unerg", "unacc", "inch", "drop"}
# With an object now and then, though not in the lexicon: *burped the baby*, *trotted the horse*.
MAY_TAKE_AN_OBJECT = frozenset({
    "bleed", "bolt", "burp", "chime", "crumble", "drip", "fade", "fray", "gallop", "graze", "hatch",
    "melt", "overflow", "ring", "rust", "rustle", "shrink", "sprout", "sweat", "swell", "toll",
    "trot", "vibrate", "wither",
})  # fmt: skip
# Their participles are adjectives that a verb may have after it: *sighed bored*, *growled caged*.
PUT_IN_A_STATE = frozenset({
    "abandon", "alarm", "amuse", "anger", "annoy", "blindfold", "bore", "bury", "cage", "capture",
    "chain", "confuse", "crush", "cure", "delight", "discourage", "disturb", "entertain", "exhaust",
    "fascinate", "frighten", "frustrate", "handcuff", "injure", "irritate", "neglect", "overwhelm",
    "perplex", "please", "relieve", "ruin", "sadden", "scare", "shock", "sicken", "startle",
    "stump", "surprise", "tame", "terrify", "thrill", "torment", "trap", "upset", "wound",
})  # fmt: skip
ALSO_CONJUNCTIONS = {"after", "as", "before", "like", "once", "since", "till", "until"}


def past_is_participle(lemma):
    return VERBS[lemma].past_sg.text == VERBS[lemma].participle.text


def fits(lemma, frames, subject, thing=None):
    """True if the lexicon lets this noun do this, to that noun if one is given."""
    return any(
        subject in use.subject.members and (thing is None or thing in use.object.members)
        for frame in frames
        for use in VERBS[lemma].frames.get(frame, ())
    )


def known(row, column):
    return [NOUNS[lemma] for lemma in row.parts(column, ",") if lemma in NOUNS]


def lemmas_of(row, column):
    """The verbs of a cell that the lexicon knows, which the table has in the past."""
    return [LEMMAS[text] for text in row.parts(column, ",") if text in LEMMAS]


# ---------------------------------------------------------------- main verb or reduced relative


def test_only_the_ambiguous_participle_is_also_a_past():
    for row in RELATIVES:
        assert past_is_participle(row["ambiguous"]), row.cells
        assert not past_is_participle(row["unambiguous"]), row.cells


def test_the_disambiguating_verb_is_no_participle_and_no_mere_copula():
    for row in RELATIVES:
        for main in row.parts("mains", "/"):
            lemma, _, rest = main.partition(" ")
            assert rest, row.cells
            assert lemma in {"become", *NEVER_TRANSITIVE} or not past_is_participle(lemma), (
                row.cells
            )


def test_nothing_in_the_relative_may_begin_a_clause():
    """*The safe opened after the ball was full of gold* has no relative at all."""
    for row in RELATIVES:
        for text in (*row.parts("contents", "/"), *row.parts("interveners", "/")):
            assert not ALSO_CONJUNCTIONS & set(text.split()), row.cells


def test_no_agent_gives_the_reduced_relative_away():
    for contents in (item["reduced_ambig"] for item in items("mvrr_mod")):
        assert "by" not in " ".join(contents[2:5]).split()


def test_relatives_differ_in_the_relative_pronoun_and_the_participle_alone():
    for item in items("mvrr"):
        reduced, full = item["reduced_ambig"], item["unreduced_ambig"]
        who, was, participle = full[2].split()
        assert who in ("who", "that")
        assert was == ("were" if full[1] in PLURALS else "was")
        assert [*full[:2], participle, *full[3:]] == reduced
        assert item["unreduced_unambig"][2] == f"{who} {was} {item['reduced_unambig'][2]}"
        assert item["reduced_unambig"][2] != participle


# ---------------------------------------------------------------- noun phrase or zero


def test_only_the_ambiguous_verb_may_take_an_object():
    for row in SUBORDINATES:
        frames = VERBS[row["verb"]].frames.keys()
        assert WITH_OBJECT & frames, row.cells
        assert {"optobj", "alt", "unerg"} & frames, row.cells
        for lemma in row.parts("intransitive", ","):
            assert not WITH_OBJECT & VERBS[lemma].frames.keys(), row.cells


def test_the_verb_of_the_main_clause_is_no_passive_participle():
    for row in SUBORDINATES:
        for main in row.parts("mains", "/"):
            lemma, _, rest = main.partition(" ")
            assert rest, row.cells
            if lemma not in PASTS:
                assert (
                    not past_is_participle(lemma) or not WITH_OBJECT & VERBS[lemma].frames.keys()
                ), row.cells


def test_the_object_is_indefinite_and_the_conjunction_no_adverb():
    for row in SUBORDINATES:
        assert not any(text.startswith("the ") for text in row.parts("objects", "/")), row.cells
        assert "Once" not in row.parts("conjunctions", ","), row.cells


def test_no_subordinate_verb_takes_the_main_clause_as_its_complement():
    for row in SUBORDINATES:
        for lemma in (row["verb"], *row.parts("intransitive", ",")):
            assert "that" not in VERBS[lemma].frames, row.cells


@pytest.mark.parametrize("name", ["npz_ambig", "npz_obj"])
def test_conditions_differ_in_the_comma_and_the_predicate_alone(name):
    for item in items(name):
        bare, clear, comma, clear_comma = item.values()
        for contents in (bare, clear):
            assert contents[2] == ""
        assert comma == [*bare[:2], ",", *bare[3:]]
        assert clear_comma == [*clear[:2], ",", *clear[3:]]
        assert [clear[0], *clear[2:]] == [bare[0], *bare[2:]]
        if name == "npz_obj":
            assert clear[1].startswith(f"{bare[1]} ")
        else:
            assert clear[1].isalpha()


# ---------------------------------------------------------------- center embedding


def test_the_lexicon_knows_what_fits():
    bread, cook, ship = NOUNS["bread"], NOUNS["cook"], NOUNS["ship"]
    assert fits("eat", WITH_OBJECT, cook, bread)
    assert fits("eat", WITHOUT_OBJECT, cook)
    assert fits("sink", WITHOUT_OBJECT, ship)
    assert not fits("eat", WITHOUT_OBJECT, bread)


def test_either_verb_fits_its_own_noun_alone():
    for row in EMBEDDINGS:
        heads, subjects = known(row, "heads"), known(row, "subjects")
        for end in lemmas_of(row, "ends"):
            assert not any(
                fits(end, WITH_OBJECT, subject, head) for subject in subjects for head in heads
            )
        for lemma in lemmas_of(row, "verbs"):
            assert not any(fits(lemma, WITHOUT_OBJECT, head) for head in heads), row.cells


def test_swapped_verbs_have_no_other_reading():
    for row in EMBEDDINGS:
        assert not MAY_TAKE_AN_OBJECT & set(lemmas_of(row, "ends")), row.cells
        assert not PUT_IN_A_STATE & set(lemmas_of(row, "verbs")), row.cells


def test_verbs_are_swapped_and_nothing_else():
    for item in items("center_embed_mod"):
        plausible, swapped = item["plaus"], item["implaus"]
        assert swapped == [*plausible[:-2], plausible[-1], plausible[-2]]


def test_every_scene_has_modifiers_of_its_own():
    for row in EMBEDDINGS:
        assert len(row.parts("modifiers", ",")) >= 2, row["heads"]


# ---------------------------------------------------------------- all eight


@pytest.mark.parametrize(
    "name", ["mvrr", "mvrr_mod", "npz_ambig", "npz_ambig_mod", "npz_obj", "npz_obj_mod"]
)
def test_every_region_but_the_comma_has_words(name):
    regions = find(name).regions
    for item in items(name):
        for contents in item.values():
            for region, text in zip(regions, contents, strict=True):
                assert text or region == "Comma"


@pytest.mark.parametrize(
    ("name", "noun"), [("mvrr", 1), ("npz_ambig", 3), ("npz_obj", 3)], ids=lambda value: str(value)
)
def test_was_and_were_agree(name, noun):
    at = 4  # both suites have the main verb fifth
    for seed in (1, 2, 3):
        for item in items(name, seed):
            for contents in item.values():
                subject = contents[noun].split()[-1]
                if contents[at] in ("was", "were"):
                    assert (contents[at] == "were") == (subject in PLURALS), contents


@pytest.mark.parametrize("table", ["reduced_relatives", "subordinate_objects", "center_embeddings"])
def test_every_alternative_of_a_row_is_different(table):
    for row in read_rows(table):
        for column, cell in row.cells.items():
            parts = row.parts(column, "/" if "/" in cell else ",")
            assert len(set(parts)) == len(parts), (row.line, column)
