"""English inflection: rules, tables and the indefinite article."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.lexicon import Morphology, load_lexicon, possessive, surname_plural, takes_an

FORMS = load_lexicon().morphology


@pytest.mark.parametrize(
    ("lemma", "plural"),
    [
        ("cat", "cats"),
        ("city", "cities"),
        ("boy", "boys"),
        ("box", "boxes"),
        ("church", "churches"),
        ("bush", "bushes"),
        ("boss", "bosses"),
        ("quiz", "quizzes"),
        ("potato", "potatoes"),
        ("photo", "photos"),
        ("studio", "studios"),
        ("stomach", "stomachs"),
        ("child", "children"),
        ("woman", "women"),
        ("policewoman", "policewomen"),
        ("human", "humans"),
        ("knife", "knives"),
        ("roof", "roofs"),
        ("mouse", "mice"),
        ("goose", "geese"),
        ("mongoose", "mongooses"),
        ("sheep", "sheep"),
        ("crisis", "crises"),
    ],
)
def test_plurals(lemma, plural):
    assert FORMS.plural(lemma) == plural


@pytest.mark.parametrize(
    ("lemma", "third", "past", "participle", "gerund"),
    [
        ("walk", "walks", "walked", "walked", "walking"),
        ("bake", "bakes", "baked", "baked", "baking"),
        ("agree", "agrees", "agreed", "agreed", "agreeing"),
        ("dye", "dyes", "dyed", "dyed", "dyeing"),
        ("die", "dies", "died", "died", "dying"),
        ("try", "tries", "tried", "tried", "trying"),
        ("annoy", "annoys", "annoyed", "annoyed", "annoying"),
        ("watch", "watches", "watched", "watched", "watching"),
        ("fix", "fixes", "fixed", "fixed", "fixing"),
        ("stop", "stops", "stopped", "stopped", "stopping"),
        ("hug", "hugs", "hugged", "hugged", "hugging"),
        ("open", "opens", "opened", "opened", "opening"),
        ("admit", "admits", "admitted", "admitted", "admitting"),
        ("prefer", "prefers", "preferred", "preferred", "preferring"),
        ("visit", "visits", "visited", "visited", "visiting"),
        ("clean", "cleans", "cleaned", "cleaned", "cleaning"),
        ("quit", "quits", "quit", "quit", "quitting"),
        ("panic", "panics", "panicked", "panicked", "panicking"),
        ("break", "breaks", "broke", "broken", "breaking"),
        ("see", "sees", "saw", "seen", "seeing"),
        ("run", "runs", "ran", "run", "running"),
        ("have", "has", "had", "had", "having"),
        ("snow", "snows", "snowed", "snowed", "snowing"),
    ],
)
def test_verb_forms(lemma, third, past, participle, gerund):
    assert FORMS.third_singular(lemma) == third
    assert FORMS.past(lemma) == past
    assert FORMS.participle(lemma) == participle
    assert FORMS.gerund(lemma) == gerund


def test_doubling_of_longer_verbs_is_a_matter_of_the_table():
    assert Morphology().past("admit") == "admited"
    assert Morphology(doubling=frozenset({"admit"})).past("admit") == "admitted"


@pytest.mark.parametrize(
    "word",
    [
        "apple",
        "hour",
        "honest",
        "heir",
        "honor",
        "herb",
        "umbrella",
        "uncle",
        "MRI",
        "X-ray",
        "unimportant",
        "uninvited",
        "usher",
        "urgent",
        "onerous",
        "eight",
        "eleven",
        "old",
        "hourglass",
        "heiress",
        "unusual",
        "ugly",
        "FBI",
    ],
)
def test_an(word):
    assert takes_an(word)


@pytest.mark.parametrize(
    "word",
    [
        "pear",
        "user",
        "university",
        "European",
        "unicorn",
        "uniform",
        "one",
        "once",
        "useful",
        "utensil",
        "ukulele",
        "euro",
        "ewe",
        "unanimous",
        "house",
        "history",
        "hotel",
        "herbivore",
        "U-turn",
        "UN",
        "yellow",
        "one-way",
        "unit",
    ],
)
def test_a(word):
    assert not takes_an(word)


@pytest.mark.parametrize(
    ("text", "plural", "expected"),
    [
        ("boy", False, "boy's"),
        ("boys", True, "boys'"),
        ("children", True, "children's"),
        ("bosses", True, "bosses'"),
        ("boss", False, "boss's"),
        ("James", False, "James's"),
    ],
)
def test_possessives(text, plural, expected):
    assert possessive(text, plural) == expected


STEMS = st.from_regex(r"[bcdfglmnprst]{1,2}[aeiou]{1,2}[bdgklmnprst]{1,2}e?", fullmatch=True)


@given(STEMS)
def test_regular_forms_keep_the_stem_and_their_endings(lemma):
    forms = Morphology()
    assert forms.past(lemma).endswith("ed")
    assert forms.gerund(lemma).endswith("ing")
    assert forms.third_singular(lemma).startswith(lemma[:-1])
    assert forms.plural(lemma).endswith("s")
    assert "eing" not in forms.gerund(lemma) or lemma.endswith("ee")


@pytest.mark.parametrize(
    ("name", "plural"), [("Carter", "Carters"), ("Jones", "Joneses"), ("Kennedy", "Kennedys")]
)
def test_families(name, plural):
    assert surname_plural(name) == plural
