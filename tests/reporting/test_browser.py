"""The page in a real Chromium: it complains of nothing, asks for nothing, and does what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import polars
import pytest

from tests.reporting.browser import Browser, find_chromium
from tests.reporting.conftest import HOSTILE

PROGRAM = find_chromium()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no Chromium: install it or name one in PRISCIAN_CHROMIUM"
)

CELLS = "document.querySelectorAll('#b1 table.heat td[data-class]')"
ITEMS = "[...document.querySelectorAll('#list .item')]"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with Browser(str(PROGRAM)) as browser:
        yield browser


@pytest.fixture
def tab(chromium: Browser, file: Path) -> Browser:
    """The page, freshly opened, light and wide."""
    chromium.complaints.clear()
    chromium.requests.clear()
    chromium.resize(1400)
    chromium.prefer("light")
    chromium.open(file)
    return chromium


def type_into(tab: Browser, name: str, value: str) -> None:
    tab.run(
        f"(() => {{ const f = document.getElementById('filters').elements['{name}'];"
        f"f.value = {value!r}; f.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    )


def show_items(tab: Browser, board: str) -> None:
    tab.run("document.getElementById('items').scrollIntoView()")
    type_into(tab, "board", board)
    tab.wait(f"{ITEMS}.length > 0")


class TestHarmless:
    def test_every_chart_is_drawn_without_complaint_or_request(
        self, tab: Browser, file: Path
    ) -> None:
        count = tab.run("document.querySelectorAll('figure[data-figure]').length")
        assert count > 15
        for number in range(count):
            figure = f"document.querySelectorAll('figure[data-figure]')[{number}]"
            tab.run(f"{figure}.scrollIntoView()")
            tab.wait(f"{figure}.dataset.drawn === 'yes'")
            assert tab.run(
                f"{figure}.querySelectorAll('.chart svg path, .chart svg line').length > 3"
            )
        assert tab.complaints == []
        assert tab.requests == [file.resolve().as_uri()]

    def test_a_sentence_with_a_script_in_it_stays_text(self, tab: Browser) -> None:
        show_items(tab, "b2")
        shown = tab.run(
            f"{ITEMS}.flatMap(i => [...i.querySelectorAll('.sentence')].map(s => s.textContent))"
        )
        assert shown == [text for good, bad in HOSTILE for text in (good, f"*{bad}")]
        assert tab.run("document.title") != "owned"
        assert tab.run("document.querySelectorAll('#list script').length") == 0
        assert tab.complaints == []


class TestHeatMap:
    def test_a_cell_leads_to_paradigms_and_a_paradigm_to_its_pairs(self, tab: Browser) -> None:
        tab.run(
            f"[...{CELLS}].find(c => c.dataset.class === 'binding' &&"
            " c.dataset.row === 'builtin:lstm').click()"
        )
        tab.wait(f"{ITEMS}.length > 0")
        assert tab.run("document.getElementById('count').textContent").startswith("21 of 201 pairs")
        rows = tab.run("document.querySelectorAll('#b1 .detail tbody tr').length")
        assert rows == 7
        tab.run("document.querySelector('#b1 .detail td[data-set=principle_A_case_1]').click()")
        tab.wait("document.getElementById('count').textContent.startsWith('3 of')")
        places = tab.run(f"{ITEMS}.map(i => i.querySelector('.where').textContent)")
        assert all("Principle A case 1" in place for place in places)
        assert tab.complaints == []

    def test_arrows_move_and_enter_opens(self, tab: Browser) -> None:
        tab.run(f"{CELLS}[0].focus()")
        tab.press("ArrowRight")
        tab.press("ArrowDown")
        here = tab.run("[document.activeElement.dataset.row, document.activeElement.dataset.class]")
        assert here == ["builtin:lstm", "anaphor_agreement"]
        assert "builtin:lstm" in tab.run("document.querySelector('#b1 .readout').textContent")
        tab.press("Enter")
        tab.wait("!document.querySelector('#b1 .detail').hidden")
        assert tab.run(f"[...{CELLS}].filter(c => c.tabIndex === 0).length") == 1


class TestItems:
    def rows(self, run: Path, model: str) -> polars.DataFrame:
        frame = polars.read_parquet(run / f"builtin-{model}" / "generated-3,3" / "items.parquet")
        return frame.filter(polars.col("method") == "full")

    def test_search_finds_every_sentence(self, tab: Browser, run: Path) -> None:
        show_items(tab, "b1")
        for text in self.rows(run, "lstm")["text_bad"].gather([0, 57, 200]):
            type_into(tab, "query", text)
            tab.wait(f"{ITEMS}.length === 1 && {ITEMS}[0].textContent.includes({text!r})")
            assert tab.run(f"{ITEMS}[0].querySelector('.bad').textContent") == f"*{text}"

    def test_filters_count_what_the_run_counts(self, tab: Browser, run: Path) -> None:
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
            tab.wait(f"document.getElementById('count').textContent.startsWith('{count} of 201 ')")

    def test_order_begins_with_the_worst(self, tab: Browser, run: Path) -> None:
        show_items(tab, "b1")
        type_into(tab, "sort", "low")
        worst = self.rows(run, "ngram").sort("delta")["text_good"][0]
        tab.wait(f"{ITEMS}[0].querySelector('.sentence').textContent === {worst!r}")

    def test_tokens_carry_their_surprisal(self, tab: Browser, run: Path, home: Path) -> None:
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
        tab.wait("document.querySelector('#list .chip.chosen').textContent.includes('lstm')")
        for side, kind in enumerate(("", ".bad")):
            selector = f".sentence{kind or ':not(.bad)'} .token"
            shown = tab.run(
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
        self, tab: Browser
    ) -> None:
        show_items(tab, "b1")
        colour = "getComputedStyle(document.documentElement).getPropertyValue"
        for kind, name in ((":not(.bad)", "--good"), (".bad", "--wrong")):
            wanted = tab.run(
                "(() => { const probe = document.createElement('i');"
                f" probe.style.color = {colour}('{name}'); document.body.append(probe);"
                " const found = getComputedStyle(probe).color; probe.remove(); return found; })()"
            )
            shown = tab.run(
                f"getComputedStyle(document.querySelector('#list .sentence{kind} .differs'))"
                ".textDecorationColor"
            )
            assert shown == wanted, name

    def test_bits_under_words_stand_apart_from_the_underline(self, tab: Browser) -> None:
        show_items(tab, "b1")
        tab.run("document.getElementById('list').classList.add('numbers')")
        place = tab.run(
            "getComputedStyle(document.querySelector('#list .token.differs'), '::after').position"
        )
        assert place == "absolute"  # an underline reaches whatever else is inside the word

    def test_suites_are_conditions_by_regions(self, tab: Browser) -> None:
        show_items(tab, "b3")
        type_into(tab, "set", "number_prep")
        tab.wait("document.querySelectorAll('#summary svg').length === 2")
        tab.wait(f"{ITEMS}.length === 3")
        heads = tab.run(f"[...{ITEMS}[0].querySelectorAll('tbody th')].map(t => t.textContent)")
        assert heads == ["match_sing", "mismatch_sing", "match_plural", "mismatch_plural"]
        assert tab.run(f"{ITEMS}[0].querySelectorAll('td.used').length") == 4
        assert tab.run(f"{ITEMS}[0].querySelectorAll('svg path').length") == 4


class TestLooks:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_nothing_sticks_out_on_a_phone(self, tab: Browser, scheme: str, file: Path) -> None:
        tab.prefer(scheme)
        tab.resize(390, 844, phone=True)
        tab.open(file)
        tab.run(f"{CELLS}[4].click()")
        tab.wait(f"{ITEMS}.length > 0")
        figure = "document.querySelector('figure[data-figure]')"
        tab.run(f"{figure}.scrollIntoView()")
        tab.wait(f"{figure}.dataset.drawn === 'yes'")
        assert tab.run("document.documentElement.scrollWidth") == 390

    def test_the_button_turns_the_light_off_and_on(self, tab: Browser) -> None:
        ground = "getComputedStyle(document.body).backgroundColor"
        light = tab.run(ground)
        tab.run("document.getElementById('theme').click()")
        dark = tab.run(ground)
        tab.run("document.getElementById('theme').click()")
        assert tab.run(ground) == light != dark

    def test_csv_has_the_rows_of_the_chart(self, tab: Browser) -> None:
        tab.run("""
            window.saved = [];
            URL.createObjectURL = (blob) => { saved.push(blob); return 'blob:none'; };
            HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
        """)
        for kind in ("csv", "svg", "png"):
            tab.run(f"document.querySelector('figure button[data-save={kind}]').click()")
            tab.wait(f"saved.some(s => typeof s === 'string' && s.endsWith('.{kind}'))")
        text = tab.run("saved[0].text()")
        assert re.match(r"model,kind,level,name,", text)
        assert tab.run("saved.filter(s => s.size > 500).length") == 3
