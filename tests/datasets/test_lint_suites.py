"""`priscian check` on suites: each kind of fault is found, and nothing in clean suites."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.small_suites import choice, condition, garden

from priscian.cli import run
from priscian.datasets import read_dataset, write_suite
from priscian.datasets.lint import check_data, lint
from priscian.datasets.syntaxgym import suite_from_json

FORMULA = "(2;%good%)<(2;%bad%)"


def suite(*items: tuple[tuple[str, ...], tuple[str, ...]], formula: str = FORMULA) -> Any:
    """A suite of three regions and the conditions good and bad."""
    return {
        "meta": {"name": "mine", "metric": "sum"},
        "region_meta": {"1": "subject", "2": "verb", "3": "end"},
        "predictions": [{"type": "formula", "formula": formula}],
        "items": [
            {"item_number": n, "conditions": [condition("good", *g), condition("bad", *b)]}
            for n, (g, b) in enumerate(items, 1)
        ],
    }


CLEAN = (
    (("The nurse", "has", "left ."), ("The nurses", "has", "left .")),
    (("The cook", "was", "here ."), ("The cooks", "was", "here .")),
    (("A lawyer", "sees", "it ."), ("Some lawyers", "sees", "it .")),
    (("An uncle", "knows", "it ."), ("Some uncles", "knows", "it .")),
    (("The boy", "is", "there ."), ("The boys", "is", "there .")),
)


def found(data: Any) -> list[tuple[str, str]]:
    return [(f.check, f.item) for f in lint(suite_from_json(data, "mine.json"), "suites")]


def test_clean_suites_give_no_finding() -> None:
    for data in (suite(*CLEAN), choice()):
        assert found(data) == []


FAULTS: dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], str]] = {
    "the same text": ((("The girl", "eats", "it ."), ("The girl", "eats", "it .")), "identical"),
    "the same so far": (
        (("The girl", "eats", "it ."), ("The girl", "eats", "up .")),
        "no-contrast",
    ),
    "a copy": (CLEAN[1], "duplicate"),
    "an empty region": ((("The girl", "", "eats ."), ("The girls", "", "eats .")), "empty-region"),
    "no capital": ((("the girl", "eats", "it ."), ("the girls", "eats", "it .")), "form"),
    "no final mark": ((("The girl", "eats", "it"), ("The girls", "eats", "it")), "form"),
    "a capital inside": ((("Now", "The girl", "ate ."), ("So", "The girl", "ate .")), "capital"),
    "an article": ((("A aunt", "has", "it ."), ("The aunts", "has", "it .")), "article"),
    "a word twice": ((("The the girl", "ate", "."), ("The girls", "ate", ".")), "doubled"),
}


@pytest.mark.parametrize(("item", "check"), FAULTS.values(), ids=FAULTS)
def test_each_fault_is_found_and_no_other_item(item: Any, check: str) -> None:
    seen = found(suite(*CLEAN, item))
    assert (check, "mine/6") in seen
    assert {where for _, where in seen} == {"mine/6"}


@pytest.mark.filterwarnings("ignore::priscian.errors.DataWarning")
def test_stray_spaces_are_listed_with_their_place() -> None:
    item = (("The girl", "eats  up", "it ."), ("The girls ", "eats", "it ."))
    [one, two] = lint(suite_from_json(suite(*CLEAN, item), "mine.json"), "suites")
    assert (one.check, one.item) == ("spaces", "mine/6")
    assert one.message == "condition 'good', region 2: 'eats  up'"
    assert two.message == "condition 'bad', region 1: 'The girls '"


def test_a_word_may_come_twice_where_regions_meet() -> None:
    item = (("The girl she hated", "hated", "it ."), ("The girls she hated", "hated", "it ."))
    assert found(suite(*CLEAN, item)) == []


@pytest.mark.parametrize(
    ("formula", "tie"),
    [
        ("((1;%good%)+(2;%good%))<((1;%bad%)+(2;%bad%))", True),
        ("((2;%good%)-(2;%bad%))>0", True),
        ("((2;%good%)-(2;%bad%))>1", False),  # a constant decides
        ("(3;%good%)<(3;%bad%)", False),
        ("(2;%good%)=(2;%bad%)", False),  # equality is what is predicted
        ("(*;%good%)<(*;%bad%)", False),
    ],
)
def test_what_always_ties_is_worked_out_from_the_whole_comparison(formula: str, tie: bool) -> None:
    item = (("The girl", "eats", "it ."), ("The girl", "eats", "up ."))
    assert (("no-contrast", "mine/6") in found(suite(*CLEAN, item, formula=formula))) is tie


def spoil(data: Any, *path: Any, value: Any = None) -> Any:
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


def test_every_problem_of_a_file_that_cannot_be_read_is_listed(tmp_path: Path) -> None:
    data = garden()
    regions = ("items", 0, "conditions", 0, "regions")
    spoil(data, *regions, 2)
    spoil(data, *regions, 2, "content", value=7)
    spoil(data, "items", 1, "conditions", 0, "condition_name", value="odd")
    spoil(data, "items", 2, "item_number", value=1)
    spoil(data, "meta", "metric", value="product")
    data["predictions"].append({"type": "formula", "formula": "(5;%plane%)>(9;%comma%)"})
    file = tmp_path / "garden.json"
    file.write_text(json.dumps(data))
    checked = check_data(f"sg:{tmp_path}")
    assert {f.check for f in checked.findings} == {"format"}
    told = [f.message.removeprefix(f"{file}: ") for f in checked.findings]
    assert [line.partition(";")[0] for line in told] == [
        "meta names the metric 'product'",
        "item 1, condition 'comma': the content of region 4 is 7",
        "two items have the number 1",
        "item 1: condition 'odd' is missing, which other items have",
        "item 2: condition 'short' is missing, which other items have",
        "prediction 1, character 5: no condition 'plane'",
    ]


def test_broken_files_are_named_and_the_others_checked(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text(json.dumps(suite(*CLEAN, CLEAN[0])))
    (tmp_path / "c.json").write_text("[]")
    (tmp_path / "d.json").write_text(json.dumps(suite(*CLEAN)))
    checked = check_data(f"sg:{tmp_path}")
    assert [(f.check, f.set) for f in checked.findings] == [
        ("format", "a"),
        ("format", "c"),
        ("format", "d"),
        ("duplicate", "mine"),
    ]
    assert "another file has a suite 'mine' too" in checked.findings[2].message
    assert (len(checked.sets), checked.items) == (1, 6)


def test_a_suite_as_csv_is_checked_too(tmp_path: Path) -> None:
    write_suite(suite_from_json(suite(*CLEAN, CLEAN[0]), "mine.json"), tmp_path / "mine.csv")
    [finding] = check_data(f"sg:{tmp_path / 'mine.csv'}").findings
    assert (finding.check, finding.item) == ("duplicate", "mine/6")


def test_the_command_prints_findings_and_tells_by_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.json").write_text(json.dumps(suite(*CLEAN, CLEAN[0])))
    assert run(["check", "mine.json"]) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        "mine/6: duplicate: the same as mine/1: The nurses has left.",
        "6 items in 1 suite: duplicate 1",
    ]
    assert shown.err == "priscian: 1 finding in mine.json; --skip CHECK skips a check\n"
    assert run(["check", "mine.json", "--skip", "duplicate"]) == 0
    assert capsys.readouterr().out == "6 items in 1 suite: nothing found\n"
    Path("mine.json").write_text(json.dumps(spoil(suite(*CLEAN), "predictions", value=[])))
    assert run(["check", "mine.json", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["items"] == 0
    assert found["findings"][0]["message"].startswith("mine.json: the suite has no predictions")


def test_our_own_suites_have_no_finding() -> None:
    checked = check_data("generated-sg:1,20")
    assert (checked.findings, checked.note) == ((), "")
    assert len(checked.sets) == len(read_dataset("generated-sg:1,1").sets)


@pytest.mark.shared
def test_what_is_found_in_the_official_suites(shared: Path) -> None:
    checked = check_data(f"sg:{shared / 'data' / 'syntaxgym' / 'suites'}")
    assert Counter(f.check for f in checked.findings) == {
        "spaces": 707, "article": 4, "identical": 2, "no-contrast": 2,
    }  # fmt: skip
    assert {f.item for f in checked.findings if f.check == "identical"} == {"mvrr/5"}
