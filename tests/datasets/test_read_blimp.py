"""BLiMP's files become item sets, repaired with a word said, or refused with the place."""

from __future__ import annotations

import gc
import json
import re
import warnings
from pathlib import Path

import polars as pl
import pytest

from priscian.datasets import canonical_uid, identical_pairs, read_blimp
from priscian.errors import DataError, DataWarning
from priscian.records import Comparison, Contrast, Span, Value

FULL = Contrast("full", Comparison("<", Value("good"), Value("bad")))


def test_a_file_becomes_one_set_in_file_order(write_jsonl, full_row):
    path = write_jsonl("x.jsonl", full_row(7), full_row(3))
    [paradigm] = read_blimp(path)
    assert paradigm.name == "goose_agreement"
    assert paradigm.taxonomy == ("morphology", "subject_verb_agreement")
    assert paradigm.contrasts == (FULL,)
    assert paradigm.chance == 0.5
    assert [item.id for item in paradigm.items] == ["goose_agreement/7", "goose_agreement/3"]
    assert paradigm.items[0]["good"].text == "The 7 geese were grey."
    assert paradigm.items[0]["bad"].text == "The 7 geese was grey."
    assert paradigm.items[0]["good"].spans == ()


def test_one_prefix_fields_become_spans_and_a_contrast(write_jsonl, one_prefix_row):
    [paradigm] = read_blimp(write_jsonl("x.jsonl", one_prefix_row()))
    critical = Contrast(
        "one_prefix", Comparison("<", Value("good", "critical"), Value("bad", "critical"))
    )
    assert paradigm.contrasts == (FULL, critical)
    good, bad = paradigm.items[0]["good"], paradigm.items[0]["bad"]
    assert good.spans == (Span("prefix", 0, 11), Span("critical", 12, 16))
    assert (good["prefix"], good["critical"]) == ("The 0 geese", "were")
    assert (bad["prefix"], bad["critical"]) == ("The 0 geese", "was")


def test_two_prefix_fields_become_spans_and_a_contrast(write_jsonl, two_prefix_row):
    [paradigm] = read_blimp(write_jsonl("x.jsonl", two_prefix_row()))
    assert [c.name for c in paradigm.contrasts] == ["full", "two_prefix"]
    good, bad = paradigm.items[0]["good"], paradigm.items[0]["bad"]
    assert (good["prefix"], good["critical"]) == ("Ada sees these 0", "kilns")
    assert (bad["prefix"], bad["critical"]) == ("Ada sees this 0", "kilns")


def test_an_empty_prefix_puts_the_critical_word_first(write_jsonl, one_prefix_row):
    row = one_prefix_row(
        sentence_good="They are here.", sentence_bad="Them are here.", one_prefix_prefix="",
        one_prefix_word_good="They", one_prefix_word_bad="Them",
    )  # fmt: skip
    [paradigm] = read_blimp(write_jsonl("x.jsonl", row))
    assert paradigm.items[0]["bad"].spans == (Span("prefix", 0, 0), Span("critical", 0, 4))


def test_stray_spaces_are_stripped_with_one_warning_and_a_count(write_jsonl, two_prefix_row):
    rows = [two_prefix_row(n, two_prefix_word=" kilns" if n else "kilns") for n in range(4)]
    path = write_jsonl("wh.jsonl", *rows)
    with pytest.warns(DataWarning) as caught:
        [paradigm] = read_blimp(path)
    assert [str(w.message) for w in caught] == [
        f"{path}: 3 values of two_prefix_word had stray spaces; stripped"
    ]
    assert all(item["good"]["critical"] == "kilns" for item in paradigm.items)


def test_a_prefix_that_differs_in_capitals_is_read_with_a_warning(write_jsonl, one_prefix_row):
    path = write_jsonl("x.jsonl", one_prefix_row(one_prefix_prefix="the 0 geese"))
    with pytest.warns(DataWarning, match="differ from the sentence only in capitals"):
        [paradigm] = read_blimp(path)
    assert paradigm.items[0]["good"]["prefix"] == "The 0 geese"


