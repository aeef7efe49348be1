"""Pairs from phenomena of several conditions, by each rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from priscian.datasets.graded import (
    GradedPair,
    GradedSentence,
    compare_pairs,
    pairs_by_overlap,
    pairs_by_phenomenon,
    pairs_by_types,
    read_type_pairs,
)
from priscian.errors import DataError

Write = Callable[..., Path]

# two good conditions and one bad, two lexicalisations
SENTENCES = [
    GradedSentence("ch1.5.*.01", "Anna appears that is asleep.", False, None, "raising", "1"),
    GradedSentence("ch1.6.g.01", "It appears that Anna is asleep.", True, None, "raising", "1"),
    GradedSentence("ch1.7.g.01", "Anna appears to be asleep.", True, None, "raising", "1"),
    GradedSentence("ch1.5.*.02", "Otto appears that is awake.", False, None, "raising", "2"),
    GradedSentence("ch1.6.g.02", "It appears that Otto is awake.", True, None, "raising", "2"),
    GradedSentence("ch1.90.g.01", "Dogs chase cats.", True),
    GradedSentence("odd", "No id of this kind.", True),
]
EXPECTED = {
    ("ch1.6.g.01", "ch1.5.*.01"),
    ("ch1.7.g.01", "ch1.5.*.01"),
    ("ch1.6.g.02", "ch1.5.*.02"),
}


def test_every_acceptable_with_every_unacceptable_of_a_lexicalisation() -> None:
    found = pairs_by_phenomenon(SENTENCES)
    assert {p.ids for p in found.pairs} == EXPECTED
    assert found.left_out == {"ch1.90.g.01": "no phenomenon", "odd": "no phenomenon"}


def test_type_pairs_expand_by_item_number() -> None:
    types = [("ch1.6.g", "ch1.5.*"), ("ch1.7.g", "ch1.5.*")]
    found = pairs_by_types(SENTENCES, types)
    assert {p.ids for p in found.pairs} == EXPECTED
    assert found.left_out == {"ch1.90.g.01": "no partner", "odd": "no partner"}


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(DataError, match=r"type 'ch9.1.g' of a type pair has no sentence"):
        pairs_by_types(SENTENCES, [("ch9.1.g", "ch1.5.*")])


def test_overlap_finds_the_sentences_that_share_words() -> None:
    found = pairs_by_overlap(SENTENCES)
    assert ("ch1.6.g.01", "ch1.5.*.01") in {p.ids for p in found.pairs}
    assert found.left_out["ch1.90.g.01"] == "no partner"
    assert found.left_out["odd"] == "the id has no source, example, mark and item"


def test_an_unacceptable_type_gets_its_best_partner() -> None:
    alone = [
        GradedSentence("s.1.g.01", "Dogs chase cats."),
        GradedSentence("s.2.g.01", "Geese honk."),
        GradedSentence("s.3.*.01", "Honk loudly do grey birds."),
    ]
    assert [p.ids for p in pairs_by_overlap(alone).pairs] == [("s.2.g.01", "s.3.*.01")]


def test_recall_precision_and_the_difference() -> None:
    a, b, c = (GradedPair(x, "bad") for x in "abc")
    found = compare_pairs([a, b], [b, c])
    assert (found.recall, found.precision) == (0.5, 0.5)
    assert (found.missing, found.extra) == ((("c", "bad"),), (("a", "bad"),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "broken JSON"),
        ('{"pairs": []}', "no type pairs; it needs"),
        ('[["a"]]', "is not a pair of types"),
    ],
)
def test_a_list_of_type_pairs_that_is_none(write_text: Write, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_type_pairs(write_text("types.json", text))


class TestLiAdger:
    def test_type_pairs_give_2369_and_differ_in_six(self, shared: Path) -> None:
        from priscian.datasets.li_adger import read_li_adger

        graded = read_li_adger(shared / "data/li_adger", scores=False).graded
        types = read_type_pairs(shared / "spec/li_adger/li_adger_type_pairs.json")
        found = compare_pairs(pairs_by_types(graded.sentences, types).pairs, graded.pairs)
        assert len(types) == 296
        assert (found.found, len(found.extra), len(found.missing)) == (2369, 5, 1)
        assert found.missing == (("41.4.Bruening.9c.g.05", "41.4.Bruening.9b.*.06"),)

    def test_overlap_reaches_its_recall_and_precision(self, shared: Path) -> None:
        from priscian.datasets.li_adger import read_li_adger

        graded = read_li_adger(shared / "data/li_adger", scores=False).graded
        found = compare_pairs(pairs_by_overlap(graded.sentences).pairs, graded.pairs)
        assert found.recall >= 0.93
        assert found.precision >= 0.93
