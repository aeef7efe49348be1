"""axe-core finds nothing on the page: demo, rated pairs and thirty checkpoints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.axe import violations
from tests.browser import Visit, cut_off, open_report, wait_for

PAGES = ("demo", "adc", "many")


@pytest.fixture
def page_of(request: pytest.FixtureRequest) -> Path:
    """The page that the test names."""
    which: str = request.param
    if which == "many":
        return Path(request.getfixturevalue("many")[1])
    return Path(request.getfixturevalue("file" if which == "demo" else "adc_file"))


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("page_of", PAGES, indirect=True)
def test_axe_finds_nothing(visit: Visit, page_of: Path, width: int, scheme: str) -> None:
    """As it opens, and with a cell, a filter of two models and the bits of an item open."""
    tab = visit(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    open_report(tab, page_of)
    tab.wait_for_selector("#list .item")
    wait_for(tab, "!document.querySelector('figure[data-figure]:not([data-drawn])')")
    assert violations(tab) == []
    tab.locator("#b1 td[data-class]").nth(1).click()
    tab.locator("#filters [name=verdict]").select_option("beats")
    tab.locator("#filters [name=verdict]").select_option("")
    tab.locator("#list .link").first.click()
    for summary in tab.locator("#list .bits summary").all()[:1]:
        summary.click()
    assert violations(tab, "#b1") + violations(tab, "#items") == []


@pytest.mark.parametrize("width", [1400, 390])
def test_no_chart_of_rated_pairs_is_cut_off(visit: Visit, adc_file: Path, width: int) -> None:
    tab = visit(viewport={"width": width, "height": 900})
    open_report(tab, adc_file)
    wait_for(tab, "!document.querySelector('figure[data-figure]:not([data-drawn])')")
    assert cut_off(tab) == []
    assert tab.evaluate("document.documentElement.scrollWidth") == width
