"""What is written is read back as it was."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priscian.datasets import blimp_row, read_blimp, read_pairs, write_blimp, write_pairs
from priscian.datasets.pairs import CONTRASTS
from priscian.errors import DataError, DataWarning, OutputError, UsageError
from priscian.records import Item, ItemSet, Sentence, Span

OFFICIAL = [
    "sentence_good", "sentence_bad", "field", "linguistics_term", "UID", "simple_LM_method",
    "one_prefix_method", "two_prefix_method", "lexically_identical", "pairID",
]  # fmt: skip


def pair_set(good="Owls hoot.", bad="Owls hoots.", **changes):
    item = Item("owls/0", {"good": Sentence(good), "bad": Sentence(bad)})
    return replace(ItemSet("owls", (item,), CONTRASTS[None], ("syntax", "islands")), **changes)


def test_blimp_files_make_the_round_trip(tmp_path, write_jsonl, full_row, one_prefix_row,
                                         two_prefix_row):  # fmt: skip
    folder = write_jsonl("in/a.jsonl", full_row(0), full_row(1, dependency_length=3)).parent
    write_jsonl("in/b.jsonl", one_prefix_row(0, UID="b"), one_prefix_row(1, UID="b"))
    write_jsonl(
        "in/c.jsonl", two_prefix_row(0, context="Look.", licence="CC BY 4.0", UID="wh_island")
    )
    write_jsonl("in/d.jsonl", one_prefix_row(0, UID="d", spans_good=[["subject", 0, 11]],
                                             context_good="So."))  # fmt: skip
    sets = read_blimp(folder)
    paths = write_blimp(sets, tmp_path / "out")
    assert [p.name for p in paths] == [
        "goose_agreement.jsonl",
        "b.jsonl",
        "wh_island.jsonl",
        "d.jsonl",
    ]
    again = {s.name: s for s in read_blimp(tmp_path / "out")}
    assert again == {s.name: s for s in sets}
    assert again["wh_island"].licence == "CC BY 4.0"


def test_a_plain_pair_is_written_with_all_official_keys_and_no_other(tmp_path):
    [path] = write_blimp([pair_set()], tmp_path)
    row = json.loads(path.read_text())
    assert list(row) == OFFICIAL
    assert row["pairID"] == "0"
    assert row["field"] == "syntax"
    assert row["linguistics_term"] == "islands"
    assert row["simple_LM_method"] is True
    assert row["lexically_identical"] is False


def test_prefix_spans_become_the_official_fields():
    def side(verb):
        spans = (Span("prefix", 0, 4), Span("critical", 5, 5 + len(verb)))
        return Sentence(f"Owls {verb}.", spans)

    item = Item("owls/0", {"good": side("hoot"), "bad": side("hoots")})
    row = blimp_row(pair_set(items=(item,), contrasts=CONTRASTS["one_prefix"]), item)
    assert row["one_prefix_prefix"] == "Owls"
    assert row["one_prefix_word_good"] == "hoot"
    assert row["one_prefix_word_bad"] == "hoots"
    assert row["one_prefix_method"] is True
    assert "spans_good" not in row
    with pytest.raises(DataError, match="do not fit the two-prefix method"):
        blimp_row(pair_set(contrasts=CONTRASTS["two_prefix"]), item)


def test_words_in_another_order_are_lexically_identical():
    itemset = pair_set("Who did owls see?", "Owls did see who?")
    assert blimp_row(itemset, itemset.items[0])["lexically_identical"] is True


def test_what_the_schema_cannot_hold_is_refused(tmp_path):
    item = Item("owls/0", {"a": Sentence("A."), "b": Sentence("B.")})
    with pytest.raises(DataError, match="conditions a, b; only pairs with good and bad"):
        write_blimp([pair_set(items=(item,))], tmp_path)
    with pytest.raises(DataError, match="x > y > z is deeper than field and phenomenon"):
        write_blimp([pair_set(taxonomy=("x", "y", "z"))], tmp_path)
    with pytest.raises(DataError, match="two sets are called 'owls'; rename one"):
        write_blimp([pair_set(), pair_set()], tmp_path)
    taken = replace(pair_set().items[0], meta={"context": "So."})
    with pytest.raises(DataError, match=r"owls/0: its meta has context, which BLiMP's schema uses"):
        write_blimp([pair_set(items=(taken,))], tmp_path)
    odd = replace(pair_set().items[0], meta={"what": object()})
    with pytest.raises(DataError, match="which JSON cannot"):
        write_blimp([pair_set(items=(odd,))], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_no_file_name_stays_in_the_folder(tmp_path):
    item = Item("../owls/0", pair_set().items[0].conditions)
    [path] = write_blimp([pair_set(name="../owls", items=(item,))], tmp_path / "out")
    assert path == tmp_path / "out" / "owls.jsonl"
    [again] = read_blimp(path)
    assert (again.name, again.items[0].id) == ("../owls", "../owls/0")


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv"])
def test_tables_of_pairs_make_the_round_trip(tmp_path, suffix):
    itemset = pair_set('"Who," owls said;\nthen left.', "Tab\there, “quoted”.")
    item = itemset.items[0]
    with_context = replace(
        itemset,
        name="more",
        items=(Item("more/k", {c: replace(s, context="Hm.") for c, s in item.conditions.items()}),),
    )
    path = write_pairs([itemset, with_context], tmp_path / f"out.{suffix}")
    first, second = read_pairs(path)
    for before, after in ((itemset, first), (with_context, second)):
        assert after.name == before.name
        assert after.taxonomy == before.taxonomy
        assert after.content_hash == before.content_hash
    ours = pair_set(language="nl", licence="CC-BY-4.0", reference="Priscian, seed 1")
    [again] = read_pairs(write_pairs([ours], tmp_path / f"ours.{suffix}"))
    assert (again.language, again.licence, again.reference) == (
        "nl", "CC-BY-4.0", "Priscian, seed 1",
    )  # fmt: skip


def test_the_context_column_is_left_out_where_there_is_none(tmp_path):
    path = write_pairs([pair_set()], tmp_path / "out.csv")
    assert path.read_text().splitlines()[0] == (
        "id,sentence_good,sentence_bad,field,phenomenon,paradigm"
    )


def test_a_table_refuses_what_it_has_no_room_for(tmp_path):
    with pytest.raises(UsageError, match=r"cannot write pairs as '\.xlsx'"):
        write_pairs([pair_set()], tmp_path / "out.xlsx")
    item = Item("owls/0", {"good": Sentence("A.", context="x"), "bad": Sentence("B.")})
    with pytest.raises(DataError, match="a context for each sentence"):
        write_pairs([pair_set(items=(item,))], tmp_path / "out.csv")


def test_no_sets_make_an_empty_table(tmp_path):
    assert write_pairs([], tmp_path / "out.csv").read_text() == ""


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"cannot write .*; free some space or choose"):
        write_pairs([pair_set()], tmp_path / "file" / "out.csv")


WORD = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1).filter(
    lambda text: text.strip() == text
)


@settings(max_examples=60)
@given(good=WORD, bad=WORD)
def test_any_sentence_survives_a_table_and_a_blimp_file(tmp_path_factory, good, bad):
    itemset = pair_set(good, f"{bad} not {good}")
    folder = tmp_path_factory.mktemp("trip", numbered=True)
    [csv] = read_pairs(write_pairs([itemset], folder / "t.csv"))
    [tsv] = read_pairs(write_pairs([itemset], folder / "t.tsv"))
    [blimp] = read_blimp(write_blimp([itemset], folder)[0])
    assert csv.content_hash == tsv.content_hash == blimp.content_hash == itemset.content_hash


@pytest.mark.shared
def test_the_official_files_make_the_round_trip(shared, tmp_path):
    with pytest.warns(DataWarning, match="skipped"):
        sets = read_blimp(shared / "data" / "blimp")
    write_blimp(sets, tmp_path)
    assert read_blimp(tmp_path) == sets
    for itemset in sets:
        official = (shared / "data" / "blimp" / f"{itemset.name}.jsonl").read_text().splitlines()
        ours = (tmp_path / f"{itemset.name}.jsonl").read_text().splitlines()
        assert [json.loads(line) for line in ours] == [json.loads(line) for line in official]
    assert os.listdir(tmp_path) == [p.name for p in tmp_path.glob("*.jsonl")]
