"""The page's state in its address, links of items, marks that open items, and items as CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from priscian.reporting import report
from tests.browser import Visit, open_report, wait_for
from tests.small_results import pairs_result, suites_result, write_run

SAID = 'He said, "no": '
A = {"wh_island": [1] * 12 + [0] * 3, "passive_1": [1, 1, 0, 0.5]}
B = {"wh_island": [0] * 6 + [1] * 9, "passive_1": [1, 0, 1, 1]}
ITEMS = "[...document.querySelectorAll('#list .item')]"
COUNT = "document.getElementById('count').textContent"
FIELDS = "document.getElementById('filters').elements"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on fifteen and four pairs, and on a suite of two items."""
    home = tmp_path_factory.mktemp("links")
    results = [
        pairs_result("a", A, words=SAID),
        pairs_result("b", B, words=SAID),
        suites_result("a", {"cleft": [1, 0]}),
        suites_result("b", {"cleft": [1, 1]}),
    ]
    write_run(home / "run", *results)
    report(home / "run", home / "page.html")
    return home / "page.html"


@pytest.fixture
def tab(wide: Any, file: Path) -> Any:
    open_report(wide, file)
    wait_for(wide, f"{ITEMS}.length > 0")
    return wide


def go(tab: Any, file: Path, hash_: str) -> None:
    """Open the page anew at an address."""
    tab.goto("about:blank")
    tab.goto(file.resolve().as_uri() + hash_)
    wait_for(tab, f"{ITEMS}.length > 0")


def choose(tab: Any, name: str, value: str) -> None:
    tab.locator(f"#filters [name={name}]").select_option(value)


def hash_of(tab: Any) -> str:
    return str(tab.evaluate("location.hash"))


class TestState:
    def test_filters_are_in_the_address_and_come_back_on_load(self, tab: Any, file: Path) -> None:
        choose(tab, "set", "wh_island")
        choose(tab, "model", "1")
        choose(tab, "verdict", "right")
        choose(tab, "sort", "close")
        tab.locator("[name=query]").fill("wh_island 1")
        wait_for(tab, f"{COUNT}.startsWith('5 of 19')")  # 10 to 14
        wait_for(tab, "location.hash.includes('words=')")
        kept = hash_of(tab)
        go(tab, file, kept)
        wait_for(tab, f"{COUNT}.startsWith('5 of 19')")
        fields = tab.evaluate(
            f"['set', 'model', 'verdict', 'sort', 'query'].map(n => {FIELDS}[n].value)"
        )
        assert fields == ["wh_island", "1", "right", "close", "wh_island 1"]
        assert hash_of(tab) == kept

    def test_back_and_forward_restore_the_filters(self, tab: Any) -> None:
        choose(tab, "set", "wh_island")
        wait_for(tab, f"{COUNT}.startsWith('15 of 19')")
        choose(tab, "verdict", "wrong")
        wait_for(tab, f"{COUNT}.startsWith('3 of 19')")
        tab.go_back()
        wait_for(tab, f"{COUNT}.startsWith('15 of 19')")
        tab.go_back()
        wait_for(tab, f"{COUNT}.startsWith('19 of 19')")
        tab.go_forward()
        tab.go_forward()
        wait_for(tab, f"{COUNT}.startsWith('3 of 19')")
        assert tab.evaluate(f"{FIELDS}.verdict.value") == "wrong"

    def test_an_open_cell_comes_back_with_its_parts(self, tab: Any, file: Path) -> None:
        cell = "#b1 td[data-class=island_effects][data-row=b]"
        tab.locator(cell).click()
        wait_for(tab, "!document.querySelector('#b1 .detail').hidden")
        go(tab, file, hash_of(tab))
        wait_for(tab, "document.activeElement === document.querySelector('#b1 .detail h4')")
        assert tab.locator(cell).get_attribute("aria-selected") == "true"
        assert tab.evaluate(f"{FIELDS}.class.value") == "island_effects"
        assert tab.evaluate(f"{FIELDS}.model.value") == "1"

    def test_links_to_sections_leave_what_is_chosen(self, tab: Any, file: Path) -> None:
        choose(tab, "set", "passive_1")
        wait_for(tab, f"{COUNT}.startsWith('4 of 19')")
        tab.locator(".links a[href='#figures']").click()
        wait_for(tab, "document.activeElement.id === 'figures-h'")
        assert tab.evaluate(f"{FIELDS}.set.value") == "passive_1"
        go(tab, file, hash_of(tab))
        wait_for(tab, "document.activeElement.id === 'figures-h'")
        assert tab.evaluate(f"{FIELDS}.set.value") == "passive_1"

    @pytest.mark.parametrize(
        "hash_",
        [
            "#nothing",
            "#set=none&model=none&page=x&item=gone/1&b1.class=no&b1.row=a",
            "#%E0%A4%A",
            "#data=b9&page=-3&only=nobody",
        ],
    )
    def test_an_address_of_another_page_does_no_harm(
        self, wide: Any, file: Path, hash_: str
    ) -> None:
        go(wide, file, hash_)
        wait_for(wide, f"{COUNT}.startsWith('19 of 19')")


