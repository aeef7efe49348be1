"""Data sets with columns of their own: small files of each shape, with sentences of our own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars
import pytest

from priscian import score
from priscian.datasets import Dataset, data_formats, read_dataset
from priscian.datasets.lint import check_data
from priscian.datasets.mapped_pairs import PairFormat, pair_formats
from priscian.errors import DataError

Write = Callable[..., Path]

MULTIBLIMP = (
    "sen\twrong_sen\tlang\tphenomenon\tdistance\n"
    "Die Eule schläft.\tDie Eule schlafen.\tdeu\tSV-#\t1\n"
    "Die Eulen schlafen.\tDie Eulen schläft.\tdeu\tSV-#\t1\n"
    "Du schläfst.\tDu schlafe.\tdeu\tSV-P\t1\n"
)
CLIMP = (
    "classifier,cl_noun,我买了一本书,1\n"
    "classifier,cl_noun,我买了一张书,0\n"
    'ba,ba_order,"他把杯子洗了",1\n'
    'ba,ba_order,"他洗了把杯子",0\n'
)
BLIMP_NL = (
    "Number (phenomenon),Phenomenon,Number (paradigm),Paradigm,Item,Grammaticality,Sentence,"
    "Critical word(s),Cue word(s)\n"
    "1,agreement,1,number,1,1,De uil slaapt.,slaapt,uil\n"
    "1,agreement,1,number,2,1,De uilen slapen.,slapen,uilen\n"
    "1,agreement,1,number,2,0,De uilen slaapt.,slaapt,uilen\n"
    "1,agreement,1,number,1,0,De uil slapen.,slapen,uil\n"
)
TURBLIMP = (
    "good_sentence;bad_sentence;good_cue;bad_cue;critical_region;phenomenon\n"
    "Ben uyudum.;Ben uyudun.;Ben;Ben;uyudum;agreement\n"
)
RUBLIMP = (
    "id,source_sentence,target_sentence,source_word,target_word,level,phenomenon,PID,subtype,"
    "domain,tree_depth\n"
    "7,Сова спит.,Сова спят.,спит,спят,syntax,agreement,noun_number,,books,2\n"
)
JBLIMP = {
    "ID": 12,
    "good_sentence": "猫が魚を食べた。",
    "bad_sentence": "猫を魚が食べた。",
    "type": "case",
    "phenomenon": "argument structure",
    "phenomenon-2": "",
    "paradigm": "case_swap",
}
SLING = {
    "sentence_good": "他吃过苹果。",
    "sentence_bad": "他吃苹果过。",
    "phenomenon": "Aspect",
    "paradigm": "guo",
    "pair_ID": 3,
    "field": "syntax",
}
ZHOBLIMP = {"sentence_good": "他看书。", "sentence_bad": "他书看。", "paradigm": "order"}
QFRBLIMP = {
    "sentence_a": "La chouette dors.",
    "sentence_b": "La chouette dort.",
    "category": "morphology",
    "type": 2,
    "subcat": None,
    "annotator_1": 1,
    "label": 1,
}
EWOK = {
    "Domain": "spatial-relations",
    "ContextType": "direct",
    "ContextDiff": "antonym",
    "TargetDiff": "swap",
    "Context1": "The owl is above the barn.",
    "Context2": "The owl is below the barn.",
    "Target1": "The owl can see the roof.",
    "Target2": "The owl can see the cellar.",
}
COMPS = {
    "id": 5,
    "prefix_acceptable": "an owl",
    "prefix_unacceptable": "a barn",
    "property_phrase": "can fly.",
    "property": "fly",
}


def texts(data: Dataset) -> dict[str, tuple[str, str]]:
    return {i.id: (i["good"].text, i["bad"].text) for s in data.sets for i in s.items}


def test_multiblimp_is_grouped_by_language_and_phenomenon(write_text: Write) -> None:
    path = write_text("multi/deu/data.tsv", MULTIBLIMP)
    for target in (path, path.parent, path.parents[1]):
        data = read_dataset(f"multiblimp:{target}")
        assert [(s.name, s.taxonomy, s.language, len(s)) for s in data.sets] == [
            ("deu/SV-#", ("deu", "SV-#"), "deu", 2),
            ("deu/SV-P", ("deu", "SV-P"), "deu", 1),
        ]
        assert data.taxonomy_levels == ("language", "phenomenon")
    item = data.sets[0].items[0]
    assert (item["good"].text, item["bad"].text) == ("Die Eule schläft.", "Die Eule schlafen.")
    assert item.meta["distance"] == "1"
    assert data.sets[0].reference.startswith("Jumelet")
    assert data.sets[0].meta["measure"] == "surprisal_per_token"


def test_multiblimp_takes_the_language_from_the_file_where_no_column_has_it(
    write_text: Write,
) -> None:
    path = write_text("nld.tsv", "sen\twrong_sen\nDe uil slaapt.\tDe uil slapen.\n")
    (itemset,) = read_dataset(f"multiblimp:{path}").sets
    assert (itemset.language, itemset.name) == ("nld", "nld")
    english = write_text("eng/data.tsv", "sen\twrong_sen\nOwls hoot.\tOwls hoots.\n")
    (itemset,) = read_dataset(f"multiblimp:{english}").sets
    assert itemset.language == "en"


def test_climp_has_no_header_and_its_rows_alternate(write_text: Write) -> None:
    data = read_dataset(f"climp:{write_text('climp.csv', CLIMP)}")
    assert texts(data) == {
        "cl_noun/0": ("我买了一本书", "我买了一张书"),
        "ba_order/0": ("他把杯子洗了", "他洗了把杯子"),
    }
    assert [(s.taxonomy, s.language) for s in data.sets] == [
        (("classifier",), "zh"),
        (("ba",), "zh"),
    ]


def test_sling_zhoblimp_and_jblimp_are_grouped_by_paradigm(write_jsonl: Write) -> None:
    (sling,) = read_dataset(f"sling:{write_jsonl('guo.jsonl', SLING)}").sets
    assert (sling.name, sling.taxonomy) == ("guo", ("syntax", "Aspect"))
    assert sling.items[0].id == "guo/3"
    (zho,) = read_dataset(f"zhoblimp:{write_jsonl('z.jsonl', ZHOBLIMP)}").sets
    assert (zho.name, zho.meta["measure"]) == ("order", "slln_lp")
    named = {**ZHOBLIMP, "UID": "swap"}
    del named["paradigm"]
    (zho,) = read_dataset(f"zhoblimp:{write_jsonl('y.jsonl', named)}").sets
    assert zho.name == "swap"
    (jap,) = read_dataset(f"jblimp:{write_jsonl('j.jsonl', JBLIMP)}").sets
    assert (jap.name, jap.items[0].id, jap.language) == ("case_swap", "case_swap/12", "ja")
    assert jap.taxonomy == ("argument structure",)


def test_jblimp_reads_the_validated_pairs_of_a_folder_only(
    write_jsonl: Write, tmp_path: Path
) -> None:
    write_jsonl("j/raw_minimal_pairs.jsonl", JBLIMP, JBLIMP)
    write_jsonl("j/validated_minimal_pairs.jsonl", JBLIMP)
    assert [len(s) for s in read_dataset(f"jblimp:{tmp_path / 'j'}").sets] == [1]


def test_rublimp_keeps_the_words_that_differ(write_text: Write) -> None:
    (itemset,) = read_dataset(f"rublimp:{write_text('noun_number.csv', RUBLIMP)}").sets
    (item,) = itemset.items
    assert (item.id, itemset.taxonomy) == ("noun_number/7", ("syntax", "agreement"))
    assert (item["good"].text, item["bad"].text) == ("Сова спит.", "Сова спят.")
    assert (item.meta["source_word"], item.meta["target_word"]) == ("спит", "спят")


def test_the_rows_of_blimp_nl_are_joined_by_item(write_text: Write) -> None:
    data = read_dataset(f"blimp-nl:{write_text('agreement.csv', BLIMP_NL)}")
    assert texts(data) == {
        "number/1": ("De uil slaapt.", "De uil slapen."),
        "number/2": ("De uilen slapen.", "De uilen slaapt."),
    }


@pytest.mark.parametrize("delimiter", [";", ","])
def test_turblimp_has_semicolons_or_commas(write_text: Write, delimiter: str) -> None:
    path = write_text("agreement.csv", TURBLIMP.replace(";", delimiter))
    assert texts(read_dataset(f"turblimp:{path}")) == {
        "agreement/0": ("Ben uyudum.", "Ben uyudun.")
    }


def test_the_label_of_qfrblimp_is_the_number_of_the_good_sentence(write_jsonl: Write) -> None:
    first = {**QFRBLIMP, "sentence_a": "Il dort.", "sentence_b": "Il dors.", "label": 0}
    data = read_dataset(f"qfrblimp:{write_jsonl('q.jsonl', QFRBLIMP, first)}")
    assert texts(data) == {
        "type_2/0": ("La chouette dort.", "La chouette dors."),
        "type_2/1": ("Il dort.", "Il dors."),
    }
    assert data.sets[0].items[0].meta["annotator_1"] == 1


def test_copies_with_pairs_under_the_usual_names_are_read_too(tmp_path: Path) -> None:
    rows = {"sentence_good": ["De uil slaapt."], "sentence_bad": ["De uil slapen."]}
    polars.DataFrame(rows).write_parquet(tmp_path / "agreement.parquet")
    data = read_dataset(f"blimp-nl:{tmp_path}")
    assert texts(data) == {"agreement/0": ("De uil slaapt.", "De uil slapen.")}
    assert data.sets[0].language == "nl"


class TestEwok:
    def test_an_item_has_both_targets_after_both_contexts(self, write_jsonl: Write) -> None:
        (itemset,) = read_dataset(f"ewok:{write_jsonl('e.jsonl', EWOK)}").sets
        (item,) = itemset.items
        assert itemset.name == "spatial-relations"
        assert {c: s.context + s.text for c, s in item.conditions.items()} == {
            "good": "The owl is above the barn. The owl can see the roof.",
            "bad": "The owl is above the barn. The owl can see the cellar.",
            "swapped_1": "The owl is below the barn. The owl can see the roof.",
            "swapped_2": "The owl is below the barn. The owl can see the cellar.",
        }
        assert [c.name for c in itemset.contrasts] == ["full", "target_1", "target_2"]
        assert "Context1" not in item.meta
        assert item.meta["ContextDiff"] == "antonym"

    @pytest.mark.filterwarnings("ignore:.*worse than guessing")
    def test_each_contrast_compares_two_of_the_four(
        self, write_jsonl: Write, causal: Callable[..., Path], tmp_path: Path
    ) -> None:
        data = f"ewok:{write_jsonl('e.jsonl', EWOK)}"
        run = score(f"hf:{causal('gpt2')}", data, out=tmp_path / "run")
        rows = {row["method"]: row for row in run.results[0].frame().to_dicts()}
        assert rows.keys() == {"full", "target_1", "target_2"}
        first, second = rows["target_1"], rows["target_2"]
        assert rows["full"]["score_good"] == first["score_good"]
        assert rows["full"]["score_bad"] == second["score_bad"]
        assert first["delta"] == pytest.approx(first["score_good"] - first["score_swapped_1"])
        assert second["delta"] == pytest.approx(second["score_swapped_2"] - second["score_bad"])


def test_comps_compares_the_same_property_after_two_beginnings(write_jsonl: Write) -> None:
    (itemset,) = read_dataset(f"comps:{write_jsonl('comps_base.jsonl', COMPS)}").sets
    (item,) = itemset.items
    assert (item.id, itemset.name) == ("comps_base/5", "comps_base")
    assert item["good"].text == "an owl can fly."
    assert [item[side]["critical"] for side in ("good", "bad")] == ["can fly."] * 2
    assert [item[side]["prefix"] for side in ("good", "bad")] == ["an owl", "a barn"]
    assert [c.name for c in itemset.contrasts] == ["full", "two_prefix"]


@pytest.mark.parametrize(
    ("name", "file", "content", "message"),
    [
        (
            "multiblimp",
            "d.tsv",
            MULTIBLIMP.replace("Die Eulen schläft.", ""),
            "d.tsv:3: 'wrong_sen' is empty",
        ),
        (
            "multiblimp",
            "d.tsv",
            MULTIBLIMP.replace("wrong_sen", "wrong"),
            "d.tsv:2: no 'wrong_sen' .*every row needs sen, wrong_sen",
        ),
        (
            "climp",
            "c.csv",
            CLIMP.replace("书,0", "书,1"),
            "c.csv:2: a second acceptable sentence of the pair that begins on line 1",
        ),
        (
            "climp",
            "c.csv",
            CLIMP.replace("书,0", "书,maybe"),
            "c.csv:2: label is 'maybe'; write 1 for acceptable",
        ),
        ("climp", "c.csv", CLIMP.partition("\n")[2], "c.csv:2: the paradigm changes inside a pair"),
        (
            "climp",
            "c.csv",
            CLIMP + CLIMP.partition("\n")[0],
            "c.csv:5: a sentence without its counterpart",
        ),
        (
            "climp",
            "c.csv",
            CLIMP.replace(",0\n", "\n", 1),
            "c.csv:2: 3 cells where the header has 4",
        ),
        (
            "blimp-nl",
            "n.csv",
            BLIMP_NL.replace("number,1,0,", "number,3,0,"),
            "n.csv:2: a sentence without its counterpart",
        ),
        (
            "qfrblimp",
            "q.jsonl",
            json.dumps({**QFRBLIMP, "label": 2}),
            "q.jsonl:1: label is '2'; write 0 if the first",
        ),
        ("ewok", "e.jsonl", json.dumps({**EWOK, "Target2": None}), "e.jsonl:1: no 'Target2'"),
        (
            "comps",
            "c.jsonl",
            json.dumps({**COMPS, "property_phrase": 3}),
            "c.jsonl:1: 'property_phrase' is 3, not a text",
        ),
    ],
)
def test_broken_rows_are_named_by_file_and_line(
    write_text: Write, name: str, file: str, content: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_dataset(f"{name}:{write_text(file, content)}")


def test_every_format_of_the_table_is_registered_and_tells_its_measure() -> None:
    formats = data_formats()
    assert pair_formats().keys() <= formats.keys()
    assert len(pair_formats()) == 11
    assert formats["zhoblimp"].summary.endswith("`measure=slln_lp`")
    assert "measure=" not in formats["climp"].summary


def test_a_table_without_the_columns_of_its_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="the shape choice needs the columns second, label"):
        PairFormat(summary="x", shape="choice", columns={"first": "a"})


class TestChecks:
    def test_identical_pairs_are_reported(self, write_text: Write) -> None:
        path = write_text("t.csv", TURBLIMP + "Sen uyudun.;Sen uyudun.;;;;agreement\n")
        with pytest.warns(match="1 pair has identical sentences"):
            found = check_data(f"turblimp:{path}").findings
        assert ("identical", "t/1") in {(f.check, f.item) for f in found}

    def test_letters_of_two_scripts_in_a_word_are_reported(self, write_text: Write) -> None:
        odd = RUBLIMP.replace("Сова спят.", "Cова спят.")  # the first letter is Latin
        (found,) = check_data(f"rublimp:{write_text('r.csv', odd)}").findings
        assert (found.check, found.item) == ("script", "noun_number/7")
        assert found.message == "bad: cyrillic and latin in 'Cова'"

    def test_a_script_in_one_sentence_only_is_reported(self, write_text: Write) -> None:
        odd = RUBLIMP.replace("Сова спят.", "Owl спят.")
        (found,) = check_data(f"rublimp:{write_text('r.csv', odd)}").findings
        assert found.message.startswith("latin in one sentence only")
        foreign = RUBLIMP.replace("Сова", "Сова Anna")
        assert check_data(f"rublimp:{write_text('f.csv', foreign)}").findings == ()

    def test_a_final_mark_on_one_side_only_is_reported(self, write_text: Write) -> None:
        odd = TURBLIMP.replace("uyudun.", "uyudun")
        found = {f.check for f in check_data(f"turblimp:{write_text('t.csv', odd)}").findings}
        assert found == {"final-mark", "form"}

    def test_a_large_set_without_final_marks_is_reported_once(self, write_text: Write) -> None:
        rows = "".join(
            f"cl,noun,第{n}个人买了一本书,1\ncl,noun,第{n}个人买了一张书,0\n" for n in range(120)
        )
        found = check_data(f"climp:{write_text('c.csv', rows)}").findings
        assert [(f.check, f.item) for f in found] == [("form", "")]
        assert found[0].message == "no final mark in 240 sentences"
