"""Suites: read, checked, written back."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.small_suites import choice, garden, save

from priscian.datasets import read_dataset
from priscian.datasets.reference import find_published, published_suites, selection
from priscian.datasets.syntaxgym import (
    build_sentence,
    punctuate,
    read_suite,
    read_suites,
    suite_from_json,
)
from priscian.datasets.syntaxgym_write import suite_json, write_suite
from priscian.errors import DataError, DataWarning, UsageError
from priscian.records import Comparison, Value


class TestReading:
    def test_regions_are_spans_and_formulas_contrasts(self) -> None:
        suite = suite_from_json(choice(), "choice.json")
        good = suite.items[0]["good"]
        assert good.text == "The nurse has forgotten"
        assert [good[str(n)] for n in (1, 2, 3)] == ["The nurse", "has", "forgotten"]
        assert suite.contrasts[0].expression == Comparison(
            "<", Value("good", "2"), Value("bad", "2")
        )
        assert suite.items[1].id == "choice/2"
        assert suite.chance == 0.5

    def test_edge_spaces_are_taken_away_with_one_warning(self) -> None:
        data = choice()
        data["items"][0]["conditions"][0]["regions"][1]["content"] = " has  "
        data["items"][0]["conditions"][1]["regions"][2]["content"] = "long  gone"
        with pytest.warns(DataWarning, match=r"choice\.json: 2 regions have spaces"):
            suite = suite_from_json(data, "choice.json")
        assert suite.items[0]["good"].text == "The nurse has forgotten"
        assert suite.items[0]["bad"]["3"] == "long gone"

    def test_regions_may_stand_in_any_order(self) -> None:
        data = choice()
        data["items"][0]["conditions"][0]["regions"].reverse()
        assert suite_from_json(data, "x").items[0]["good"].text == "The nurse has forgotten"

    def test_a_published_name_gives_circuit_and_modifier(self) -> None:
        data = garden("mvrr_mod")
        suite = suite_from_json(data, "x")
        assert suite.taxonomy == ("Garden-Path Effects",)
        assert suite.meta["modifier_of"] == "mvrr"

    @pytest.mark.parametrize(
        ("asked", "metric"), [("all", "sum"), (["mean", "sum"], "sum"), (["max"], "max")]
    )
    def test_of_several_metrics_the_sum_counts(self, asked: object, metric: str) -> None:
        data = choice()
        data["meta"]["metric"] = asked
        assert suite_from_json(data, "x").meta["metric"] == metric

    def test_a_folder_is_read_file_by_file_and_a_manifest_passed_over(self, tmp_path: Path) -> None:
        folder = save(tmp_path / "suites", choice(), garden())
        (folder / "manifest.json").write_text("{}")
        data = read_dataset(f"sg:{folder}")
        assert [s.name for s in data.sets] == ["choice", "garden"]
        assert (data.name, data.kind, data.refused) == ("suites", "suites", ())
        assert [s.name for s in read_dataset(str(folder)).sets] == ["choice", "garden"]
        assert [s.name for s in read_dataset(str(folder / "garden.json")).sets] == ["garden"]

    def test_a_broken_suite_is_named_and_the_others_go_on(self, tmp_path: Path) -> None:
        broken = garden("broken")
        del broken["items"][1]["conditions"][2]["regions"][4]
        folder = save(tmp_path / "suites", choice(), broken)
        (folder / "worse.json").write_text("{")
        sets, refused = read_suites(folder)
        assert [s.name for s in sets] == ["choice"]
        assert len(refused) == 2
        assert "broken.json: item 2, condition 'plain': region 5 is missing" in refused[0]
        assert "worse.json: broken JSON" in refused[1]

    def test_two_suites_of_one_name_are_refused(self, tmp_path: Path) -> None:
        folder = save(tmp_path / "suites", choice())
        (folder / "twin.json").write_text(json.dumps(choice()))
        assert "another file has a suite 'choice' too" in read_suites(folder)[1][0]


class TestSentences:
    @pytest.mark.parametrize(
        ("contents", "attached", "detached"),
        [
            (["He ran", ",", "she sat ."], "He ran, she sat.", "He ran , she sat ."),
            (["", "", "Go", "", "!"], "Go!", "Go !"),
            (["Well ; yes", ":", "no ?"], "Well; yes: no?", "Well ; yes : no ?"),
        ],
    )
    def test_punctuation_is_attached_or_left(
        self, contents: list[str], attached: str, detached: str
    ) -> None:
        assert build_sentence(contents).text == attached
        assert build_sentence(contents, "detached").text == detached

    def test_an_empty_region_stands_where_the_next_begins(self) -> None:
        spans = build_sentence(["", "a", "", "b", ""]).spans
        assert [(s.start, s.end) for s in spans] == [(0, 0), (0, 1), (2, 2), (2, 3), (3, 3)]

    def test_a_suite_can_be_punctuated_again(self) -> None:
        suite = suite_from_json(garden(), "x")
        apart = punctuate(suite, "detached")
        assert suite.items[0]["comma"].text == "While she painted, the goose forgot us."
        assert apart.items[0]["comma"].text == "While she painted , the goose forgot us ."
        assert punctuate(apart, "attached") == suite


class TestWriting:
    @pytest.mark.parametrize("make", [garden, choice])
    def test_what_is_read_is_written_back(self, make: Callable[[], dict[str, Any]]) -> None:
        assert suite_json(suite_from_json(make(), "x")) == make()

    def test_the_csv_form_keeps_items_and_formulas(self, tmp_path: Path) -> None:
        suite = suite_from_json(garden(), "x")
        write_suite(suite, tmp_path / "garden.csv")
        again = read_suite(tmp_path / "garden.csv")
        assert again.content_hash == suite.content_hash
        assert again.contrasts == suite.contrasts
        assert (tmp_path / "garden.csv").read_text().startswith("#Prediction [(5;%plain%)")

    def test_an_evaluated_suite_has_metric_values(self, tmp_path: Path) -> None:
        suite = suite_from_json(choice(), "x")
        bits = {"1": 1.5, "2": 2.5, "3": 0.0}
        write_suite(suite, tmp_path / "a.json", lambda item, condition: bits, "tiny")
        data = json.loads((tmp_path / "a.json").read_text())
        assert data["meta"]["model"] == "tiny"
        region = data["items"][1]["conditions"][0]["regions"][1]
        assert region == {
            "region_number": 2, "content": "have", "metric_value": {"sum": 2.5}, "oovs": []
        }  # fmt: skip
        assert read_suite(tmp_path / "a.json").content_hash == suite.content_hash
        with pytest.raises(DataError, match="has no surprisals"):
            write_suite(suite, tmp_path / "a.csv", lambda item, condition: bits, "tiny")

    def test_formulas_made_in_code_are_printed(self) -> None:
        suite = suite_from_json(choice(), "x")
        meta = {k: v for k, v in suite.meta.items() if k != "formulas"}
        bare = type(suite)(suite.name, suite.items, suite.contrasts, meta=meta)
        assert suite_json(bare)["predictions"][0]["formula"] == "(2;%good%)<(2;%bad%)"


class TestCsv:
    def test_a_published_name_needs_no_formula(self, tmp_path: Path) -> None:
        file = tmp_path / "nn-nv-rpl.csv"
        names = ("nn_ambig", "nn_unambig", "nv_ambig", "nv_unambig")
        rows = [f"1,{c},{r},r{r},word{r}" for c in names for r in range(1, 6)]
        header = "item_number,condition_name,region_number,region_name,content"
        file.write_text("\n".join([header, *rows]) + "\n")
        assert len(read_suite(file).contrasts) == 2

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("item_number,condition_name,region_number,region_name,content\n1,a,1,x,Go\n",
             "put a line '#Prediction FORMULA'"),
            ("#Prediction (1;%a%)<1\nitem_number,condition_name,content\n1,a,Go\n",
             "2: no column 'region_number'"),
            ("#Prediction (1;%a%)<1\nitem_number,condition_name,region_number,region_name,content\n"
             "one,a,1,x,Go\n", "3: item_number is 'one'; write a whole number"),
            ("#Prediction (1;%a%)<1\nitem_number,condition_name,region_number,region_name,content\n"
             "1,a,1,x,Go,now\n", "3: 6 cells where the header has 5"),
        ],
    )  # fmt: skip
    def test_a_broken_table_names_the_line(self, tmp_path: Path, text: str, says: str) -> None:
        (tmp_path / "mine.csv").write_text(text)
        with pytest.raises(DataError) as caught:
            read_suite(tmp_path / "mine.csv")
        assert says in str(caught.value)


def change(path: tuple[Any, ...], value: Any = None) -> dict[str, Any]:
    """The garden suite with something deleted or replaced."""
    data: Any = copy.deepcopy(garden())
    at = data
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return data  # type: ignore[no-any-return]


FIRST = ("items", 0, "conditions", 0)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "the file is not a JSON object"),
        (change(("meta",)), "the file has no 'meta'"),
        (change(("meta", "name")), "meta of the file has no 'name'"),
        (change(("meta", "name"), " "), "empty name"),
        (change(("meta", "metric")), 'add "metric": "sum"'),
        (change(("meta", "metric"), "total"), "the metric 'total'; use sum, mean"),
        (change(("region_meta", "3")), "region_meta has no region 3"),
        (change(("region_meta",), {}), "region_meta has no region 1"),
        (change(("predictions",), []), "the suite has no predictions"),
        (change(("predictions", 0, "formula")), "prediction 1 has no 'formula'"),
        (change(("predictions", 0, "type"), "code"), "prediction 1 has the type 'code'"),
        (change(("items",), []), "the suite has no items"),
        (change(("items",), {}), "items of the file is {}; it must be a list"),
        (change(("items", 1, "item_number"), 1), "two items have the number 1"),
        (change(("items", 1, "item_number"), "2"), "is '2'; it must be a whole number"),
        (change(("items", 1, "item_number"), True), "is True; it must be a whole number"),
        (change(("items", 1, "conditions", 0)), "item 2: condition 'short' is missing"),
        (change(("items", 0, "conditions"), []), "item 1 has no conditions"),
        (change((*FIRST, "condition_name"), "short"), "has the condition 'short' twice"),
        (change((*FIRST, "regions", 4)), "item 1, condition 'comma': region 5 is missing"),
        (change((*FIRST, "regions", 4, "region_number"), 4), "region 4 is listed twice"),
        (change((*FIRST, "regions", 4, "region_number"), 9), "region 9 is not in region_meta"),
        (change((*FIRST, "regions", 4, "content"), 5), "the content of region 5 is 5"),
        (change(("predictions", 0, "formula"), "(5;%odd%)<(5;%plain%)"),
         "prediction 0, character 5: no condition 'odd'; the items have comma"),
        (change(("predictions", 0, "formula"), "(7;%plain%)<(5;%plain%)"),
         "prediction 0: no region 7"),
        (change(("predictions", 0, "formula"), "(0;%plain%)<(5;%plain%)"), "no region 0"),
        (change(("predictions", 0, "formula"), "(5;%plain%)"), "neither true nor false"),
        (change(("predictions", 0, "formula"), "1<2<3"), "character 4"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_suite_is_one_line_with_its_place(data: Any, says: str) -> None:
    with pytest.raises(DataError) as caught:
        suite_from_json(data, "garden.json")
    assert says in str(caught.value)
    assert str(caught.value).startswith("garden.json: ")
    assert "\n" not in str(caught.value)


def test_an_item_of_empty_regions_is_refused() -> None:
    data = choice()
    for region in data["items"][0]["conditions"][0]["regions"]:
        region["content"] = " "
    with pytest.raises(DataError, match="item 1, condition 'good': every region is empty"):
        suite_from_json(data, "x")


class TestTable:
    def test_34_suites_33_in_circuits_31_in_the_figures(self) -> None:
        assert len(published_suites()) == 34
        assert [len(selection(s)) for s in ("31", "33", "34")] == [31, 33, 34]
        assert selection("33") - selection("31") == {"fgd-embed3", "fgd-embed4"}
        assert selection("34") - selection("33") == {"nn-nv-rpl"}
        counts: dict[str, int] = {}
        for suite in published_suites().values():
            counts[suite.circuit] = counts.get(suite.circuit, 0) + 1
        assert sorted(counts.values()) == [1, 2, 3, 4, 6, 8, 10]

    def test_dashes_and_capitals_do_not_matter(self) -> None:
        found = find_published("FGD_embed3")
        assert found is not None
        assert found.name == "fgd-embed3"
        assert find_published("mine") is None

    def test_five_suites_have_a_modifier_version(self) -> None:
        pairs = [s for s in published_suites().values() if s.modifier_of]
        assert len(pairs) == 5
        assert {s.modifier_of for s in pairs} <= published_suites().keys()

    def test_an_unknown_selection_is_refused(self) -> None:
        with pytest.raises(UsageError, match="`suites=` takes 31, 33, 34, ours"):
            selection("32")


@pytest.mark.shared
def test_all_shared_suites_load_and_round_trip(shared: Path, tmp_path: Path) -> None:
    files = sorted((shared / "data/syntaxgym/suites").glob("*.json"))
    assert len(files) == 20
    for file in files:
        raw = json.loads(file.read_text("utf-8"))
        spaces = 0
        for item in raw["items"]:
            for condition in item["conditions"]:
                for region in condition["regions"]:
                    stripped = " ".join(region["content"].split())
                    spaces += stripped != region["content"]
                    region["content"] = stripped
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            suite = read_suite(file)
        assert len(told) == (1 if spaces else 0)
        assert suite_json(suite) == raw
        known = published_suites()[suite.name]
        texts = [c.expression for c in suite.contrasts]
        from priscian.formulas import parse_formula

        assert texts == [parse_formula(f) for f in known.formulas]
        write_suite(suite, tmp_path / f"{suite.name}.csv")
        assert read_suite(tmp_path / f"{suite.name}.csv").content_hash == suite.content_hash
