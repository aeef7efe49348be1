"""Classes of words: known members, a reason each, looked up by name, each used somewhere."""

from __future__ import annotations

import ast
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

import priscian
from priscian.errors import LexiconError
from priscian.grammar import Grammar
from priscian.lexicon import Lexicon, load_lexicon
from priscian.lexicon.lexicon import DATA

LEXICON = load_lexicon()
SOURCE = Path(priscian.__file__).parent
VERB_CLASSES = list(LEXICON.verb_classes.by_name)
NOUN_CLASSES = list(LEXICON.noun_classes.by_name)
ADJECTIVE_CLASSES = [entry.name for entry in LEXICON.adjective_classes if entry.words]
ADVERB_CLASSES = [entry.name for entry in LEXICON.adverb_classes if entry.words]


@cache
def words_of_the_code() -> frozenset[str]:
    """Every name inside a string of the packages that make sentences."""
    found: set[str] = set()
    for package in ("lexicon", "grammar", "paradigms", "suites"):
        for path in (SOURCE / package).glob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            docs = {
                id(node.body[0].value)
                for node in ast.walk(tree)
                if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
                and isinstance(node.body[0], ast.Expr)
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found |= set() if id(node) in docs else set(re.findall(r"\w+", node.value))
    for classes in (LEXICON.noun_classes, LEXICON.verb_classes, LEXICON.adjective_classes):
        for entry in classes:
            found |= set(re.findall(r"@(\w+)", entry.words))
    for path in DATA.glob("[nv]*s-*.tsv"):
        found |= set(re.findall(r"@(\w+)", path.read_text(encoding="utf-8")))
    return frozenset(found)


@pytest.mark.parametrize("name", VERB_CLASSES)
def test_a_verb_class_has_members_a_reason_and_a_use(name):
    assert LEXICON.verbs(name)
    assert len(LEXICON.verb_classes.find(name).reason.split()) >= 4
    assert name in words_of_the_code()


@pytest.mark.parametrize("name", NOUN_CLASSES)
def test_a_noun_class_has_members_a_reason_and_a_use(name):
    assert LEXICON.select(f"@{name}").nouns
    assert len(LEXICON.noun_classes.find(name).reason.split()) >= 4
    assert name in words_of_the_code()


@pytest.mark.parametrize("name", ADJECTIVE_CLASSES)
def test_an_adjective_class_has_members_a_reason_and_a_use(name):
    assert any(name in entry.classes for entry in LEXICON.all_adjectives)
    assert name in words_of_the_code() or name.startswith("toil_")


@pytest.mark.parametrize("name", ADVERB_CLASSES)
def test_an_adverb_class_has_members_and_a_use(name):
    assert any(name in entry.classes for entry in LEXICON.all_adverbs)
    assert name in words_of_the_code()


def test_no_word_list_is_left_in_the_code_of_paradigms():
    """Data is data: no literal at the head of a module names more than nine content words."""
    content = {verb.lemma for verb in LEXICON.all_verbs}
    content |= {noun.lemma for noun in LEXICON.all_nouns}
    content |= {adjective.lemma for adjective in LEXICON.all_adjectives}
    content -= LEXICON.function_words | LEXICON.sorts
    for path in (SOURCE / "paradigms").glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                literals = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
                named = {w for text in literals for w in re.findall(r"\w+", str(text))} & content
                assert len(named) <= 9, (path.name, node.lineno, sorted(named))


def test_classes_contain_what_they_name():
    telling = {verb.lemma for verb in LEXICON.verbs("telling")}
    learning = {verb.lemma for verb in LEXICON.verbs("learning")}
    assert "admit" in telling
    assert "suspect" in learning - telling
    assert telling < learning


def test_verbs_are_drawn_by_class():
    grammar = Grammar(seed=4)
    telling = set(LEXICON.verbs("telling"))
    for _ in range(50):
        grammar.begin()
        assert grammar.verb("that", "telling").verb in telling
        assert grammar.verb("that", "!telling").verb not in telling
        either = grammar.verb("trans", "social|stirring")
        assert either.flags & {"social", "stirring"}


def test_evenly_deals_every_verb_of_a_class_before_one_comes_again():
    grammar = Grammar(seed=4)
    pool = LEXICON.predicates("trans", "stirring").by_lemma
    drawn = []
    for _ in pool:
        grammar.begin()
        drawn.append(grammar.verb("trans", "stirring", evenly=True).lemma)
    assert len(set(drawn)) == len(pool)


def test_a_frame_can_be_excluded():
    assert not any("wh" in p.verb.frames for p in LEXICON.predicates("that", also="!wh").entries)


def test_nouns_are_selected_by_class():
    everyday = LEXICON.select("person&@everyday").nouns
    assert {"nurse", "neighbor"} <= {noun.lemma for noun in everyday}
    assert "nomad" not in {noun.lemma for noun in everyday}
    assert not set(everyday) & LEXICON.select("!@everyday").members


@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (lambda: LEXICON.verbs("teling"), "no verb class 'teling'; did you mean telling"),
        (lambda: LEXICON.predicates("that", "!teling"), "did you mean telling"),
        (lambda: LEXICON.predicates("that", "telling|lerning"), "did you mean learning"),
        (lambda: LEXICON.adjectives("pred", "currious"), "no adjective class 'currious'"),
        (lambda: LEXICON.adverbs("habbit"), "no adverb class 'habbit'; did you mean habit"),
        (lambda: LEXICON.select("@evryday"), "no noun class 'evryday'; did you mean everyday"),
    ],
)
def test_unknown_classes_suggest_the_nearest(ask, complaint):
    with pytest.raises(LexiconError) as caught:
        ask()
    assert complaint in str(caught.value)


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(DATA, tmp_path / "lexicon"))


