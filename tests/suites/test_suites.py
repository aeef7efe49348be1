"""What must hold of every suite of ours: structure, variety, pairing, originality."""

from __future__ import annotations

import json
import re
from itertools import combinations, pairwise

import pytest
from tests.suites.thousand import LEXICON
from tests.suites.thousand import file_of as made

from priscian.datasets.generation import generate
from priscian.errors import GrammarError, UnknownNameError, UsageError
from priscian.formulas import parse_formula
from priscian.grammar import Grammar, Reject, Word
from priscian.suites import Suite, find, generate_suite, suites
from priscian.suites.checks import content
from priscian.suites.generate import _draw_items
from priscian.suites.text import read_rows

NAMES = list(suites())
MODIFIED = [name for name, suite in suites().items() if suite.stem != name]


def sentences(item):
    """Condition name to the contents of its regions."""
    return {
        condition["condition_name"]: [region["content"] for region in condition["regions"]]
        for condition in item["conditions"]
    }


def joined(contents):
    return re.sub(r" ([.,])", r"\1", " ".join(text for text in contents if text))


@pytest.mark.parametrize("name", NAMES)
def test_every_item_has_all_conditions_and_regions(name):
    suite, file = find(name), made(name)
    assert [item["item_number"] for item in file["items"]] == list(range(1, 101))
    assert file["meta"]["name"] == name
    assert file["meta"]["metric"] == "sum"
    places = list(range(1, len(suite.regions) + 1))
    assert list(file["region_meta"]) == [str(place) for place in places]
    for item in file["items"]:
        assert set(sentences(item)) >= set(suite.conditions)
        for condition in item["conditions"]:
            assert [region["region_number"] for region in condition["regions"]] == places


@pytest.mark.parametrize("name", NAMES)
def test_contents_are_clean_text(name):
    for item in made(name)["items"]:
        for contents in sentences(item).values():
            text = " ".join(part for part in contents if part)
            assert text[0].isupper()
            assert "{" not in text
            for part in contents:
                assert part == " ".join(part.split())
            for article, word in pairwise(text.split()):
                if article.lower() in ("a", "an"):
                    assert word.isalpha()


@pytest.mark.parametrize("name", NAMES)
def test_conditions_of_an_item_differ(name):
    for item in made(name)["items"]:
        texts = [tuple(contents) for contents in sentences(item).values()]
        assert len(set(texts)) == len(texts), item


@pytest.mark.parametrize("name", NAMES)
def test_items_share_at_most_half_of_their_content(name):
    items = _draw_items(find(name), 100, 1, None)
    texts = [list(sentences(item).values()) for item in made(name)["items"]]
    for item, written in zip(items, texts, strict=True):
        assert sum(map(len, item.values())) == sum(map(len, written))
    lemmas = [content(item) for item in items]
    assert min(map(len, lemmas)) >= 3
    for one, other in combinations(lemmas, 2):
        assert 2 * len(one & other) <= min(len(one), len(other)), (one, other)


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_gives_the_same_items_and_another_others(name):
    file = generate_suite(name, 10, 5)
    assert file == generate_suite(name, 10, 5)
    assert file["items"] == generate_suite(name, 20, 5)["items"][:10]
    first = {str(item["conditions"]) for item in file["items"]}
    second = {str(item["conditions"]) for item in generate_suite(name, 10, 6)["items"]}
    assert len(first & second) < 5  # the scenes are the same, so an item may come again by chance


@pytest.mark.parametrize("name", MODIFIED)
def test_modified_items_pair_with_the_plain_ones_by_number(name):
    plain = find(find(name).stem).name
    for item, base in zip(made(name)["items"], made(plain)["items"], strict=True):
        long, short = sentences(item), sentences(base)
        assert long.keys() == short.keys()
        for condition, contents in short.items():
            rest = iter(long[condition])
            assert all(part in rest for part in contents), (contents, long[condition])
            assert len(long[condition]) > len(contents)


@pytest.mark.shared
@pytest.mark.parametrize("name", NAMES)
def test_structure_is_that_of_the_official_suite(name, shared):
    facts = json.loads((shared / "spec/syntaxgym/suites.json").read_text())["suites"]
    official = {fact["name"]: fact for fact in facts}.get(name)
    if official is None:
        pytest.skip("a suite that is ours alone")
    suite, file = find(name), made(name)
    assert suite.circuit == official["circuit"]
    assert set(sentences(file["items"][0])) == set(official["conditions"])
    assert len(suite.regions) == official["n_regions"]
    assert list(suite.predictions) == official["formulas_paren"]


