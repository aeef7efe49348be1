"""Generation: reproducible, independent streams, no repeats, always ends, never hides a bug."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import pytest

from priscian.datasets.generation import generate_rows
from priscian.errors import GrammarError, UnknownNameError, UsageError
from priscian.grammar import Either, Grammar, Pair, Reject
from priscian.paradigms import (
    Paradigm,
    Substitution,
    find,
    generate,
    generate_items,
    load_paradigms,
    paradigms,
)


def make(draw, edit=Substitution("lemma"), prefix=None):  # noqa: B008
    return Paradigm("trial", "trials", "syntax", edit, draw, prefix)


def texts(uid, n, seed):
    return [(pair.good.text, pair.bad.text) for pair in generate(uid, n, seed)]


def few(g: Grammar) -> Pair:
    verbs = sorted({p.lemma for p in g.lexicon.predicates("unerg").entries})[:6]
    good, bad = g.choose(verbs), g.choose(verbs)
    if good == bad:
        raise Reject
    word = g.word
    return g.pair(word("they"), word("did"), Either(word(good, "verb"), word(bad, "verb")))


def test_same_seed_same_pairs_and_another_seed_others():
    uid = "anaphor_number_agreement"
    assert texts(uid, 50, 3) == texts(uid, 50, 3)
    assert texts(uid, 50, 3) != texts(uid, 50, 4)


def test_fewer_pairs_are_the_first_of_more():
    uid = "determiner_noun_agreement_1"
    assert texts(uid, 20, 1) == texts(uid, 60, 1)[:20]


def test_a_paradigm_does_not_depend_on_those_generated_before_it():
    uids = list(itertools.islice(paradigms(), 4))
    together = {uid: texts(uid, 20, 9) for uid in uids}
    for uid in reversed(uids):
        assert texts(uid, 20, 9) == together[uid]


def test_the_hash_seed_of_the_process_does_not_matter():
    code = (
        "from priscian.paradigms import generate;"
        "print([p.good.text for p in generate('distractor_agreement_relative_clause', 15, 4)])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert "who" in printed.pop()


def test_nothing_comes_twice():
    pairs = list(generate("anaphor_gender_agreement", 400, 2))
    assert len({pair.good.text for pair in pairs}) == 400
    assert len({pair.bad.text for pair in pairs}) == 400
    content = {"noun", "verb", "name", "adj", "adv"}
    bags = {
        tuple(sorted(w.lemma for w in pair.good.words if w.category in content)) for pair in pairs
    }
    assert len(bags) == 400


def test_a_small_paradigm_ends_and_says_how_many_there_are():
    with pytest.raises(GrammarError, match=r"only [56] distinct pairs were found, 100 were asked"):
        list(generate(make(few), 100, 1))
    assert len(list(generate(make(few), 5, 1))) == 5


def test_dead_ends_are_a_bug():
    def hopeless(g: Grammar) -> Pair:
        raise Reject

    with pytest.raises(GrammarError, match="2000 of 2000 draws were rejected"):
        list(generate(make(hopeless), 1, 1))


def test_an_undeclared_edit_is_never_retried():
    with pytest.raises(GrammarError, match="not the declared edit"):
        list(generate(make(few, Substitution("number")), 5, 1))


def test_equal_sentences_are_refused():
    def same(g: Grammar) -> Pair:
        return g.pair(g.word("they"), Either(g.word("left"), g.word("left")))

    with pytest.raises(GrammarError, match="both sentences are 'They left"):
        list(generate(make(same), 5, 1))


def test_something_else_than_a_pair_is_named():
    with pytest.raises(GrammarError, match="trial gave str"):
        list(generate(make(lambda g: "They left."), 1, 1))


def test_prefixes_must_be_what_the_method_needs():
    def first_word(g: Grammar) -> Pair:
        return g.pair(Either(g.word("they"), g.word("we")), g.word("left"))

    trial = make(first_word, Substitution("lemma"), "one")
    with pytest.raises(GrammarError, match="there is no word before"):
        list(generate_items(trial, 1, 1))


def test_unknown_paradigms_suggest_the_nearest():
    with pytest.raises(UnknownNameError, match="anaphor_gender_agreement"):
        find("anaphor_gendr_agreement")


@pytest.mark.parametrize("uid", list(paradigms()))
def test_rows_rebuild_their_sentences(uid):
    for row in generate_rows(uid, 40, 5):
        good, bad = row["sentence_good"], row["sentence_bad"]
        assert row["simple_LM_method"] is True
        if row["one_prefix_method"]:
            start = row["one_prefix_prefix"]
            assert good.startswith(f"{start} {row['one_prefix_word_good']}")
            assert bad.startswith(f"{start} {row['one_prefix_word_bad']}")
        if row["two_prefix_method"]:
            word = row["two_prefix_word"]
            assert good.startswith(f"{row['two_prefix_prefix_good']} {word}")
            assert bad.startswith(f"{row['two_prefix_prefix_bad']} {word}")
            assert word.strip(" .?") == word
        for sentence, spans in ((good, row["spans_good"]), (bad, row["spans_bad"])):
            for _, start, end in spans:
                assert 0 <= start < end <= len(sentence)
                assert sentence[start:end].strip(" .?") == sentence[start:end]
        assert len(good.split()) == len(bad.split())


@pytest.mark.parametrize("uid", list(paradigms()))
def test_items_have_the_spans_that_contrasts_need(uid):
    for item in generate_items(uid, 5, 5):
        for condition in ("good", "bad"):
            assert item[condition].span("contrast")
            if find(uid).prefix:
                assert item[condition].text.startswith(item[condition]["prefix"])


def test_a_users_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from priscian.grammar import Either\n"
        "from priscian.paradigms import Substitution, paradigm\n\n\n"
        '@paradigm("mine_own", phenomenon="mine", field="syntax", edit=Substitution("lemma"))\n'
        "def mine_own(g):\n"
        '    """The nurse slept. / *The nurse hugged."""\n'
        '    bad = g.verb("trans", "strict", subject="person")\n'
        '    good = g.verb("unerg", subject="person")\n'
        "    subject = g.subject(good, bad)\n"
        "    tense = g.inflection(good, bad)\n"
        "    right = g.vp(good, tense).agree(subject)\n"
        "    wrong = g.vp(bad, tense, gap=True).agree(subject)\n"
        "    return g.pair(subject=subject, verb=Either(right, wrong))\n",
        encoding="utf-8",
    )
    from priscian.paradigms.registry import CATALOGUE

    try:
        (mine,) = load_paradigms(path)
        assert mine.uid == "mine_own"
        assert len(list(generate(mine, 30, 1))) == 30
        empty = tmp_path / "empty.py"
        empty.write_text("", encoding="utf-8")
        with pytest.raises(UsageError, match="defines no paradigm"):
            load_paradigms(empty)
    finally:
        CATALOGUE.entries.pop("mine_own", None)
