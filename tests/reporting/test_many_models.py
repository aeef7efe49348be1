"""Thirty checkpoints on one page: curves first, one figure of differences, a picker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from priscian.reporting import Page
from tests.browser import open_report, wait_for
from tests.reporting.conftest import COUNT


@pytest.fixture
def tab(wide: Any, many: tuple[Page, Path]) -> Any:
    open_report(wide, many[1])
    return wide


def test_learning_curves_come_first_and_differences_are_one_figure(
    many: tuple[Page, Path],
) -> None:
    names = [f.name for s in many[0].sections for f in s.figures]
    assert names[0] == "checkpoints"
    assert [n for n in names if n.startswith("differences")] == ["differences"]


def test_the_beginning_that_all_names_share_is_said_once(many: tuple[Page, Path]) -> None:
    assert [row.label for row in many[0].boards[0].models][:2] == ["step100", "step200"]
    assert "All names begin with <code>lab/tiny@</code>" in many[0].html
    first = next(f for f in many[0].figures if f.name == "accuracy-by-field")
    assert {r["model"] for r in first.rows if r["kind"] == "scored"} >= {"step100", "step3000"}


def test_many_colours_are_ordered_from_dark_to_light(many: tuple[Page, Path]) -> None:
    chart = next(f for f in many[0].figures if f.name == "accuracy-by-field").chart
    scale = chart["layer"][-1]["encoding"]["color"]["scale"]
    colours = scale["range"][:COUNT]

    def lightness(colour: str) -> float:
        red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    shades = [lightness(c) for c in colours]
    assert shades == sorted(shades)
    assert len(set(colours)) == COUNT


def test_another_baseline_turns_the_difference_round(tab: Any) -> None:
    figure = "document.getElementById('differences')"
    tab.evaluate(f"{figure}.scrollIntoView()")
    wait_for(tab, f"{figure}.dataset.drawn === 'yes'")
    marks = f"[...{figure}.querySelectorAll('.mark-symbol path')].map(p => p.ariaLabel).join()"
    tab.locator("#differences select").nth(0).select_option("step200")
    tab.locator("#differences select").nth(1).select_option("step1700")
    wait_for(tab, f"{marks}.includes('−50%') || {marks}.includes('-50%')")
    tab.locator("#differences select").nth(0).select_option("step2000")
    wait_for(tab, f"{marks}.includes('10%')")


def test_the_picker_leaves_what_is_chosen(tab: Any) -> None:
    tab.locator("#picker summary").click()
    tab.locator("#picker button[data-all='']").click()
    tab.locator("#picker input[value='step300']").check()
    shown = tab.locator("#b1 tbody tr[data-model]:visible th").all_inner_texts()
    assert [name.strip() for name in shown] == ["step300"]
    assert tab.locator("#standings tbody tr:visible").count() == 1
    assert "1 of 30" in tab.locator("#picker summary").inner_text()


def draw(tab: Any, name: str) -> str:
    """Scroll to a figure and wait for it; a JavaScript expression for it."""
    figure = f"document.getElementById('{name}')"
    tab.evaluate(f"{figure}.scrollIntoView()")
    wait_for(tab, f"{figure}.dataset.drawn === 'yes'")
    return figure


def labels(figure: str) -> str:
    """What the marks and legends of a figure say to a screen reader."""
    return f"[...{figure}.querySelectorAll('.chart [aria-label]')].map(p => p.ariaLabel).join('; ')"


def test_the_picker_leaves_the_same_models_in_charts(tab: Any) -> None:
    figure = draw(tab, "accuracy-by-phenomenon")
    height = f"+{figure}.querySelector('svg').getAttribute('height')"
    before = tab.evaluate(height)
    assert "model: step200;" in tab.evaluate(labels(figure))
    tab.locator("#picker summary").click()
    tab.locator("#picker button[data-all='']").click()
    for name in ("step300", "step1700", "step2900"):
        tab.locator(f"#picker input[value='{name}']").check()
    wait_for(tab, f"!{labels(figure)}.includes('model: step200;')")
    wait_for(tab, f"{labels(figure)}.includes('model: step2900;')")  # each check draws anew
    assert "model: step1700;" in tab.evaluate(labels(figure))
    assert "model: People*" in tab.evaluate(labels(figure))
    assert tab.evaluate(height) < before / 2
    draw(tab, "differences")
    wait_for(tab, "document.querySelector('#differences select').options.length === 3")
    curves = labels(draw(tab, "checkpoints"))
    wait_for(tab, f"!{curves}.includes('lab/tiny@step200;')")
    wait_for(tab, f"{curves}.includes('lab/tiny@step2900')")


def test_models_shown_and_the_baseline_come_back_from_the_address(
    tab: Any, many: tuple[Page, Path]
) -> None:
    tab.locator("#picker summary").click()
    tab.locator("#picker button[data-all='']").click()
    for name in ("step300", "step1700"):
        tab.locator(f"#picker input[value='{name}']").check()
    draw(tab, "differences")
    wait_for(tab, "document.querySelector('#differences select').options.length === 2")
    tab.locator("#differences select").nth(0).select_option("step300")
    tab.locator("#differences select").nth(1).select_option("step1700")
    wait_for(tab, "location.hash.includes('differences.baseline=step1700')")
    address = tab.evaluate("location.href")
    tab.goto("about:blank")
    tab.goto(address)
    tab.wait_for_selector("#list .item")
    figure = draw(tab, "differences")
    shown = tab.locator("#standings tbody tr:visible th").all_inner_texts()
    assert shown == ["step300", "step1700"]
    values = "[...document.querySelectorAll('#differences select')].map(s => s.value)"
    assert tab.evaluate(values) == ["step300", "step1700"]
    assert "-47%" in tab.evaluate(labels(figure)).replace("−", "-")  # 3 and 17 of 30
    tab.locator("#differences select").nth(1).select_option("step300")
    wait_for(tab, "location.hash.includes('differences.baseline=step300')")
    tab.go_back()
    wait_for(tab, f"{values}[1] === 'step1700'")


def test_a_point_of_a_curve_opens_the_items_of_its_checkpoint(tab: Any) -> None:
    draw(tab, "checkpoints")
    label = "lab/tiny@step300;"
    tab.locator(f"#checkpoints .mark-symbol path[aria-label*='{label}']").nth(1).click(force=True)
    wait_for(tab, "document.activeElement.id === 'items-h'")
    model = "document.querySelector('[name=model]').selectedOptions[0].textContent"
    assert tab.evaluate(model) == "step300"
    assert tab.evaluate("document.querySelector('[name=class]').value") == "argument_structure"


def test_correlations_call_models_as_the_page_does(many: tuple[Page, Path]) -> None:
    rows = next(f for f in many[0].figures if f.name == "correlation-pearson").rows
    assert {str(r["a"]) for r in rows} >= {"step100", "step3000"}


def test_the_page_answers_before_its_items_are_read(many: tuple[Page, Path]) -> None:
    html = many[0].html
    assert (
        html.index('id="page-data"') < html.index('dataset.ready = "yes"') < html.index("blob-b1")
    )


def test_an_item_says_how_many_models_have_it_right(tab: Any) -> None:
    tab.wait_for_selector("#list .item")
    assert "right by 30 of 30 models" in tab.locator("#list .item").first.inner_text()


def test_the_page_is_short_and_reads_little_before_a_click(tab: Any) -> None:
    """The full size is measured in benchmarks/report_speed.py; these do not depend on a machine."""
    tab.wait_for_selector("#list .item")
    assert tab.evaluate("document.querySelectorAll('#list .item').length") == 10
    wait_for(tab, "!document.querySelector('figure[data-figure]:not([data-drawn])')")
    assert tab.evaluate("document.documentElement.scrollHeight / innerHeight") < 15
    assert tab.evaluate("document.querySelectorAll('.many .folded').length") > 0
    answers = tab.evaluate("document.querySelectorAll('[id^=blob-b1-answers]').length")
    assert answers == 0  # one blob for all models, unpacked once