def test_a_prefix_that_does_not_rebuild_the_sentence_is_refused(write_jsonl, one_prefix_row):
    path = write_jsonl("x.jsonl", one_prefix_row(), one_prefix_row(1, one_prefix_prefix="A goose"))
    with pytest.raises(DataError) as caught:
        read_blimp(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:2: ")
    assert "'A goose were'" in message
    assert "'The 1 geese were grey.'" in message


@pytest.mark.parametrize("odd", ["syntax/semantics", "syntax-semantics"])
def test_odd_fields_are_spelt_as_usual_with_a_warning(write_jsonl, full_row, odd):
    path = write_jsonl("x.jsonl", full_row(0, field=odd), full_row(1, field=odd))
    with pytest.warns(DataWarning) as caught:
        [paradigm] = read_blimp(path)
    assert paradigm.taxonomy == ("syntax_semantics", "subject_verb_agreement")
    assert [str(w.message) for w in caught] == [
        f"{path}: field {odd!r} in 2 rows; read as syntax_semantics"
    ]


def test_s_selection_is_argument_structure(write_jsonl, full_row):
    path = write_jsonl("x.jsonl", full_row(linguistics_term="s-selection"))
    with pytest.warns(DataWarning, match=r"'s-selection' in 1 row; read as argument_structure"):
        [paradigm] = read_blimp(path)
    assert paradigm.taxonomy == ("morphology", "argument_structure")


def test_a_folder_gives_one_set_a_uid_and_names_what_it_skips(write_jsonl, full_row):
    write_jsonl("d/b.jsonl", full_row(0, UID="b"))
    write_jsonl("d/a.jsonl", full_row(0, UID="a"), full_row(0, UID="b2"))
    write_jsonl("d/a2.jsonl", full_row(1, UID="a"))
    folder = write_jsonl("d/models.jsonl", {"UID": "a", "lstm": 0.7}).parent
    (folder / "._a.jsonl").write_bytes(b"\x00\x05\x16\x07")
    with pytest.warns(DataWarning, match=r"models\.jsonl: skipped") as caught:
        sets = read_blimp(folder)
    assert len(caught) == 1
    assert [(s.name, len(s)) for s in sets] == [("a", 2), ("b2", 1), ("b", 1)]


def test_the_supplement_takes_its_names_from_the_files(write_jsonl):
    rows = [{"sentence_good": f"Are {n} owls up?", "sentence_bad": f"Is {n} owls up?"}
            for n in range(2)]  # fmt: skip
    [paradigm] = read_blimp(write_jsonl("d/owl_questions.jsonl", *rows).parent)
    assert paradigm.name == "owl_questions"
    assert paradigm.taxonomy == ()
    assert [item.id for item in paradigm.items] == ["owl_questions/0", "owl_questions/1"]


def test_lower_cased_uids_become_blimps_own(write_jsonl, full_row):
    path = write_jsonl("x.jsonl", full_row(5, UID="principle_a_case_1", field=None,
                                           linguistics_term=None))  # fmt: skip
    [paradigm] = read_blimp(path)
    assert paradigm.name == "principle_A_case_1"
    assert paradigm.items[0].id == "principle_A_case_1/5"
    assert paradigm.taxonomy == ("syntax_semantics", "binding")
    assert paradigm.reference.startswith("Warstadt")
    assert canonical_uid("Goose_Agreement") == "Goose_Agreement"


def test_the_hubs_schema_has_flags_but_no_prefixes(tmp_path, one_prefix_row):
    rows = []
    for number in range(3):
        row = one_prefix_row(number)
        rows.append({k: v for k, v in row.items() if not re.match("one_prefix_(prefix|word)", k)})
        del rows[-1]["pairID"]
        rows[-1]["pair_id"] = number
    path = tmp_path / "hub" / "goose" / "train-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    pl.DataFrame(rows).write_parquet(path)
    [paradigm] = read_blimp(tmp_path / "hub")
    assert paradigm.name == "goose_agreement"
    assert [c.name for c in paradigm.contrasts] == ["full"]
    assert [item.id for item in paradigm.items] == [f"goose_agreement/{n}" for n in range(3)]


def test_own_spans_are_read_back_and_prefix_fields_win(write_jsonl, one_prefix_row):
    row = one_prefix_row(
        spans_good=[["subject", 0, 11], ["critical", 0, 1]], spans_bad=[["subject", 0, 11]]
    )
    [paradigm] = read_blimp(write_jsonl("x.jsonl", row))
    good, bad = paradigm.items[0]["good"], paradigm.items[0]["bad"]
    assert [s.name for s in good.spans] == ["subject", "critical", "prefix"]
    assert good["critical"] == "were"
    assert bad["subject"] == "The 0 geese"


def test_contexts_condition_the_sentences(write_jsonl, full_row):
    path = write_jsonl("x.jsonl", full_row(0, context="Look."), full_row(1, context_bad="Hm."))
    [paradigm] = read_blimp(path)
    first, second = paradigm.items
    assert (first["good"].context, first["bad"].context) == ("Look.", "Look.")
    assert (second["good"].context, second["bad"].context) == ("", "Hm.")


def test_further_keys_are_kept_in_meta(write_jsonl, full_row):
    [paradigm] = read_blimp(write_jsonl("x.jsonl", full_row(dependency_length=4)))
    assert paradigm.items[0].meta["dependency_length"] == 4
    assert paradigm.items[0].meta["lexically_identical"] is False


@pytest.fixture
def with_identical(write_jsonl, full_row):
    same = "The goose sleeps."
    rows = [full_row(n, sentence_good=same, sentence_bad=same) if n < 12 else full_row(n)
            for n in range(14)]  # fmt: skip
    return write_jsonl("x.jsonl", *rows)


def test_identical_pairs_are_reported_and_kept(with_identical):
    with pytest.warns(DataWarning) as caught:
        [paradigm] = read_blimp(with_identical)
    [warning] = caught
    assert "12 pairs have identical sentences (goose_agreement/0, " in str(warning.message)
    assert "goose_agreement/9 and 2 more); kept, and will tie" in str(warning.message)
    assert len(paradigm) == 14
    assert identical_pairs(paradigm) == [f"goose_agreement/{n}" for n in range(12)]


def test_identical_pairs_are_dropped_if_asked(with_identical):
    with pytest.warns(DataWarning, match="dropped"):
        [paradigm] = read_blimp(with_identical, drop_identical=True)
    assert [item.id for item in paradigm.items] == ["goose_agreement/12", "goose_agreement/13"]


def test_the_same_sentence_after_two_contexts_is_not_identical(write_jsonl, full_row):
    row = full_row(sentence_bad="The 0 geese were grey.", context_good="Two.", context_bad="One.")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        [paradigm] = read_blimp(write_jsonl("x.jsonl", row))
    assert identical_pairs(paradigm) == []


def test_white_space_at_an_end_is_kept_and_told(write_jsonl, full_row):
    path = write_jsonl("x.jsonl", full_row(sentence_good=" Geese were grey."))
    with pytest.warns(DataWarning, match="1 sentence has white space at an end"):
        [paradigm] = read_blimp(path)
    assert paradigm.items[0]["good"].text == " Geese were grey."


def test_a_byte_order_mark_blank_lines_and_windows_line_ends_do_no_harm(write_text, full_row):
    lines = "\r\n".join([json.dumps(full_row(0)), "", json.dumps(full_row(1)), ""])
    [paradigm] = read_blimp(write_text("x.jsonl", b"\xef\xbb\xbf" + lines.encode()))
    assert len(paradigm) == 2


def test_a_line_separator_inside_a_sentence_is_part_of_it(write_text, full_row):
    row = json.dumps(full_row(sentence_good="A\u2028goose."), ensure_ascii=False)
    [paradigm] = read_blimp(write_text("x.jsonl", row))
    assert paradigm.items[0]["good"].text == "A\u2028goose."


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ('{"sentence_good": "A', ":2: broken JSON"),
        ("[1, 2]", ":2: not a JSON object"),
        ({"sentence_good": "A goose."}, ":2: no 'sentence_bad' (found: sentence_good)"),
        ({"sentence_good": "A.", "sentence_bad": " "}, ":2: 'sentence_bad' is empty"),
        ({"sentence_good": 3, "sentence_bad": "A."}, ":2: 'sentence_good' is 3, not a text"),
        (
            {"sentence_good": "A.", "sentence_bad": "B.", "pairID": "0"},
            ":2: the pair x/0 is already at ",
        ),
        (
            {"sentence_good": "A.", "sentence_bad": "B.", "field": "syntax"},
            ":2: field and linguistics_term are ('syntax', '')",
        ),
        (
            {"sentence_good": "A b.", "sentence_bad": "A c.", "one_prefix_prefix": "A"},
            ":2: this row has one_prefix fields, but x began with none",
        ),
        (
            {"sentence_good": "A.", "sentence_bad": "B.", "spans_good": [["all", 0, 9]]},
            ":2: spans_good has ['all', 0, 9]",
        ),
        (
            {"sentence_good": "A.", "sentence_bad": "B.", "spans_bad": 0},
            ":2: spans_bad has 0; each span must be",
        ),
        (
            {"sentence_good": "A.", "sentence_bad": "B.", "context": {"a": True}},
            ":2: context is {'a': True}, not a text; write it as a string",
        ),
        (
            {"sentence_good": "A.", "sentence_bad": "B.", "context_bad": False},
            ":2: context_bad is False, not a text; write it as a string",
        ),
    ],
)
def test_a_bad_row_is_refused_in_one_line_with_its_place(write_jsonl, second, message):
    path = write_jsonl("x.jsonl", {"sentence_good": "Yes.", "sentence_bad": "No."}, second)
    with pytest.raises(DataError) as caught:
        read_blimp(path)
    assert f"{path}{message}" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"one_prefix_word_bad": None}, "no 'one_prefix_word_bad'"),
        ({"one_prefix_word_bad": " "}, "'one_prefix_word_bad' is empty"),
        ({"one_prefix_word_bad": 7}, "'one_prefix_word_bad' is 7, not a text"),
    ],
)
def test_prefix_fields_must_be_whole(write_jsonl, one_prefix_row, change, message):
    with pytest.raises(DataError, match=message):
        read_blimp(write_jsonl("x.jsonl", one_prefix_row(**change)))


