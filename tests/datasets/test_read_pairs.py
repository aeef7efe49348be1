"""Plain pairs of any shape and any column names."""

from __future__ import annotations

import polars as pl
import pytest

from priscian.datasets import PairColumns, read_pairs
from priscian.errors import DataError, DataWarning, UsageError


def texts(itemset):
    return [(item["good"].text, item["bad"].text) for item in itemset.items]


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("sentence_good", "sentence_bad"),
        ("good", "bad"),
        ("sen", "wrong_sen"),
        ("good_sentence", "bad_sentence"),
        ("acceptable", "unacceptable"),
    ],
)
def test_the_usual_names_are_known(write_text, good, bad):
    path = write_text("owls.csv", f"{bad},{good}\nOwls hoots.,Owls hoot.\n")
    [pairs] = read_pairs(path)
    assert pairs.name == "owls"
    assert texts(pairs) == [("Owls hoot.", "Owls hoots.")]
    assert [c.name for c in pairs.contrasts] == ["full"]
    assert pairs.items[0].id == "owls/0"


@pytest.mark.parametrize("good_bad", [("source_sentence", "target_sentence"), ("x", "y")])
def test_other_names_must_be_told(write_text, good_bad):
    good, bad = good_bad
    path = write_text("owls.csv", f"{good},{bad}\nOwls hoot.,Owls hoots.\n")
    with pytest.raises(DataError) as caught:
        read_pairs(path)
    assert f"its columns: {good}, {bad}; name them with `good=COLUMN` `bad=COLUMN`" in str(
        caught.value
    )
    [pairs] = read_pairs(path, PairColumns(good, bad))
    assert texts(pairs) == [("Owls hoot.", "Owls hoots.")]


def test_named_columns_must_be_there_and_be_two(write_text):
    path = write_text("owls.csv", "good,bad\nOwls hoot.,Owls hoots.\n")
    with pytest.raises(DataError, match=r"no column 'fine'; its columns: good, bad"):
        read_pairs(path, PairColumns("fine", "bad"))
    with pytest.raises(UsageError, match="`good=good` without `bad=`"):
        read_pairs(path, PairColumns("good"))
    with pytest.raises(UsageError, match="both name 'good'"):
        read_pairs(path, PairColumns("good", "good"))
    with pytest.raises(DataError, match=r"no column 'kind'"):
        read_pairs(path, PairColumns(phenomenon="kind"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_the_delimiter_is_found_whatever_the_suffix(write_text, delimiter, suffix):
    rows = [["good", "bad", "a, b; c"], ["Owls hoot.", "Owls hoots.", "1"]]
    quoted = [[f'"{cell}"' for cell in row] for row in rows]
    content = "\n".join(delimiter.join(row) for row in quoted)
    [pairs] = read_pairs(write_text(f"owls.{suffix}", content))
    assert texts(pairs) == [("Owls hoot.", "Owls hoots.")]
    assert pairs.items[0].meta == {"a, b; c": "1"}


def test_a_given_delimiter_is_used(write_text):
    [pairs] = read_pairs(write_text("owls.csv", "good|bad\nA.|B.\n"), delimiter="|")
    assert texts(pairs) == [("A.", "B.")]


def test_quoted_cells_may_hold_delimiters_quotes_and_new_lines(write_text):
    path = write_text("owls.csv", 'good,bad\n"""Who,"" owls\nsay.","Who, owl say."\n\nA.,B.\n,C.\n')
    with pytest.raises(DataError, match=r"owls\.csv:6: 'good' is empty"):
        read_pairs(path)
    path.write_text(path.read_text().removesuffix(",C.\n"))
    [pairs] = read_pairs(path)
    assert texts(pairs) == [('"Who," owls\nsay.', "Who, owl say."), ("A.", "B.")]


def test_bare_quotation_marks_in_tsv_belong_to_the_sentences(write_text):
    path = write_text("owls.tsv", 'good\tbad\n"Who," owls say.\t"Who," owl say.\n')
    with pytest.warns(DataWarning, match="quotation marks do not enclose cells"):
        [pairs] = read_pairs(path)
    assert texts(pairs) == [('"Who," owls say.', '"Who," owl say.')]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('good,bad\nA.,B.\n"C." D.,E.\n', r"owls\.csv:3: broken quoting"),
        ("good,bad\nA.,B.\nYes, it is.,No.\n", r"owls\.csv:3: 3 cells where the header has 2"),
        ("good,bad,bad\nA.,B.,C.\n", r"owls\.csv:1: two columns are called 'bad'"),
        ("good,bad\n", "a header but no rows"),
        ("", "the file is empty"),
        (b"good,bad\nA.,B.\nCaf\xe9.,C.\n", r"owls\.csv:3: byte 0xe9 is not valid UTF-8"),
    ],
)
def test_a_broken_table_is_refused_with_its_line(write_text, content, message):
    with pytest.raises(DataError, match=message):
        read_pairs(write_text("owls.csv", content))


