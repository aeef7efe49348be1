"""The page in a real Chromium: it complains of nothing, asks for nothing, and does what it says."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars
import pytest

from tests.browser import PHONE, WIDE, Visit, cut_off, open_report, wait_for
from tests.reporting.conftest import HOSTILE

COUNT = "document.getElementById('count').textContent"
CELLS = "document.querySelectorAll('#b1 table.heat td[data-class]')"
ITEMS = "[...document.querySelectorAll('#list .item')]"


@pytest.fixture
def tab(wide: Any, file: Path) -> Any:
    """The page, freshly opened, light and wide."""
    open_report(wide, file)
    return wide


def type_into(tab: Any, name: str, value: str) -> None:
    tab.evaluate(
        f"(() => {{ const f = document.getElementById('filters').elements['{name}'];"
        f"f.value = {value!r}; f.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    )


def show_items(tab: Any, board: str) -> None:
    tab.evaluate("document.getElementById('items').scrollIntoView()")
    type_into(tab, "board", board)
    wait_for(tab, f"document.getElementById('list').dataset.board === {board!r}")


class TestHarmless:
    def test_every_chart_is_drawn_without_complaint_or_request(self, tab: Any) -> None:
        count = tab.evaluate("document.querySelectorAll('figure[data-figure]').length")
        assert count > 15
        for number in range(count):
            figure = f"document.querySelectorAll('figure[data-figure]')[{number}]"
            tab.evaluate(f"{figure}.scrollIntoView()")
            wait_for(tab, f"{figure}.dataset.drawn === 'yes'")
            assert tab.evaluate(
                f"{figure}.querySelectorAll('.chart svg path, .chart svg line').length > 3"
            )
        loaded = "performance.getEntriesByType('resource').map(r => r.name)"
        assert [name for name in tab.evaluate(loaded) if not name.startswith("data:")] == []

    def test_a_sentence_with_a_script_in_it_stays_text(self, tab: Any) -> None:
        show_items(tab, "b2")
        shown = tab.evaluate(
            f"{ITEMS}.flatMap(i => [...i.querySelectorAll('.sentence')].map(s => s.textContent))"
        )
        assert shown == [text for good, bad in HOSTILE for text in (good, f"*{bad}")]
        assert tab.evaluate("document.title") != "owned"
        assert tab.evaluate("document.querySelectorAll('#list script').length") == 0


class TestHeatMap:
    def test_a_cell_leads_to_paradigms_and_a_paradigm_to_its_pairs(self, tab: Any) -> None:
        tab.evaluate(
            f"[...{CELLS}].find(c => c.dataset.class === 'binding' &&"
            " c.dataset.row === 'builtin:lstm').click()"
        )
        wait_for(tab, f"{ITEMS}.length > 0")
        assert tab.evaluate(COUNT).startswith("21 of 201 pairs")
        rows = tab.evaluate("document.querySelectorAll('#b1 .detail tbody tr').length")
        assert rows == 7
        tab.evaluate(
            "document.querySelector('#b1 .detail td[data-set=principle_A_case_1]').click()"
        )
        wait_for(tab, f"{COUNT}.startsWith('3 of')")
        places = tab.evaluate(f"{ITEMS}.map(i => i.querySelector('.where').textContent)")
        assert all("Principle A case 1" in place for place in places)

    def test_arrows_move_and_enter_opens(self, tab: Any) -> None:
        tab.evaluate(f"{CELLS}[0].focus()")
        tab.keyboard.press("ArrowRight")
        tab.keyboard.press("ArrowDown")
        here = tab.evaluate(
            "[document.activeElement.dataset.row, document.activeElement.dataset.class]"
        )
        assert here == ["builtin:lstm", "anaphor_agreement"]
        assert "builtin:lstm" in tab.evaluate("document.querySelector('#b1 .readout').textContent")
        tab.keyboard.press("Enter")
        wait_for(tab, "!document.querySelector('#b1 .detail').hidden")
        assert tab.evaluate(f"[...{CELLS}].filter(c => c.tabIndex === 0).length") == 1

    def test_a_cell_of_the_first_column_says_overall(self, tab: Any) -> None:
        assert tab.evaluate(f"{CELLS}[0].title").startswith("builtin:ngram, overall: ")


class TestItems:
    def rows(self, run: Path, model: str) -> polars.DataFrame:
        frame = polars.read_parquet(run / f"builtin-{model}" / "generated-3,3" / "items.parquet")
        return frame.filter(polars.col("method") == "full")

    def test_search_finds_every_sentence(self, tab: Any, run: Path) -> None:
        show_items(tab, "b1")
        for text in self.rows(run, "lstm")["text_bad"].gather([0, 57, 200]):
            type_into(tab, "query", text)
            wait_for(tab, f"{ITEMS}.length === 1 && {ITEMS}[0].textContent.includes({text!r})")
            assert tab.evaluate(f"{ITEMS}[0].querySelector('.bad').textContent") == f"*{text}"

    def test_filters_count_what_the_run_counts(self, tab: Any, run: Path) -> None:
        show_items(tab, "b1")
        ngram, lstm = self.rows(run, "ngram"), self.rows(run, "lstm")
        right = (ngram["correct"] == 1, lstm["correct"] == 1)
        wanted = {
            "right": int(right[0].sum()),
            "tie": int(ngram["tie"].sum()),
            "wrong": int(((ngram["correct"] == 0) & ~ngram["tie"]).sum()),
            "flipped": int((right[0] != right[1]).sum()),
        }
        for verdict, count in wanted.items():
            type_into(tab, "verdict", verdict)
            wait_for(tab, f"{COUNT}.startsWith('{count} of 201 ')")

    def test_order_begins_with_the_worst(self, tab: Any, run: Path) -> None:
        show_items(tab, "b1")
        type_into(tab, "sort", "low")
        worst = self.rows(run, "ngram").sort("delta")["text_good"][0]
        wait_for(tab, f"{ITEMS}[0].querySelector('.sentence').textContent === {worst!r}")

    def test_tokens_carry_their_surprisal(self, tab: Any, run: Path, home: Path) -> None:
        from priscian.runs import load_run
        from priscian.runs.tokens import read_tokens
        from priscian.scoring import ScoreStore

        show_items(tab, "b1")
        type_into(tab, "model", "1")
        first = self.rows(run, "lstm").row(0, named=True)
        about = load_run(run).info.models["builtin:lstm"]
        with ScoreStore(home / "cache" / "scores.sqlite") as store:
            table = read_tokens(about, [first["text_good"], first["text_bad"]], store)
        assert table is not None
        wait_for(tab, "document.querySelector('#list .chip.chosen').textContent.includes('lstm')")
        for side, kind in enumerate(("", ".bad")):
            selector = f".sentence{kind or ':not(.bad)'} .token"
            shown = tab.evaluate(
                f"[...{ITEMS}[0].querySelectorAll('{selector}')]"
                ".map(t => [t.textContent, t.dataset.bits])"
            )
            text = first["text_bad" if side else "text_good"]
            part = slice(table.offsets[side], table.offsets[side + 1])
            starts = [*table.starts[part].tolist(), len(text)]
            words = [text[a:b].strip() for a, b in pairwise(starts)]
            assert [word for word, _ in shown] == words
            for (_, said), bits in zip(shown, table.bits[part].tolist(), strict=True):
                assert float(said) == pytest.approx(
                    bits, abs=0.1 + bits**0.5 / 16 + 0.5 * (bits > 9.9)
                )

    def test_what_differs_is_underlined_green_in_the_good_sentence_and_red_in_the_bad(
        self, tab: Any
    ) -> None:
        show_items(tab, "b1")
        colour = "getComputedStyle(document.documentElement).getPropertyValue"
        for kind, name in ((":not(.bad)", "--good"), (".bad", "--wrong")):
            wanted = tab.evaluate(
                "(() => { const probe = document.createElement('i');"
                f" probe.style.color = {colour}('{name}'); document.body.append(probe);"
                " const found = getComputedStyle(probe).color; probe.remove(); return found; })()"
            )
            shown = tab.evaluate(
                f"getComputedStyle(document.querySelector('#list .sentence{kind} .differs'))"
                ".textDecorationColor"
            )
            assert shown == wanted, name

    def test_bits_under_words_stand_apart_from_the_underline(self, tab: Any) -> None:
        show_items(tab, "b1")
        tab.evaluate("document.getElementById('list').classList.add('numbers')")
        place = tab.evaluate(
            "getComputedStyle(document.querySelector('#list .token.differs'), '::after').position"
        )
        assert place == "absolute"  # an underline reaches whatever else is inside the word

    def test_suites_are_conditions_by_regions(self, tab: Any) -> None:
        show_items(tab, "b3")
        type_into(tab, "set", "number_prep")
        wait_for(tab, "document.querySelectorAll('#summary svg.curve').length === 2")
        wait_for(tab, f"{ITEMS}.length === 3")
        heads = tab.evaluate(
            f"[...{ITEMS}[0].querySelectorAll('tbody th')].map(t => t.textContent)"
        )
        assert heads == ["match_sing", "mismatch_sing", "match_plural", "mismatch_plural"]
        assert tab.evaluate(f"{ITEMS}[0].querySelectorAll('td.used').length") == 4
        assert tab.evaluate(f"{ITEMS}[0].querySelectorAll('.curve > path:not(.mark)').length") == 4
        dashes = f"[...{ITEMS}[0].querySelectorAll('.curve > path:not(.mark)')]"
        assert (
            tab.evaluate(f"new Set({dashes}.map(p => p.getAttribute('stroke-dasharray'))).size")
            == 4
        )


class TestLooks:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_nothing_sticks_out_on_a_phone(self, visit: Visit, scheme: str, file: Path) -> None:
        tab = visit(**{**PHONE, "viewport": {"width": 390, "height": 844}}, color_scheme=scheme)
        open_report(tab, file)
        tab.evaluate(f"{CELLS}[4].click()")
        wait_for(tab, f"{ITEMS}.length > 0")
        figure = "document.querySelector('figure[data-figure]')"
        tab.evaluate(f"{figure}.scrollIntoView()")
        wait_for(tab, f"{figure}.dataset.drawn === 'yes'")
        assert tab.evaluate("document.documentElement.scrollWidth") == 390

    def test_a_tooltip_is_as_tall_as_its_lines(self, tab: Any) -> None:
        figure = "document.querySelector('figure[data-figure]')"
        tab.evaluate(f"{figure}.scrollIntoView()")
        wait_for(tab, f"{figure}.dataset.drawn === 'yes'")
        tab.locator("figure[data-figure] .mark-symbol path").first.hover(force=True)
        tab.wait_for_selector("#vg-tooltip-element.visible")
        box = tab.locator("#vg-tooltip-element").bounding_box()
        assert box["height"] < 260
        text = tab.locator("#vg-tooltip-element").inner_text()
        assert "95 % interval from" in text

    def test_what_is_printed_has_every_chart_in_light_colours(
        self, visit: Visit, file: Path
    ) -> None:
        tab = visit(**WIDE, color_scheme="dark")
        open_report(tab, file)
        wait_for(tab, "document.documentElement.dataset.vega === 'yes'")
        tab.wait_for_timeout(50)
        tab.emulate_media(media="print")
        tab.evaluate("() => { dispatchEvent(new Event('beforeprint')); }")
        missing = "figure[data-figure]:not(:has(.chart svg .mark-group))"
        assert tab.evaluate(f"document.querySelectorAll('{missing}').length") == 0
        light = tab.evaluate("getComputedStyle(document.body).color")
        assert light == "rgb(29, 28, 26)"
        fills = tab.evaluate(
            "[...document.querySelectorAll('figure .role-axis-label text')]"
            ".map(t => t.getAttribute('fill'))"
        )
        assert set(fills) <= {"rgb(95, 91, 83)", None, "rgb(29, 28, 26)"}
        tab.wait_for_timeout(2000)
        wide = tab.evaluate(
            "[...document.querySelectorAll('figure[data-figure]')].map(f => [f.id, "
            "+f.querySelector('svg').getAttribute('width')]).filter(([, w]) => w >= 720)"
        )
        assert wide == []
        self.check_paper(tab)
        tab.evaluate("() => { dispatchEvent(new Event('afterprint')); }")

    def check_paper(self, tab: Any) -> None:
        """Figures fit a page, or come in parts of whole rows that do; no legend is cut off."""
        tab.set_viewport_size({"width": 703, "height": 1000})  # A4 between its margins
        heights = tab.evaluate(
            "[...document.querySelectorAll('figure[data-figure]:not(:has(.leaf)), .leaf')]"
            ".map(f => [f.closest('figure').id, f.getBoundingClientRect().height])"
            ".filter(([, height]) => height > 1010)"
        )
        assert heights == []
        cut = tab.evaluate(
            "[...document.querySelectorAll('figure svg')].filter(s => [...s.querySelectorAll("
            "'.role-legend-label text')].some(t => t.getBoundingClientRect().right >"
            " s.getBoundingClientRect().right + 1)).map(s => s.closest('figure').id)"
        )
        assert cut == []
        rows = tab.evaluate(
            "[...document.querySelectorAll('#b1-accuracy-by-paradigm .leaf')].flatMap(l =>"
            " [...l.querySelectorAll('.role-axis-label text')].map(t => t.textContent)"
            ".filter(t => t && !t.endsWith('%')))"
        )
        assert len(rows) == len(set(rows)) == 68  # every paradigm once, and their mean
        kept = "getComputedStyle(document.querySelector('figure:not(:has(.leaf))')).breakInside"
        assert tab.evaluate(kept) == "avoid"

    def test_a_heat_map_fits_the_paper(self, visit: Visit, file: Path) -> None:
        tab = visit(viewport={"width": 703, "height": 1000})  # A4 between margins of 12 mm
        open_report(tab, file)
        tab.emulate_media(media="print")
        assert (
            tab.evaluate("document.querySelector('#b1 table').getBoundingClientRect().right") <= 703
        )

    @pytest.mark.parametrize("width", [1400, 390])
    def test_no_chart_is_cut_off(self, visit: Visit, file: Path, width: int) -> None:
        tab = visit(viewport={"width": width, "height": 900})
        open_report(tab, file)
        wait_for(tab, "!document.querySelector('figure[data-figure]:not([data-drawn])')")
        assert cut_off(tab) == []
        shown = tab.evaluate("document.getElementById('theme').getBoundingClientRect().right")
        assert shown <= width

    def test_labels_of_a_narrow_chart_are_not_cut_to_the_same_string(
        self, visit: Visit, file: Path
    ) -> None:
        tab = visit(viewport={"width": 390, "height": 900})
        open_report(tab, file)
        wait_for(tab, "document.getElementById('b1-differences').dataset.drawn === 'yes'")
        labels = tab.evaluate(
            "[...document.querySelectorAll('#b1-differences .role-axis-label text')]"
            ".map(t => t.textContent)"
        )
        assert not [label for label in labels if "…" in label]

    def test_a_screen_reader_hears_the_name_of_a_chart(self, tab: Any) -> None:
        figure = "document.querySelector('figure[data-figure]')"
        tab.evaluate(f"{figure}.scrollIntoView()")
        wait_for(tab, f"{figure}.dataset.drawn === 'yes'")
        names = tab.evaluate(
            f"[...{figure}.querySelectorAll('[role=graphics-document]')].map(e => e.ariaLabel)"
        )
        assert names == ["Accuracy by field"]

    def test_focus_moves_to_what_a_click_opened(self, tab: Any) -> None:
        tab.evaluate(f"{CELLS}[4].click()")
        wait_for(tab, "document.activeElement === document.querySelector('#b1 .detail h4')")
        tab.evaluate("document.querySelector('#b1 .detail td[data-set]').click()")
        wait_for(tab, "document.activeElement.id === 'items-h'")

    def test_bits_can_be_read_without_pointing(self, tab: Any) -> None:
        show_items(tab, "b1")
        tab.locator("#list .bits summary").first.click()
        tab.wait_for_selector("#list .bits table")
        first = tab.locator("#list .bits").first
        rows = first.locator("tr:nth-child(2)").all_inner_texts()
        sums = []
        for row in rows:
            numbers = [float(n) for n in row.split("\t")[1:]]
            assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.001)
            sums.append(numbers[-1])
        assert f"together {sums[1] - sums[0]:+.2f}".replace("-", "−") in first.inner_text()

    def test_the_button_turns_the_light_off_and_on(self, tab: Any) -> None:
        ground = "getComputedStyle(document.body).backgroundColor"
        light = tab.evaluate(ground)
        tab.evaluate("document.getElementById('theme').click()")
        dark = tab.evaluate(ground)
        tab.evaluate("document.getElementById('theme').click()")
        assert tab.evaluate(ground) == light != dark

    def test_csv_has_the_rows_of_the_chart(self, tab: Any) -> None:
        tab.evaluate("""() => {
            window.saved = [];
            URL.createObjectURL = (blob) => { saved.push(blob); return 'blob:none'; };
            HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
        }""")
        for kind in ("csv", "svg", "png"):
            tab.evaluate(f"document.querySelector('figure button[data-save={kind}]').click()")
            wait_for(tab, f"saved.some(s => typeof s === 'string' && s.endsWith('.{kind}'))")
        text = tab.evaluate("saved[0].text()")
        assert re.match(r"model,kind,level,name,", text)
        assert tab.evaluate("saved.filter(s => s.size > 500).length") == 3
