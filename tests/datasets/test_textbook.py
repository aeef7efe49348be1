"""The textbook set that comes with Priscian."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from priscian.datasets import read_dataset
from priscian.datasets.graded import GradedSentence
from priscian.datasets.graded_read import read_graded, read_textbook
from priscian.datasets.lint import check_data
from priscian.datasets.lint_words import lemmas, tokens

NAMES = ("textbook", "textbook-contested")
BRITISH = re.compile(
    r"(neighb|harb|rum|col|fav|hum|lab|arm|flav|hon|behavi|splend|parl)our\w*"
    r"|(apolog|real|recogn|organ|memor|critic|summar|emphas|familiar|special)is(e[ds]?|ing)"
    r"|(theat|cent|lit|met)res?|(trav|canc|lab|mod)ell(ed|ing)|defence|licence|offence|grey|plough\w*|moustache"
    r"|cheques?|programmes?|draughts|tyres?|pyjamas|learnt|burnt|headmaster|jewell\w+|towards",
)


@cache
def sentences() -> list[GradedSentence]:
    """Every sentence, contested or not."""
    both = [read_textbook().sentences, read_textbook(contested=True).sentences]
    return list(chain.from_iterable(both))


def test_at_least_110_phenomena_are_uncontested_with_four_pairs_each() -> None:
    found = read_textbook()
    cells = defaultdict(list)
    for s in found.sentences:
        cells[s.phenomenon].append((s.lexicalisation, s.acceptable))
    assert len(cells) >= 110
    four_pairs = [(str(n), label) for label in (False, True) for n in range(1, 5)]
    assert {
        p for p, rows in cells.items() if sorted(rows, key=lambda r: r[::-1]) != four_pairs
    } == set()
    assert len(found.pairs) == 4 * len(cells)


def test_a_phenomenon_is_contested_as_a_whole_and_says_why() -> None:
    reasons = {s.phenomenon: s.contested for s in read_textbook(contested=True).sentences}
    assert "that_trace" in reasons
    assert all(len(why.split()) >= 3 for why in reasons.values())
    assert not reasons.keys() & {s.phenomenon for s in read_textbook().sentences}
    assert not any(s.contested for s in read_textbook().sentences)


def test_nobody_has_rated_it() -> None:
    assert not any(s.rating is not None or s.raters for s in sentences())


def test_no_sentence_stands_twice() -> None:
    texts = [s.text for s in sentences()]
    assert len(set(texts)) == len(texts)


def test_lexicalisations_of_a_phenomenon_do_not_share_their_words() -> None:
    known = lemmas()
    used: dict[tuple[str, str], set[str]] = defaultdict(set)
    for s in sentences():
        for token in tokens(s.text):
            lemma = known.get(token.lower())
            if lemma not in {None, "be", "do", "doe", "have", "own"}:  # doe: *does*
                used[s.phenomenon, str(lemma)].add(s.lexicalisation)
    repeated = {key for key, items in used.items() if len(items) > 2}
    assert repeated == {
        ("how_come", "come"), ("light_verb", "make"), ("light_verb", "take"),
        ("clause_after_preposition", "fact"),
    }  # fmt: skip


def test_the_spelling_is_american() -> None:
    words = {w.lower() for s in sentences() for w in tokens(s.text)}
    assert BRITISH.fullmatch("neighbours")
    assert {w for w in words if BRITISH.fullmatch(w)} == set()


@pytest.mark.parametrize("name", NAMES)
def test_the_linter_finds_nothing_but_words_that_the_lexicon_lacks(name: str) -> None:
    assert check_data(f"graded:{name}", skip=["unknown-word"]).findings == ()


@pytest.mark.filterwarnings("ignore:.*skipped, its rows:priscian.errors.DataWarning")
def test_no_sentence_is_from_another_set(shared: Path) -> None:
    from priscian.datasets.cola import SPLITS, read_cola
    from priscian.datasets.li_adger import read_li_adger

    ours = {s.text for s in sentences()}
    theirs = {s.text for s in read_li_adger(shared / "data/li_adger", scores=False)
              .graded.sentences}  # fmt: skip
    for split in SPLITS:
        theirs |= {s.text for s in read_cola(shared / "data/cola", split)}
    for itemset in read_dataset(f"blimp:{shared / 'data/blimp'}").sets:
        theirs |= {s.text for s in itemset.sentences()}
    assert len(theirs) > 10_000
    assert ours & theirs == set()


@pytest.mark.parametrize("name", NAMES)
def test_each_half_is_a_data_set(name: str) -> None:
    data = read_dataset(f"graded:{name}")
    own = read_textbook(contested=name != "textbook").sentences
    assert (data.name, data.kind) == (name, "graded")
    assert len(data.sets) == 1 + len({s.phenomenon for s in own})
    assert data.sets[-1].contrasts == ()
    assert len(data.sets[-1]) == len(own)


def test_a_table_of_ones_own_may_have_a_column_contested(
    write_text: Callable[[str, str], Path],
) -> None:
    file = write_text(
        "own.csv",
        "sentence,phenomenon,lexicalisation,acceptable,contested\n"
        "Ann left.,x,1,1,\nLeft Ann.,x,1,0,verse allows it\n",
    )
    found = read_graded(file)
    assert [s.contested for s in found.sentences] == ["", "verse allows it"]
    assert len(found.pairs) == 1


def test_the_guide_gives_its_size() -> None:
    guide = (Path(__file__).resolve().parents[2] / "docs" / "graded.md").read_text("utf-8")
    settled, contested = read_textbook(), read_textbook(contested=True)
    many, few = (len({s.phenomenon for s in half.sentences}) for half in (settled, contested))
    assert f"`graded:textbook`: {many} phenomena" in guide
    assert f"{len(settled.pairs)} pairs,\n{len(settled.sentences):,} sentences" in guide
    assert f"{few} further phenomena ({len(contested.pairs)} pairs)" in guide
