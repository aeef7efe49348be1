"""No pair shows a defect that was found in BLiMP's own data, in any paradigm."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import pytest

from priscian.grammar import Pair
from priscian.lexicon import Word, load_lexicon
from priscian.paradigms import find, generate, paradigms

PAIRS = 150
SEED = 20_261
UIDS = [p.uid for p in paradigms().values()]
NUMERALS = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "twenty",
    "thirty",
    "fifty",
]
PLURAL = {*NUMERALS, "many", "several", "few", "both", "these", "those", "most", "all"}
BY_DESIGN = {"that that", "at at", "by by"}


@cache
def pairs(uid: str) -> tuple[Pair, ...]:
    return tuple(generate(uid, PAIRS, SEED))


def goods(uid: str) -> Iterator[tuple[Word, ...]]:
    for pair in pairs(uid):
        yield tuple(pair.good.words)


def text(words: tuple[Word, ...]) -> str:
    return " ".join(word.text for word in words)


@pytest.mark.parametrize("uid", UIDS)
def test_a_plural_determiner_never_has_a_singular_noun(uid: str) -> None:
    for words in goods(uid):
        for i, word in enumerate(words):
            if word.text.lower() not in PLURAL or word.category not in {"det", "num"}:
                continue
            after = next((w for w in words[i + 1 :] if w.category not in {"adj", "adv"}), None)
            if after is not None and after.category == "noun":
                assert after.tag != "noun.sg" or after.text in MASS, text(words)


MASS = {n.singular.text for n in load_lexicon().all_nouns if n.mass and n.singular}


@pytest.mark.parametrize("uid", UIDS)
def test_a_doubled_word_appears_only_where_the_template_makes_it(uid: str) -> None:
    for pair in pairs(uid):
        for side in (pair.good, pair.bad):
            words = [w.text.lower() for w in side.words]
            for a, b in pairwise(words):
                assert a != b or f"{a} {b}" in BY_DESIGN, side.text


@pytest.mark.parametrize("uid", [u for u in UIDS if u.startswith("ellipsis")])
def test_no_relational_noun_is_left_with_a_dangling_preposition(uid: str) -> None:
    for words in goods(uid):
        for here, following in zip(words, (*words[1:], None), strict=True):
            if here.text in {"of", "about"}:
                assert following is not None, text(words)
                assert following.category not in {"conj", "aux", "verb"}, text(words)


def test_a_gerund_subject_takes_a_singular_auxiliary() -> None:
    for words in goods("sentential_subject_island"):
        auxiliary = next(w for w in words if w.category == "aux")
        assert "pl" not in auxiliary.tag.split("."), text(words)


@pytest.mark.parametrize("uid", ["sentential_subject_island", "adjunct_island", "wh_island"])
def test_questions_end_in_a_question_mark(uid: str) -> None:
    assert all(p.good.text.endswith("?") and p.bad.text.endswith("?") for p in pairs(uid))


@pytest.mark.parametrize("uid", [u for u in UIDS if u.startswith("wh_vs_that")])
def test_the_embedding_verb_takes_both_kinds_of_clause(uid: str) -> None:
    both = {v.lemma for v in load_lexicon().all_verbs if {"that", "wh"} <= v.frames.keys()}
    for pair in pairs(uid):
        at = next(
            i
            for i, (a, b) in enumerate(zip(pair.good.words, pair.bad.words, strict=True))
            if a != b
        )
        before = [w for w in pair.good.words[:at] if w.category == "verb"]
        assert before[-1].lemma in both, pair.good.text


@pytest.mark.parametrize("uid", UIDS)
def test_the_subject_gap_of_a_relative_clause_agrees(uid: str) -> None:
    for words in goods(uid):
        for i, word in enumerate(words[1:-1], 1):
            if word.category != "rel" or words[i - 1].category != "noun":
                continue
            verb = words[i + 1]
            if verb.category in {"verb", "aux"} and verb.tag.endswith((".sg", ".pl")):
                head = relative_head(words, i)
                assert verb.tag.split(".")[-1] == head.tag.split(".")[-1], text(words)


def relative_head(words: tuple[Word, ...], relative: int) -> Word:
    """The noun that a relative clause follows; past an `of` phrase it is the first noun."""
    at = relative - 1
    while at >= 3 and any(w.text in {"of", "about"} for w in words[at - 3 : at]):
        at = next(j for j in range(at - 1, -1, -1) if words[j].category == "noun")
    return words[at]


@pytest.mark.parametrize("uid", UIDS)
def test_attributive_adjectives_are_not_predicates_only(uid: str) -> None:
    predicates = {a.lemma for a in load_lexicon().all_adjectives if a.position == "pred"}
    for words in goods(uid):
        for adjective, noun in pairwise(words):
            if adjective.category == "adj" and noun.category == "noun":
                assert adjective.lemma not in predicates, text(words)


@pytest.mark.parametrize("uid", UIDS)
def test_every_gerund_ends_in_ing_and_every_word_is_in_the_lexicon(uid: str) -> None:
    known = load_lexicon().words
    for pair in pairs(uid):
        for side in (pair.good, pair.bad):
            for word in side.words:
                assert word.tag != "verb.ing" or word.text.endswith("ing")
                form = word.text.lower()
                bare = form.removesuffix("'s").removesuffix("'")
                assert form in known or bare in known, (word, side.text)


def test_control_verbs_never_take_an_expletive() -> None:
    lexicon = load_lexicon()
    control = {v.lemma for v in lexicon.all_verbs if "ctrl_obj" in v.frames}
    raising = {v.lemma for v in lexicon.all_verbs if "raise_obj" in v.frames}
    assert not control & {"require", "want", "need", "expect", "allow", "cause", "permit"}
    assert not control & raising
    subject = {v.lemma for v in lexicon.all_verbs if "ctrl_subj" in v.frames}
    assert not subject & {"fail", "start", "continue", "begin", "threaten", "stop", "need"}
    assert "ascertain" not in raising


def test_strict_intransitives_have_no_transitive_use_and_strict_transitives_no_bare_one() -> None:
    with_object = {"trans", "optobj", "alt", "prt", "ditrans"}
    without = {"unerg", "unacc", "optobj", "alt", "prt0"}
    for verb in load_lexicon().all_verbs:
        if "strict" not in verb.flags:
            continue
        frames = set(verb.frames) - {"inch", "drop", "refl"}
        if frames & {"unerg", "unacc"}:
            assert not frames & with_object, verb.lemma
        else:
            assert not frames & without, verb.lemma


@pytest.mark.parametrize(
    ("uid", "least"),
    [("irregular_past_participle_adjectives", 30), ("irregular_past_participle_verbs", 50)],
)
def test_irregular_forms_are_many(uid: str, least: int) -> None:
    forms = set()
    for pair in generate(uid, 1000, SEED):
        changed = [a for a, b in zip(pair.good.words, pair.bad.words, strict=True) if a != b]
        forms.add(changed[0].lemma)
    assert len(forms) >= least


def test_all_67_paradigms_are_there_with_blimps_names_fields_and_prefix_methods() -> None:
    from priscian.datasets import blimp_taxonomy

    ours = {p.uid: (p.field, p.phenomenon) for p in paradigms().values() if not p.extra}
    assert ours == blimp_taxonomy()
    methods = [find(uid).prefix for uid in ours]
    assert (methods.count("one"), methods.count("two"), methods.count(None)) == (20, 20, 27)
