"""Gross syntactic state: clauses about one scene, and modifiers that belong to their nouns."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.suites.thousand import LEXICON, content, sentences, thousand, words

from priscian.suites import read_rows

# The plain suite is these without the modifiers.
SUITES = [
    "subordination_orc-orc",
    "subordination_pp-pp",
    pytest.param("subordination_src-src", marks=pytest.mark.slow),
]
ROWS = read_rows("clauses", "subjects", "verb", "objects", "mains")
PEOPLE = {
    form.text
    for noun in LEXICON.all_nouns
    if noun.person
    for form in (noun.singular, noun.plural)
    if form
}
PLURALS = {
    noun.plural.text for noun in LEXICON.all_nouns if noun.plural and noun.plural != noun.singular
}
# *hid the letter from the embassy*, *stole the wallet from the store*: the verb takes the phrase.
MOVING = {"borrow", "buy", "find", "forget", "hide", "lose", "sell", "steal"}
KINDS = ("pp", "src", "orc")


def cells(row, *columns):
    for column in columns:
        yield from row.parts(column, "," if column in ("subjects", "objects") else "/")


def test_no_modifier_of_an_object_is_the_complement_of_the_verb():
    for item in thousand("subordination_pp-pp"):
        contents = item["sub_matrix"]
        if words(contents[2])[0].lemma in MOVING:
            assert not contents[3].startswith("from "), contents


@pytest.mark.parametrize("name", SUITES)
def test_all_of_a_sentence_comes_from_one_scene(name):
    """Not *As the housekeeper ironed the uniform, the magicians swam in the lake*."""
    kind = name[-3:].strip("-")
    scenes = {
        (subject, does): row
        for row in ROWS
        for subject in row.parts("subjects", ",")
        for does in [row["verb"]]
    }
    shared = Counter(
        (subject, row["verb"]) for row in ROWS for subject in row.parts("subjects", ",")
    )
    for item in thousand(name):
        _, of_subject, predicate, of_object, _ = item["sub_matrix"]
        subject = item["no-sub_matrix"][0].removeprefix("The ")
        key = subject, words(predicate)[0].lemma
        if shared[key] > 1:
            continue
        row = scenes[key]
        assert of_subject in row.parts(f"of_subject_{kind}", "/")
        assert of_object in row.parts(f"of_object_{kind}", "/")
        assert predicate.split(" ", 2)[2] in row.parts("objects", ",")
        main = item["sub_matrix"][-1].removeprefix(", ").removesuffix(" .")
        assert main in row.parts("mains", "/")


@pytest.mark.parametrize("name", SUITES)
def test_no_content_word_comes_twice(name):
    for _, contents in sentences(name):
        assert max(Counter(content(" ".join(contents))).values()) == 1, contents


@pytest.mark.parametrize("name", SUITES)
def test_subjects_and_clauses_are_spread(name):
    for at, share in ((0, 0.05), (-1, 0.06)):
        counts = Counter(item["sub_matrix"][at].split(" ", 1)[1] for item in thousand(name))
        assert max(counts.values()) <= share * counts.total(), counts.most_common(3)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.line} {row['verb']}")
def test_every_modifier_has_the_form_of_its_column(row):
    for cell in cells(row, "of_subject_src", "of_subject_orc"):
        assert cell.startswith("who "), cell
    human = all(part in PEOPLE for part in row.parts("objects", ","))
    for cell in cells(row, "of_object_src", "of_object_orc"):
        assert cell.startswith("who " if human else "that "), cell
    for host in ("subject", "object"):
        for cell in cells(row, f"of_{host}_pp"):
            assert words(cell)[0].category == "func", cell
            assert not {"who", "that"} & set(cell.split()), cell
        for kind in KINDS:
            assert len(row.parts(f"of_{host}_{kind}", "/")) >= 2


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.line} {row['verb']}")
def test_modifiers_agree_with_every_noun_beside_them(row):
    """*documents that was secret*, *the cook who were tired*."""
    for host, nouns in (("subject", "subjects"), ("object", "objects")):
        several = {part.split()[-1] in PLURALS for part in row.parts(nouns, ",")}
        for cell in cells(row, f"of_{host}_src"):
            is_or_are = cell.split()[1]
            if is_or_are in ("was", "were"):
                assert several == {is_or_are == "were"}, cell


def test_every_alternative_of_a_scene_is_different():
    for row in ROWS:
        for column, cell in row.cells.items():
            parts = row.parts(column, "/" if "/" in cell else ",")
            assert len(set(parts)) == len(parts), (row.line, column)
            assert column == "verb" or len(parts) >= 2 or column == "conjunctions", row.line


def test_there_are_scenes_enough():
    assert len(ROWS) >= 110
    assert len({row["verb"] for row in ROWS}) >= 70


def test_no_modifier_of_a_subject_says_there_of_a_place_not_yet_named():
    """*the captain who had never been there before studied the map of the islands*"""
    for row in read_rows("clauses", "of_subject_src", "of_subject_orc"):
        for cell in cells(row, "of_subject_src", "of_subject_orc"):
            assert "there" not in cell.split(), cell


def test_nothing_is_so_of_a_quality():
    """*that smelled so sweet* goes on with a clause of result, as after no subordinate clause."""
    columns = [f"of_{host}_{kind}" for host in ("subject", "object") for kind in KINDS]
    for row in read_rows("clauses", "mains", *columns):
        for cell in cells(row, "mains", *columns):
            assert "so" not in cell.split(), (row.line, cell)