@pytest.mark.shared
def test_no_official_sentence_is_among_ours(shared):
    theirs = {
        joined(contents).lower().rstrip(".")
        for path in (shared / "data/syntaxgym/suites").glob("*.json")
        for item in json.loads(path.read_text())["items"]
        for contents in sentences(item).values()
    }
    assert len(theirs) > 1000
    for name in NAMES:
        for item in made(name)["items"]:
            for contents in sentences(item).values():
                assert joined(contents).lower().rstrip(".") not in theirs


def test_an_unknown_suite_suggests_the_nearest():
    with pytest.raises(UnknownNameError, match="number_orc"):
        find("number_ork")
    with pytest.raises(UsageError, match="asks for no items"):
        generate_suite("number_orc", 0)


def toy(draw):
    return Suite("toy", "None", ("a", "b"), ("(2;%x%)<(2;%y%)",), draw, "toy")


def test_a_suite_that_runs_dry_says_so():
    words = [Word(text, text, "noun.sg") for text in ("cat", "dog")]

    def draw(g: Grammar):
        word = g.choose(words)
        return {"x": [word, "sat"], "y": [word, "sits"]}

    with pytest.raises(GrammarError, match="only 2 items that differ enough"):
        generate_suite(toy(draw), 3)


def test_a_suite_that_never_finds_an_item_ends():
    def draw(g: Grammar):
        raise Reject

    with pytest.raises(GrammarError, match="only 0 items"):
        generate_suite(toy(draw), 1)


def test_a_missing_condition_or_region_is_named():
    with pytest.raises(GrammarError, match="no condition 'y'"):
        generate_suite(toy(lambda g: {"x": ["a", "b"]}), 1)
    with pytest.raises(GrammarError, match="toy, y: 1 regions; expected 2"):
        generate_suite(toy(lambda g: {"x": ["a", "b"], "y": ["a"]}), 1)


def test_articles_suit_the_next_region():
    file = generate_suite(toy(lambda g: {"x": ["a", "apple"], "y": ["a", "pear"]}), 1)
    assert sentences(file["items"][0]) == {"x": ["An", "apple"], "y": ["A", "pear"]}


def test_files_are_written_once(tmp_path):
    folder = tmp_path / "sg"
    made = generate("sg", seed=2, n=3, only=["number_orc", "subordination_src-src"], out=folder)
    assert [path.name for path in made.files] == ["number_orc.json", "subordination_src-src.json"]
    assert json.loads(made.files[0].read_text()) == generate_suite("number_orc", 3, 2)
    assert json.loads((folder / "manifest.json").read_text())["items_per_suite"] == 3
    with pytest.raises(Exception, match="not empty"):
        generate("sg", seed=2, n=3, out=folder)


# ---------------------------------------------------------------- what makes the contrasts hold


@pytest.mark.parametrize("name", ["number_orc", "number_prep", "number_src"])
def test_agreement_shows_on_the_verb_and_in_no_past(name):
    pasts = {verb.past_sg.text for verb in LEXICON.all_verbs}
    at = find(name).regions.index("matrix_v")
    for item in made(name)["items"]:
        found = sentences(item)
        one, many = found["match_sing"][at], found["match_plural"][at]
        assert one != many
        assert found["mismatch_sing"][at] == many
        assert found["mismatch_plural"][at] == one
        assert many not in pasts


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("reflexive")])
def test_antecedents_have_the_gender_of_the_reflexive(name):
    gender = "m" if name.endswith("masc") else "f"
    genders = {noun.singular.text: noun.gender for noun in LEXICON.all_nouns if noun.singular}
    genders |= {row["noun"]: row["gender"] for row in read_rows("gendered", "noun", "gender")}
    at = next(i for i, region in enumerate(find(name).regions) if region in ("embed_np", "prep_np"))
    for item in made(name)["items"]:
        found = sentences(item)
        assert genders[found["match_sing"][1]] == gender
        # A distractor of the other gender, or of none, would compete less.
        assert genders[found["match_plural"][at]] == gender
        assert found["match_sing"][-1] == {"m": "himself", "f": "herself"}[gender]


def test_no_verb_that_agrees_is_spelt_like_a_preposition_or_an_adverb():
    """*The captain that the guards ignored like …*, *… that the reporters interviewed live …*"""
    for table in ("habits", "states"):
        assert not {row["verb"] for row in read_rows(table, "verb")} & {"like", "live"}