def test_bytes_that_are_not_utf8_are_refused_with_their_line(write_text, full_row):
    first = json.dumps(full_row()).encode()
    path = write_text("x.jsonl", first + b'\n{"sentence_good": "caf\xe9"}\n')
    with pytest.raises(DataError, match=r"x\.jsonl:2: byte 0xe9 is not valid UTF-8; save"):
        read_blimp(path)


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_an_empty_file_is_refused(write_text, content):
    with pytest.raises(DataError, match="the file is empty"):
        read_blimp(write_text("x.jsonl", content))


def test_what_is_not_there_is_refused(tmp_path, write_text, write_jsonl):
    with pytest.raises(DataError, match=r"no file or folder .*nowhere.*check the path"):
        read_blimp(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"no data files in this folder; it needs \.jsonl"):
        read_blimp(tmp_path)
    with pytest.raises(DataError, match=r"JSONL or parquet; use pairs:"):
        read_blimp(write_text("x.csv", "good,bad\na,b\n"))
    with pytest.raises(DataError, match="not a readable parquet file"):
        read_blimp(write_text("x.parquet", "PAR1 no"))
    folder = write_jsonl("d/other.jsonl", {"text": "A."}).parent
    with pytest.raises(DataError, match="no file here has sentence_good and sentence_bad"):
        read_blimp(folder)


