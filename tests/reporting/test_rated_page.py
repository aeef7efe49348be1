"""The page about rated pairs: what the ADC is, people's ratings beside each pair, and limits."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from priscian.reporting import report, report_tables
from priscian.runs import score
from tests.browser import Visit, open_report

NOUNS = ("cat", "dog", "child", "actor")


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four pairs, rated ±1 and ±0.2 in turn, scored by the embedded n-gram model."""
    home = tmp_path_factory.mktemp("rated")
    rows = ["id,sentence,rating,acceptable,phenomenon,lexicalisation"]
    for number, noun in enumerate(NOUNS):
        rating = 1.0 if number % 2 else 0.2
        rows.append(f"g{number},The {noun} sleeps here.,{rating},1,agreement,{number}")
        rows.append(f"b{number},The {noun} sleep here.,{-rating},0,agreement,{number}")
    (home / "rated.csv").write_text("\n".join(rows) + "\n", "utf-8")
    score("builtin:ngram", f"graded:{home / 'rated.csv'}", out=home / "run")
    score("builtin:ngram", f"graded:{home / 'rated.csv'}", out=home / "part", limit=2)
    return home


@pytest.fixture(scope="module")
def html(rated: Path) -> str:
    return report([rated / "run"], rated / "page.html").html


def people(html: str) -> Any:
    found = re.search(r'id="blob-b1-people">([^<]*)<', html)
    assert found
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_the_adc_is_explained_where_it_is_shown(html: str) -> None:
    assert "ADC, δ = 0.5" in html
    assert "the share of pairs on which a model differs from people neither in sign" in html
    assert "4 pairs, standard deviations over 8 sentences" in html


def test_every_pair_has_peoples_ratings_and_the_verdict(html: str) -> None:
    found = people(html)
    assert found["ratings"] == [[0.2, -0.2], [1.0, -1.0], [0.2, -0.2], [1.0, -1.0]]
    for (good, bad), (own, met) in zip(found["ratings"], found["models"][0], strict=True):
        human = good - bad
        assert met == ((own > 0) == (human > 0) and abs(human - own) < 0.5)


def test_the_item_browser_shows_them(visit: Visit, rated: Path, html: str) -> None:
    tab = visit()
    open_report(tab, rated / "page.html")
    tab.wait_for_selector("#list .people")
    text = tab.locator("#list .people").first.inner_text()
    assert "People: 0.20 and −0.20, difference +0.40" in text.replace("-0.20", "−0.20")
    assert tab.locator("#list .people .chip").count() == len(NOUNS)


def test_tables_have_the_adc(rated: Path) -> None:
    markdown = report_tables(rated / "run", "md")
    assert "| model | ADC, δ = 0.5 | ADC, δ = 1.0 | ADC, δ = 5.0 |" in markdown
    assert r"ADC, $\delta$ = 0.5" in report_tables(rated / "run", "tex")


def test_a_limit_is_said_at_the_top_and_where_figures_are_missing(rated: Path) -> None:
    page = report(rated / "part").html
    top, rest = page.split('id="models-h"', 1)
    assert "the first 2 items of each set (limit 2)" in top
    assert "limited to 2; score it without" in rest.split('id="heat-h"', 1)[0]
    assert "graded judgements: they need all sentences" in rest


def test_few_items_are_said_in_captions(html: str) -> None:
    assert "Few items: a " in html