def test_a_byte_order_mark_is_not_part_of_the_first_name(write_text):
    [pairs] = read_pairs(write_text("owls.csv", b"\xef\xbb\xbfgood,bad\r\nA.,B.\r\n"))
    assert texts(pairs) == [("A.", "B.")]


def test_jsonl_and_parquet_read_alike(write_jsonl, tmp_path):
    rows = [{"sen": "A.", "wrong_sen": "B.", "verb": "be"}, {"sen": "C.", "wrong_sen": "D."}]
    [first] = read_pairs(write_jsonl("owls.jsonl", *rows))
    pl.DataFrame(rows).write_parquet(tmp_path / "owls.parquet")
    [second] = read_pairs(tmp_path / "owls.parquet")
    assert texts(first) == texts(second) == [("A.", "B."), ("C.", "D.")]
    assert first.items[0].meta == second.items[0].meta == {"verb": "be"}


def test_a_row_without_its_sentence_is_refused(write_jsonl):
    path = write_jsonl("owls.jsonl", {"good": "A.", "bad": "B."}, {"good": "C."})
    with pytest.raises(DataError, match=r"owls\.jsonl:2: no 'bad' \(found: good\)"):
        read_pairs(path)


@pytest.mark.parametrize("context", [True, 3, ["It rained."], {"text": "It rained."}])
def test_a_context_that_is_no_text_is_refused(write_jsonl, context):
    rows = [{"good": "A.", "bad": "B.", "context": c} for c in (None, context)]
    with pytest.raises(DataError, match=r"owls\.jsonl:2: context is .*, not a text; write it as"):
        read_pairs(write_jsonl("owls.jsonl", *rows))


def test_paradigm_phenomenon_and_field_make_sets_with_a_taxonomy(write_text):
    path = write_text(
        "all.csv",
        "field,phenomenon,paradigm,pairID,good,bad\n"
        "syntax,islands,owl_island,a,A.,B.\n"
        "morphology,agreement,owl_number,b,C.,D.\n"
        "syntax,islands,owl_island,c,E.,F.\n",
    )
    islands, number = read_pairs(path)
    assert (islands.name, islands.taxonomy, len(islands)) == (
        "owl_island",
        ("syntax", "islands"),
        2,
    )
    assert (number.name, number.taxonomy) == ("owl_number", ("morphology", "agreement"))
    assert [item.id for item in islands.items] == ["owl_island/a", "owl_island/c"]


def test_a_column_can_be_turned_off(write_text):
    path = write_text("all.csv", "paradigm,good,bad\np,A.,B.\nq,C.,D.\n")
    assert [s.name for s in read_pairs(path)] == ["p", "q"]
    assert [s.name for s in read_pairs(path, PairColumns(group=""))] == ["all"]


def test_each_value_of_the_group_column_is_a_set_of_its_own(write_text):
    path = write_text("all.csv", "kind,good,bad\nowls,A.,B.\ncats,C.,D.\nowls,E.,F.\n")
    assert [s.name for s in read_pairs(path)] == ["all"]
    owls, cats = read_pairs(path, PairColumns(group="kind"))
    assert [i.id for i in owls.items] == ["owls/0", "owls/1"]
    assert [i["good"].text for i in cats.items] == ["C."]
    with pytest.raises(DataError, match=r"no column 'king'; its columns: kind, good, bad"):
        read_pairs(path, PairColumns(group="king"))


def test_one_phenomenon_keeps_the_files_name_and_several_split_it(write_text):
    one = write_text("one.csv", "phenomenon,good,bad\nislands,A.,B.\nislands,C.,D.\n")
    assert [(s.name, s.taxonomy) for s in read_pairs(one)] == [("one", ("islands",))]
    two = write_text("two.csv", "phenomenon,good,bad\nislands,A.,B.\nbinding,C.,D.\n,E.,F.\n")
    assert [(s.name, s.taxonomy) for s in read_pairs(two)] == [
        ("islands", ("islands",)),
        ("binding", ("binding",)),
        ("two", ()),
    ]


def test_ids_that_are_not_unique_give_way_to_numbers(write_text):
    [pairs] = read_pairs(write_text("owls.csv", "id,good,bad\n7,A.,B.\n7,C.,D.\n"))
    assert [item.id for item in pairs.items] == ["owls/0", "owls/1"]


