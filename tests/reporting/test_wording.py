"""One name for one thing, on the page, in its figures and in its tables."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from priscian.analysis.named_results import words
from priscian.reporting import Page, markdown_tables, tex_tables
from priscian.reporting.boards import class_label
from priscian.runs import load_run

TWINS = {
    r"\bhumans?\b\*?": "people, or People* for the published row",
    r"\bnpi licensing": "NPI licensing",
    r"\bNpi\b": "NPI",
    r"[Ff]iller gap": "filler–gap",
    r"[Ss]ubject verb": "subject–verb",
    r"[Dd]eterminer noun": "determiner–noun",
    r"[Cc]ontrol raising": "control/raising",
    r"\b(one|two) prefix\b": "one-prefix, two-prefix",
    r"\bminimal-pairs?\b": "minimal pair",
    r"\btest suites?\b": "suite",
    r"\bitem sets?\b": "set",
    r"\bsystems\b": "models",
    r"\bNone\b|\bnan\b|\bNaN\b|undefined": "nothing that a program says",
}
OLD = ("unless told", "a model a picture", "told of", "come by", "for want of", "nought", "perhaps")
"""Phrases that plain English has other words for (STYLE)."""


def said_by(page: Page) -> str:
    """Everything on the page that a reader sees without a script, and all names in its charts."""
    text = re.sub(r"<(script|style).*?</\1>", " ", page.html, flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]*>", " ", text))
    hints = html.unescape(
        " ".join(re.findall(r'(?:title|aria-label|placeholder)="([^"]*)"', page.html))
    )
    return " ".join([text, hints, *(f"{f.title} {f.caption} {f.csv()}" for f in page.figures)])


@pytest.fixture(scope="module")
def texts(page: Page) -> dict[str, str]:
    return {
        "page": said_by(page),
        "md": markdown_tables(page.boards).replace("\\", ""),
        "tex": tex_tables(page.boards),
    }


@pytest.mark.parametrize("where", ["page", "md", "tex"])
@pytest.mark.parametrize("twin", TWINS)
def test_a_thing_has_one_name(texts: dict[str, str], where: str, twin: str) -> None:
    found = [
        texts[where][max(0, m.start() - 40) : m.end() + 40] for m in re.finditer(twin, texts[where])
    ]
    assert found == [], f"write {TWINS[twin]}"


@pytest.mark.parametrize("where", ["page", "md", "tex"])
def test_words_are_plain(texts: dict[str, str], where: str) -> None:
    assert [phrase for phrase in OLD if phrase in texts[where].lower()] == []


def test_the_mean_is_called_overall(page: Page) -> None:
    names = {str(value) for figure in page.figures for row in figure.rows for value in row.values()}
    assert "mean of paradigms" not in names
    assert "overall" in names


def test_figures_and_heat_map_name_classes_alike(run: Path) -> None:
    classes = {c for r in load_run(run) for path in r.taxonomy.values() for c in path}
    assert "npi_licensing" in classes
    for name in classes:
        assert words(name).casefold() == class_label(name).casefold()
    assert class_label("npi_licensing") == words("npi_licensing") == "NPI licensing"
    assert class_label("filler_gap_dependency") == "Filler–gap dependency"
    assert class_label("control_raising") == "Control/raising"


def test_suites_keep_their_names_in_figures(page: Page) -> None:
    figure = next(f for f in page.figures if f.name.endswith("sg-by-suite"))
    assert "npi_orc_any" in {row["name"] for row in figure.rows}