class TestItemLinks:
    def test_a_link_opens_its_item_scrolls_to_it_and_focuses_it(self, tab: Any, file: Path) -> None:
        choose(tab, "model", "1")
        wait_for(tab, f"{ITEMS}[0].querySelector('.link').href.includes('model=b')")
        choose(tab, "set", "wh_island")
        tab.locator("#after").click()
        wait_for(tab, "document.getElementById('where').textContent === 'Page 2 of 2'")
        link = tab.locator("#list .link").nth(2)
        href = link.get_attribute("href")
        assert "item=wh_island/12" in href
        go(tab, file, href)
        wait_for(tab, "document.activeElement.classList.contains('item')")
        here = tab.evaluate(
            "(() => { const own = document.activeElement, box = own.getBoundingClientRect();"
            " return [own.querySelector('.where').textContent, own.ariaCurrent,"
            " box.top >= 0 && box.bottom <= innerHeight]; })()"
        )
        assert here[0].startswith("Wh island 12")
        assert here[1:] == ["true", True]
        assert tab.evaluate(f"{FIELDS}.model.value") == "1"

    def test_a_click_copies_the_link(self, visit: Visit, file: Path) -> None:
        tab = visit(permissions=["clipboard-read", "clipboard-write"])
        open_report(tab, file)
        wait_for(tab, f"{ITEMS}.length > 0")
        tab.locator("#list .link").nth(3).click()
        wait_for(tab, "document.getElementById('said').textContent === 'Link copied.'")
        copied = tab.evaluate("navigator.clipboard.readText()")
        assert copied.startswith(file.resolve().as_uri() + "#")
        assert "item=wh_island/3" in copied
        assert "item=wh_island/3" in hash_of(tab)

    def test_items_of_one_id_have_links_of_their_own(self, visit: Visit, tmp_path: Path) -> None:
        """The same ids in runs of different sentences."""
        write_run(tmp_path / "one", pairs_result("a", {"wh_island": [1, 0]}))
        write_run(tmp_path / "two", pairs_result("a", {"wh_island": [1, 0]}, words="Other "))
        report([tmp_path / "one", tmp_path / "two"], tmp_path / "page.html")
        tab = visit()
        open_report(tab, tmp_path / "page.html")
        wait_for(tab, f"{ITEMS}.length === 4")
        names = tab.evaluate(f"{ITEMS}.map(i => i.querySelector('.link').dataset.item)")
        assert sorted(names) == ["wh_island/0", "wh_island/0~2", "wh_island/1", "wh_island/1~2"]


