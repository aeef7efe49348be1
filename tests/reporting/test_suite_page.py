"""Suites on the page: names of regions, predictions in words, their accuracies, means, chance."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from priscian.reporting import Page
from priscian.reporting.suites import about_suites, lay_out, region_names
from priscian.runs import load_run
from tests.browser import PHONE, Visit
from tests.small_results import suites_result

SUITES = (
    "JSON.parse(document.getElementById('page-data').textContent).boards"
    ".find(b => b.kind === 'suites').id"
)


@pytest.fixture(scope="module")
def about(run: Path) -> dict[str, Any]:
    results = [r for r in load_run(run) if r.kind == "suites"]
    return about_suites(results, lay_out(results).head)


def test_the_page_has_what_the_summary_says_of_every_suite(
    run: Path, about: dict[str, Any]
) -> None:
    results = [r for r in load_run(run) if r.kind == "suites"]
    assert about.keys() == results[0].summary.by_set().keys()
    for number, result in enumerate(results):
        for name, score in result.summary.by_set().items():
            found = about[name]["formulas"][0]["models"][number][0]
            wanted = [score.accuracy, *score.ci, score.n, score.ties]
            assert found == pytest.approx(wanted, abs=1e-4), name


def test_a_conjunction_has_a_line_for_each_comparison(about: dict[str, Any]) -> None:
    (formula,) = about["npz_ambig"]["formulas"]
    assert formula["joined"] == "all"
    assert [said["words"] for said in formula["said"][1:]] == [
        "“Verb” is more surprising in ambig_nocomma than in ambig_comma",
        "“Verb” is more surprising in ambig_nocomma than in unambig_nocomma",
        "the surprisal of “Verb” rises more from ambig_comma to ambig_nocomma than from "
        "unambig_comma to unambig_nocomma",
    ]
    assert [round(said["chance"], 3) for said in formula["said"]] == [0.292, 0.5, 0.5, 0.5]
    assert {len(scores) for scores in formula["models"]} == {4}


def test_runs_that_recorded_no_names_have_numbers() -> None:
    old = suites_result("m", {"number_orc": [1, 0]})
    assert region_names([old], "number_orc", 2) == ("region 1", "region 2")


def test_the_heat_map_of_suites_shows_chance(page: Page) -> None:
    heads = re.findall(r"<th [^>]*>([^<]*)<small>chance (\d+)</small>", page.html)
    assert ("Agreement", "25") in heads
    assert ("Center Embedding", "50") in heads
    assert "chance 50 %</span></h3>" in page.html


def test_the_heat_map_of_pairs_fits_a_wide_screen(visit: Visit, file: Path) -> None:
    tab = visit(viewport={"width": 1400, "height": 900})
    tab.goto(file.as_uri())
    box = "document.querySelector('.board .scroll')"
    assert tab.evaluate(f"{box}.scrollWidth <= {box}.clientWidth")


def open_suite(tab: Any, file: Path, suite: str) -> None:
    tab.goto(file.as_uri())
    tab.wait_for_selector("#list li")
    tab.select_option("[name=board]", tab.evaluate(SUITES))
    tab.select_option("[name=set]", suite)
    tab.wait_for_selector(".suite-view")


def test_a_suite_shows_predictions_means_and_names_of_regions(visit: Visit, file: Path) -> None:
    tab = visit()
    open_suite(tab, file, "npz_ambig")
    said = tab.locator(".suite-view").inner_text()
    assert "chance 29.2 %" in said
    assert "All of these hold" in said
    assert "“Verb” is more surprising in ambig_nocomma than in ambig_comma" in said
    assert "S(ambig_nocomma, Verb) > S(ambig_comma, Verb)" in said
    names = ["Start", "Transitive Verb", "Comma", "NP/Z", "Verb", "Continuation"]
    heads = tab.locator("#list li").first.locator(".regions thead th").all_inner_texts()
    assert heads == ["condition", *names]
    assert tab.locator(".means svg").count() == 2
    assert tab.locator(".means svg").first.locator("path.range").count() == 22  # 24 − 2 empty
    assert tab.locator(".formula .bar .chance").count() == 4  # of the model that does not tie
    assert tab.locator(".formula td:text-is('tied')").count() == 4


def test_means_can_be_read_as_numbers(visit: Visit, file: Path, about: dict[str, Any]) -> None:
    tab = visit()
    open_suite(tab, file, "number_prep")
    tab.locator(".suite-view details summary").click()
    cells = tab.locator(".suite-view details td").all_inner_texts()
    mean, low, high = about["number_prep"]["means"][0][0][0]
    assert cells[0].split() == [f"{mean:.2f}", f"{low:.2f}–{high:.2f}"]


def test_a_suite_fits_a_phone(visit: Visit, file: Path) -> None:
    tab = visit(**PHONE)
    open_suite(tab, file, "cleft")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_data_of_the_page_has_chance_for_every_suite(page: Page) -> None:
    data = re.search(r'id="page-data">(.*?)</script>', page.html)
    assert data
    board = next(b for b in json.loads(data[1])["boards"] if b["kind"] == "suites")
    assert board["chances"].keys() == {name for sets in board["classes"].values() for name in sets}