def test_an_empty_parquet_file_is_refused(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"sentence_good": []}).write_parquet(path)
    with pytest.raises(DataError, match="the file is empty"):
        read_blimp(path)


@pytest.mark.shared
def test_the_official_files_are_read_whole(shared):
    with pytest.warns(DataWarning, match=r"models_summary\.jsonl: skipped") as caught:
        sets = {s.name: s for s in read_blimp(shared / "data" / "blimp")}
    assert len(caught) == 1
    table = json.loads((shared / "spec" / "blimp" / "paradigms.json").read_text())
    known = {row["UID"]: row for row in table}
    assert len(sets) == 3
    for name, paradigm in sets.items():
        row = known[name]
        flags = {m for m in ("one_prefix", "two_prefix") if row[f"{m}_method"]}
        assert len(paradigm) == 1000
        assert paradigm.taxonomy == (row["field"], row["phenomenon"])
        assert {c.name for c in paradigm.contrasts} == {"full"} | flags


@pytest.mark.shared
def test_the_table_of_paradigms_agrees_with_the_specification(shared):
    from priscian.datasets import blimp_taxonomy

    table = json.loads((shared / "spec" / "blimp" / "paradigms.json").read_text())
    assert blimp_taxonomy() == {r["UID"]: (r["field"], r["phenomenon"]) for r in table}
    assert len(blimp_taxonomy()) == 67


def test_a_field_without_a_phenomenon_is_no_taxonomy(write_jsonl, full_row):
    [paradigm] = read_blimp(write_jsonl("x.jsonl", full_row(linguistics_term=None)))
    assert paradigm.taxonomy == ()
    [paradigm] = read_blimp(write_jsonl("x.jsonl", full_row(field=None)))
    assert paradigm.taxonomy == ("subject_verb_agreement",)


def test_the_collector_runs_again_after_a_read_that_failed(tmp_path):
    assert gc.isenabled()
    with pytest.raises(DataError):
        read_blimp(tmp_path / "nowhere")
    assert gc.isenabled()


def test_rows_that_list_spans_without_prefixes_keep_them(write_jsonl, full_row):
    row = full_row(spans_good=[["verb", 12, 16]], spans_bad=[["verb", 12, 15]])
    [paradigm] = read_blimp(write_jsonl("x.jsonl", row))
    assert [s["verb"] for s in paradigm.items[0].conditions.values()] == ["were", "was"]


def test_a_file_that_cannot_be_opened_is_told(tmp_path, monkeypatch, write_jsonl, full_row):
    path = write_jsonl("x.jsonl", full_row())

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(DataError, match=r"x\.jsonl: cannot be read \(Permission denied\)"):
        read_blimp(path)