class TestComparedItems:
    def test_right_by_one_and_wrong_by_another(self, tab: Any, file: Path) -> None:
        choose(tab, "verdict", "beats")
        wait_for(tab, f"{COUNT}.startsWith('7 of 19')")  # six of wh_island, one passive
        assert tab.locator("#filters [name=other]").is_visible()
        choose(tab, "model", "1")
        choose(tab, "other", "0")
        wait_for(tab, f"{COUNT}.startsWith('5 of 19')")  # three of wh_island, a wrong and a tie
        go(tab, file, hash_of(tab))
        wait_for(tab, f"{COUNT}.startsWith('5 of 19')")
        choose(tab, "verdict", "")
        wait_for(tab, "document.querySelector('[name=other]').closest('label').hidden")

    def saved(self, tab: Any) -> list[list[str]]:
        with tab.expect_download() as got:
            tab.locator("#save-items").click()
        text = Path(got.value.path()).read_bytes().decode("utf-8")
        assert text.count("\r\n") == text.count("\n")
        return list(csv.reader(io.StringIO(text, newline="")))

    def test_what_is_filtered_can_be_saved_with_all_models_scores(self, tab: Any) -> None:
        choose(tab, "verdict", "beats")
        wait_for(tab, f"{COUNT}.startsWith('7 of 19')")
        head, *rows = self.saved(tab)
        assert head[:5] == ["item", "set", "phenomenon", "acceptable", "unacceptable"]
        assert head[5:] == [
            f"{model}: {what}" for model in "ab" for what in ("answer", "difference (bits)")
        ]
        assert len(rows) == 7
        assert rows[0][:3] == ["wh_island/0", "wh_island", "island_effects"]
        assert rows[0][3:5] == [f"{SAID}Good wh_island 0.", f"{SAID}Bad wh_island 0."]
        assert rows[0][5:] == ["right", "1.4427", "wrong", "-1.4427"]  # a nat is 1.4427 bits

    def test_a_sentence_that_looks_like_a_formula_is_saved_as_text(
        self, visit: Visit, tmp_path: Path
    ) -> None:
        results = pairs_result("-a", {"passive_1": [1, 0]}, words="=1+1, ")
        write_run(tmp_path / "run", results)
        report(tmp_path / "run", tmp_path / "page.html")
        tab = visit()
        open_report(tab, tmp_path / "page.html")
        wait_for(tab, f"{ITEMS}.length === 2")
        head, *rows = self.saved(tab)
        assert rows[0][3:5] == ["'=1+1, Good passive_1 0.", "'=1+1, Bad passive_1 0."]
        assert head[5] == "'-a: answer"
        assert float(rows[1][6]) < 0, "a negative number stays one"

    def test_suites_have_a_column_for_each_condition(self, tab: Any) -> None:
        choose(tab, "board", "b2")
        wait_for(tab, "document.getElementById('list').dataset.board === 'b2'")
        head, *rows = self.saved(tab)
        assert head[:4] == ["item", "set", "circuit", "plain"]
        assert "odd" in head
        assert [row[0] for row in rows] == ["cleft/1", "cleft/2"]
        assert [row[head.index("a: answer")] for row in rows] == ["right", "wrong"]


class TestMarks:
    def click_mark(self, tab: Any, figure: str, label: str) -> None:
        place = f"document.getElementById('{figure}')"
        tab.evaluate(f"{place}.scrollIntoView()")
        wait_for(tab, f"{place}.dataset.drawn === 'yes'")
        tab.locator(f"#{figure} .mark-symbol path[aria-label*='{label}']").first.click(force=True)

    def test_a_point_opens_the_items_of_its_phenomenon_and_model(self, tab: Any) -> None:
        self.click_mark(tab, "b1-accuracy-by-phenomenon", "island effects; model: b")
        wait_for(tab, "document.activeElement.id === 'items-h'")
        assert tab.evaluate(f"{FIELDS}.class.value") == "island_effects"
        assert tab.evaluate(f"{FIELDS}.model.value") == "1"
        assert tab.evaluate(COUNT).startswith("15 of 19")

    def test_a_point_of_a_field_opens_all_its_sets(self, tab: Any) -> None:
        self.click_mark(tab, "b1-accuracy-by-field", "syntax; model: a")
        wait_for(tab, "document.activeElement.id === 'items-h'")
        assert tab.evaluate(f"{FIELDS}.class.value") == "syntax"
        assert tab.evaluate(COUNT).startswith("19 of 19")

    def test_a_difference_opens_what_the_better_model_alone_has_right(self, tab: Any) -> None:
        self.click_mark(tab, "b1-differences", "set: passive_1")
        wait_for(tab, f"{COUNT}.startsWith('2 of 19')")  # b is better: right where a is not
        assert tab.evaluate(f"[{FIELDS}.model.value, {FIELDS}.other.value]") == ["1", "0"]
        tab.go_back()
        wait_for(tab, f"{COUNT}.startsWith('19 of 19')")

    def test_a_point_of_a_suite_opens_its_items(self, tab: Any) -> None:
        self.click_mark(tab, "b2-sg-by-suite", "cleft")
        wait_for(tab, f"{COUNT}.startsWith('2 of 2 items')")
        assert tab.evaluate(f"{FIELDS}.set.value") == "cleft"