def test_a_context_conditions_both_sentences(write_text):
    path = write_text("owls.csv", "before,good,bad\nListen.,A.,B.\n")
    [pairs] = read_pairs(path, PairColumns(context="before"))
    assert {s.context for s in pairs.items[0].conditions.values()} == {"Listen."}


def test_a_prefix_makes_the_next_word_critical(write_text):
    path = write_text(
        "owls.tsv",
        "prefix\tsen\twrong_sen\n"
        "The owls \tThe owls hoot.\tThe owls hoots.\n"
        "\tGo, owl!\tGone, owl!\n",
    )
    with pytest.warns(DataWarning, match="1 value of prefix had stray spaces"):
        [pairs] = read_pairs(path)
    assert [c.name for c in pairs.contrasts] == ["full", "one_prefix"]
    first, second = pairs.items
    assert (first["good"]["prefix"], first["good"]["critical"]) == ("The owls", "hoot")
    assert first["bad"]["critical"] == "hoots"
    assert second["bad"]["critical"] == "Gone"


@pytest.mark.parametrize("prefix", ["An owl", "The owl hoots."])
def test_a_prefix_that_does_not_fit_is_left_unless_it_was_asked_for(write_text, prefix):
    path = write_text("owls.csv", f"prefix,good,bad\n{prefix},The owl hoots.,The owl hoot.\n")
    with pytest.warns(
        DataWarning, match=r"does not begin both sentences; column 'prefix' not used"
    ):
        [pairs] = read_pairs(path)
    assert [c.name for c in pairs.contrasts] == ["full"]
    with pytest.raises(DataError, match=r"owls\.csv:2: .* does not begin both sentences; correct"):
        read_pairs(path, PairColumns(prefix="prefix"))


def test_identical_pairs_are_reported_kept_or_dropped(write_text):
    path = write_text("owls.csv", "good,bad\nA.,A.\nB.,C.\n")
    with pytest.warns(DataWarning, match=r"1 pair has identical sentences \(owls/0\); kept"):
        [pairs] = read_pairs(path)
    assert len(pairs) == 2
    with pytest.warns(DataWarning, match="dropped"):
        [pairs] = read_pairs(path, drop_identical=True)
    assert texts(pairs) == [("B.", "C.")]
    path = write_text("same.csv", "good,bad\nA.,A.\n")
    with (
        pytest.warns(DataWarning, match="dropped"),
        pytest.raises(DataError, match="every pair is identical"),
    ):
        read_pairs(path, drop_identical=True)


def test_a_folder_gives_a_set_for_each_file_and_names_what_it_skips(write_text):
    write_text("d/b.csv", "good,bad\nA.,B.\n")
    write_text("d/a.tsv", "good\tbad\nC.\tD.\n")
    folder = write_text("d/notes.csv", "who,what\nA.,B.\n").parent
    with pytest.warns(DataWarning, match=r"skipped .*notes\.csv: .*its columns: who, what"):
        sets = read_pairs(folder)
    assert [s.name for s in sets] == ["a", "b"]


def test_names_that_clash_are_told_apart(write_text):
    write_text("d/x.csv", "paradigm,good,bad\np,A.,B.\n")
    folder = write_text("d/y.csv", "paradigm,good,bad\np,C.,D.\nq,E.,F.\n").parent
    sets = read_pairs(folder)
    assert [s.name for s in sets] == ["x/p", "y/p", "q"]
    assert sets[0].items[0].id == "x/p/0"
    path = write_text("z.csv", "phenomenon,paradigm,good,bad\nm,p,A.,B.\nn,p,C.,D.\n")
    assert [s.name for s in read_pairs(path)] == ["m/p", "n/p"]
    write_text("e/a.csv", "good,bad\nA.,B.\n")
    folder = write_text("e/a.tsv", "good\tbad\nA.\tB.\n").parent
    with pytest.raises(DataError, match="two item sets are called 'a'; rename one of the files"):
        read_pairs(folder)


def test_an_unknown_kind_of_file_is_refused(write_text):
    with pytest.raises(
        DataError, match=r"unknown kind of file '\.docx'; tables are read from \.csv, "
    ):
        read_pairs(write_text("owls.docx", "A."))


def test_language_licence_and_reference_are_the_sets_where_its_rows_agree(write_text):
    path = write_text(
        "owls.csv",
        "paradigm,good,bad,language,licence,reference\n"
        "p,A.,B.,nl,CC0,Jansen\np,C.,D.,nl,CC0,de Vries\nq,E.,F.,,,\n",
    )
    first, second = read_pairs(path)
    assert (first.language, first.licence, first.reference) == ("nl", "CC0", "")
    assert [dict(i.meta) for i in first.items] == [
        {"reference": "Jansen"},
        {"reference": "de Vries"},
    ]
    assert (second.language, second.licence, second.reference) == ("en", "", "")