def appended(folder, table, row):
    path = folder / f"{table}.tsv"
    text = path.read_text(encoding="utf-8").rstrip("\n")
    path.write_text(f"{text}\n{row}\n", encoding="utf-8")
    with pytest.raises(LexiconError) as caught:
        Lexicon(folder)
    line = text.count("\n") + 2
    assert str(caught.value).startswith(f"{table}.tsv:{line}: field "), caught.value
    return str(caught.value)


@pytest.mark.parametrize(
    ("table", "row", "complaint"),
    [
        ("verb_classes", "odd\tgreet, unhug\tA test.", "unknown verb 'unhug'"),
        ("synonyms", "phone, unphone", "unknown word 'unphone'"),
        ("verb_classes", "odd\t@oddest\tA test.", "no verb class 'oddest' further up"),
        ("verb_classes", "odd\tgreet\t", "field 'reason': empty"),
        ("verb_classes", "telling\tgreet\tA test.", "'telling' is defined twice"),
        ("adjective_classes", "odd\tpurpel\tA test.", "unknown adjective 'purpel'"),
        ("adverb_classes", "odd\toftener\tA test.", "unknown adverb 'oftener'"),
        ("noun_classes", "odd\t=nurse,unicron\tA test.", "unknown noun 'unicron'"),
        ("noun_classes", "odd\tpersn\tA test.", "unknown sort 'persn'; did you mean person"),
        ("noun_classes", "odd\t@odd\tA test.", "no noun class 'odd'"),
        ("nouns-people", "oddball\tcount\trole\t\t\teverydy", "did you mean everyday"),
        ("verbs-j-z", "zap\ttrans(person, person)\tstrikt", "did you mean strict"),
        ("verbs-j-z", "zap\twh(person)\tthatonly", "'thatonly' and a frame 'wh'"),
        ("adjectives", "oddish\tboth\tperson\tsizes", "did you mean size"),
    ],
)
def test_a_malformed_class_is_refused_with_file_and_line(folder, table, row, complaint):
    assert complaint in appended(folder, table, row)