@pytest.mark.parametrize(
    "name", ["number_orc", "number_src", "reflexive_src_fem", "reflexive_src_masc"]
)
def test_no_clause_may_begin_after_the_embedded_verb(name):
    """*feared the cooks hurt themselves*, *the captain that the veterans recommended own …*"""
    takes = {
        "advise", "call", "describe", "fear", "help", "know", "mention", "notice", "overhear",
        "question", "recognize", "recommend", "remember", "trust", "understand", "warn", "watch",
    }  # fmt: skip
    verbs = {verb.lemma: verb for verb in LEXICON.all_verbs}
    forms = {verbs[lemma].past_sg.text for lemma in takes}
    assert {"watched", "feared", "mentioned", "recommended"} <= forms
    at = find(name).regions.index("embed_vp")
    assert not {sentences(item)["match_sing"][at] for item in made(name)["items"]} & forms


def before_any():
    rows = read_rows("polarity", "any")
    return {part.split()[0] for row in rows for part in row.parts("any", ",")}


def test_no_verb_before_any_licenses_it_by_itself():
    negative = {"deny", "doubt", "refuse", "lack", "avoid", "prevent", "forbid", "reject", "resist"}
    assert not before_any() & negative


def test_no_verb_before_any_makes_it_free_choice():
    """*She answered any questions from the audience* is good without a negation."""
    choosing = {"accept", "answer", "consider", "solve", "take", "treat", "welcome"}
    assert not before_any() & choosing


def test_what_is_done_to_oneself_needs_no_more_words():
    """*convinced himself* of what, *expressed himself* how?"""
    cells = ("orc_acts", "src_acts", "prep_acts")
    for sex in ("fem", "masc"):
        for row in read_rows(f"reflexives_{sex}", *cells):
            acts = {act for cell in cells for act in row.parts(cell, ",")}
            assert not acts & {"convinced", "described", "expressed", "distanced", "taught"}


@pytest.mark.parametrize("table", ["clauses", "habits", "states", "subordinate_objects"])
def test_no_subject_echoes_its_verb(table):
    """Not *the inspector inspected the cellar*."""
    for row in read_rows(table, "verb", "subjects"):
        if row["verb"] != "be":
            stem = row["verb"].removesuffix("e")
            assert not any(noun.startswith(stem) for noun in row.parts("subjects", ",")), stem


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("subordination")])
def test_a_subordinate_clause_is_no_sentence(name):
    """*Once the critic photographed the painting.* is one."""
    adverbs = {"Now", "Once", "So", "Then", "Though"}
    for seed in (1, 2):
        for item in made(name, seed)["items"]:
            assert sentences(item)["sub_no-matrix"][0].split()[0] not in adverbs


def test_no_modifier_of_a_degree_takes_the_clause_that_completes_it():
    """Not *too ill after the news that …*, *so old without the lens to …*, *so dim for him to …*"""
    last = {
        "afterward", "end", "first", "long", "morning", "night", "then", "week", "while", "year",
        "yesterday",
    }  # fmt: skip
    for row in read_rows("degree", "modifiers"):
        for modifier in row.parts("modifiers", ","):
            words = modifier.split()
            assert words[-1] in last, modifier
            assert words[0] not in {"for", "with", "without"}, modifier


def test_every_person_and_verb_of_the_tables_is_in_the_lexicon():
    nouns = {noun.lemma for noun in LEXICON.all_nouns}
    verbs = {verb.lemma for verb in LEXICON.all_verbs} | {"be", "have"}
    for table in ("habits", "states"):
        for row in read_rows(table, "verb", "subjects"):
            assert row["verb"] in verbs, (table, row["verb"])
            assert set(row.parts("subjects", ",")) <= nouns, (table, row["verb"])
    people = nouns | {row["noun"] for row in read_rows("gendered", "noun")}
    pasts = {verb.past_sg.text for verb in LEXICON.all_verbs}
    for sex in ("fem", "masc"):
        for row in read_rows(f"reflexives_{sex}", "heads", "others", "orc", "src"):
            assert {*row.parts("heads", ","), *row.parts("others", ",")} <= people
            assert {*row.parts("orc", ","), *row.parts("src", ",")} <= pasts
    for row in read_rows("polarity", "subjects", "others", "orc", "src", "any", "ever"):
        assert {*row.parts("subjects", ","), *row.parts("others", ",")} <= nouns
        cells = (part for cell in ("orc", "src", "any", "ever") for part in row.parts(cell, ","))
        assert {part.split()[0] for part in cells} <= verbs
    assert {row["verb"] for row in read_rows("clauses", "verb")} <= verbs


@pytest.mark.parametrize("name", NAMES)
def test_the_formulas_parse(name):
    for prediction in find(name).predictions:
        parse_formula(prediction)
