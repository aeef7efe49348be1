"""Malformed rows are named by file, line, field and what was expected; look-ups obey features."""

from __future__ import annotations

import shutil

import pytest

from priscian.errors import LexiconError
from priscian.lexicon import Lexicon, load_lexicon
from priscian.lexicon.lexicon import DATA


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(DATA, tmp_path / "lexicon")
    for path in (tmp_path / "lexicon").glob("verbs*.tsv"):
        path.unlink()
    for path in (tmp_path / "lexicon").glob("nouns*.tsv"):
        path.unlink()
    write(tmp_path / "lexicon", "noun_classes", "class\tnouns\treason")
    write(tmp_path / "lexicon", "verb_classes", "class\tverbs\treason")
    write(tmp_path / "lexicon", "synonyms", "words")
    write(tmp_path / "lexicon", "nouns", "lemma\tcount\tsorts", "nurse\tcount\tmedic")
    write(tmp_path / "lexicon", "verbs", "lemma\tframes", "hug\ttrans(person, person)")
    return tmp_path / "lexicon"


def write(folder, name, *lines):
    (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def complaint(folder):
    with pytest.raises(LexiconError) as caught:
        Lexicon(folder)
    return str(caught.value)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("nurse\tcount\tmedik", "nouns.tsv:2: field 'sorts': unknown sort 'medik'; did you mean"),
        ("nurse\tcounted\tmedic", "field 'count': 'counted'; expected count, mass, both, plural"),
        ("nurse\tcount\t", "field 'sorts': empty"),
        ("nurse\tcount\tmedic\tx", "nouns.tsv:2: 4 fields; expected 3"),
        ("\tcount\tmedic", "nouns.tsv:2: field 'lemma': empty"),
    ],
)
def test_malformed_nouns(folder, row, expected):
    write(folder, "nouns", "lemma\tcount\tsorts", row)
    assert expected in complaint(folder)


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ("transs(person, food)", "field 'frames': 'transs(person, food)'; expected one of unerg"),
        ("trans(person)", "expected trans(S, O)"),
        ("trans(person, foood)", "unknown sort 'foood'; did you mean food"),
        ("trans(person, food|)", "ends too early"),
        ("pp(person, food)", "expected preposition:selection"),
    ],
)
def test_malformed_verbs(folder, frames, expected):
    write(folder, "verbs", "lemma\tframes", "# a comment", f"taste\t{frames}")
    message = complaint(folder)
    assert message.startswith("verbs.tsv:3: field 'frames'")
    assert expected in message


def test_missing_columns_and_files(folder):
    write(folder, "names", "name\tsort", "Emma\tfirst")
    assert "names.tsv:1: no column kind" in complaint(folder)
    (folder / "names.tsv").unlink()
    assert "names.tsv is missing" in complaint(folder)


def test_not_utf8(folder):
    (folder / "names.tsv").write_bytes(b"name\tkind\nJos\xe9\tfirst\n")
    assert "not UTF-8" in complaint(folder)


def test_lemmas_that_no_table_holds_are_reported_and_harmless(folder):
    write(folder, "verbs", "lemma\tframes", "hug\ttrans(person, =nurse,unicron)")
    lexicon = Lexicon(folder)
    hug = lexicon.all_verbs[0].frames["trans"][0]
    assert [noun.lemma for noun in hug.object.nouns] == ["nurse"]
    assert any(
        str(error) == "verbs.tsv:2: field 'frames': unknown noun 'unicron'; "
        "add it to the nouns or drop it here"
        for error in lexicon.complaints
    )


def test_arguments_are_split_at_comma_and_space(folder):
    write(
        folder,
        "verbs",
        "lemma\tframes",
        "hand\tditrans(person, =nurse,doctor|food, to:=nurse,guest)",
        "pick\tprt(person, up, =tray,box)",
        "open\talt(person, opening)",
        "eat\toptobj(animate, food)",
    )
    hand, pick, opener, eat = Lexicon(folder).all_verbs
    assert hand.frames["ditrans"][0].object.text == "=nurse,doctor|food"
    assert hand.frames["ditrans"][0].preposition.text == "to"
    assert hand.frames["ditrans"][0].goal.text == "=nurse,guest"
    assert pick.frames["prt"][0].particle.text == "up"
    assert opener.frames["inch"][0].subject.text == "opening"
    assert eat.frames["drop"][0].object is None


def test_the_lexicon_is_loaded_once():
    assert load_lexicon() is load_lexicon()


def test_nouns_by_number_and_feature():
    lexicon = load_lexicon()
    anything = lexicon.select("entity")
    assert all(noun.plural for noun in lexicon.nouns(anything, "pl"))
    irregular = lexicon.nouns(anything, "pl", "irregular")
    assert {"child", "woman", "mouse"} <= {noun.lemma for noun in irregular}
    assert all(noun.singular.text != noun.plural.text for noun in irregular)
    assert not any(
        "collective" in noun.flags for noun in lexicon.nouns(anything, None, "controller")
    )
    assert all(noun.gender == "f" for noun in lexicon.nouns(lexicon.select("person"), "sg", "f"))


def test_verbs_by_frame_flag_and_subject():
    lexicon = load_lexicon()
    reflexive = lexicon.predicates("trans", "refl")
    assert len(reflexive) > 30
    assert all("refl" in predicate.flags for predicate in reflexive.entries)
    mild = lexicon.predicates("transitive", "!strict")
    assert not any("strict" in predicate.flags for predicate in mild.entries)
    for predicate in lexicon.predicates("trans", subject="event").entries:
        assert predicate.subject.admits("event")
    for predicate in lexicon.predicates("transitive", "irregular").entries:
        assert predicate.verb.past_sg.text != predicate.verb.participle.text


def test_wrong_frames_and_features_are_refused():
    lexicon = load_lexicon()
    with pytest.raises(LexiconError, match="no frame 'transs'"):
        lexicon.predicates("transs")
    with pytest.raises(LexiconError, match="no noun feature 'odd'"):
        lexicon.nouns(lexicon.select("person"), None, "odd")


def test_every_lemma_that_a_selection_lists_is_a_noun_of_the_lexicon():
    assert [str(error) for error in load_lexicon().complaints] == []


def test_size_of_the_lexicon():
    lexicon = load_lexicon()
    assert len(lexicon.all_nouns) >= 1500
    assert len(lexicon.all_verbs) >= 900
    assert len(lexicon.all_adjectives) >= 450
    assert len(lexicon.all_names) >= 300
    assert sum(noun.irregular for noun in lexicon.all_nouns) >= 100
