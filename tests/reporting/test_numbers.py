"""Every number of the page, as a browser shows it, is the one in summary.json."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from priscian.reporting import Page
from tests.browser import Visit, open_report, wait_for
from tests.reporting.conftest import COUNT, SETS

SAYS = re.compile(
    r"(?P<share>[\d.]+) %(?:, interval (?P<low>[\d.]+)–(?P<high>[\d.]+))?"
    r"(?:, n = (?P<n>[\d,]+))?(?:, (?P<ties>[\d,]+) tied)?$"
)
OVERALL, CLASS, SET = "overall", "class", "set"


@dataclass(frozen=True, slots=True)
class Number:
    """A score in summary.json."""

    accuracy: float
    ci: tuple[float, float]
    n: int
    ties: int

    def is_said_by(self, text: str) -> bool:
        """Whether a cell's words are this number, to the digits that they have."""
        if self.ties == self.n:
            return text == f"all {self.n:,} item{'s' if self.n > 1 else ''} tied"
        found = SAYS.search(text)
        if not found:
            return False
        shown = [float(found[k]) for k in ("share", "low", "high")]
        true = [100 * value for value in (self.accuracy, *self.ci)]
        counts = [int((found[k] or "0").replace(",", "")) for k in ("n", "ties")]
        return shown == pytest.approx(true, abs=0.0501) and counts == [self.n, self.ties]


Numbers = dict[tuple[str, str, str, str], Number]
"""By kind of data, model, level and name."""


def numbers(run: Path) -> Numbers:
    """Every score in the summaries of a run, read as plain JSON."""
    found: Numbers = {}
    for file in run.glob("*/*/summary.json"):
        summary = json.loads(file.read_text("utf-8"))
        model, kind = summary["model"], f"{summary['kind']} {summary['data']}"
        if summary["kind"] == "suites":
            overall = {**summary["sg"], "accuracy": summary["sg"]["score"]}
            parts = {OVERALL: {"": overall}, CLASS: summary["circuits"], SET: summary["suites"]}
        else:
            full = next(iter(summary["methods"].values()))
            parts = {OVERALL: {"": full["overall"]}, CLASS: full["phenomena"],
                     SET: full["paradigms"]}  # fmt: skip
        for level, cells in parts.items():
            for name, cell in cells.items():
                found[kind, model, level, name] = Number(
                    cell["accuracy"], tuple(cell["ci"]), cell["n"], cell["ties"]
                )
    return found


CELLS = """id => {
    const board = document.getElementById(id);
    const rows = "table.heat:not(.inner) tbody:not(.published) td";
    const above = [...board.querySelectorAll(rows)].map(c =>
        [c.dataset.row, c.dataset.class ? "class" : "overall", c.dataset.class,
         c.title.split(": ").at(-1), c.firstChild.textContent]);
    board.querySelector(rows).click();
    const below = [...board.querySelectorAll(".detail td:not(.published)")].map(c =>
        [c.dataset.row, "set", c.dataset.set, c.title.split(": ").at(-1), c.textContent]);
    return [...above, ...below];
}"""


def check_cells(tab: Any, board: str, wanted: Numbers) -> None:
    """All cells of a board, its sets included; each has its words and its number."""
    shown = {(row, level, name): (says, cell) for row, level, name, says, cell in
             tab.evaluate(CELLS, board) if says}  # fmt: skip
    own = {key[1:]: number for key, number in wanted.items()}
    assert shown.keys() == own.keys()
    wrong = {k: (shown[k], own[k]) for k in own if not own[k].is_said_by(shown[k][0])}
    assert wrong == {}
    tied = {k for k in own if 2 * own[k].ties > own[k].n}
    assert all(("tied" in cell) is (k in tied) for k, (_, cell) in shown.items())
    short = {k: cell for k, (_, cell) in shown.items() if k not in tied}
    assert {k: float(cell) for k, cell in short.items()} == pytest.approx(
        {k: 100 * own[k].accuracy for k in short}, abs=0.501
    )


def plain(name: str) -> str:
    """A name without the signs in which its spellings differ."""
    return re.sub(r"[^a-z0-9]+", " ", name.lower())


def check_marks(tab: Any, figure: str, level: str, wanted: Numbers) -> None:
    """The points of a figure, from what they say to a screen reader."""
    place = f"document.getElementById('{figure}')"
    tab.evaluate(f"{place}.scrollIntoView()")
    wait_for(tab, f"{place}.dataset.drawn === 'yes'")
    said = tab.evaluate(
        f"[...{place}.querySelectorAll('.mark-symbol.role-mark path')].map(p => p.ariaLabel)"
    )
    shown = {}
    for text in said:
        facts = dict(part.split(": ", 1) for part in text.split("; "))
        if not facts["model"].endswith("*"):
            share = float(text.split("%")[0].rsplit(" ", 1)[-1])
            shown[facts["model"], plain(facts["name"])] = share
    names = {plain(k[3]) for k in wanted if k[2] == level}
    rest = {name for _, name in shown} - names
    assert len(rest) <= 1  # the mean, whatever it is called
    own = {(k[1], plain(k[3])): 100 * number.accuracy
           for k, number in wanted.items() if k[2] == level}  # fmt: skip
    for name in rest:
        own |= {(k[1], name): 100 * n.accuracy for k, n in wanted.items() if k[2] == OVERALL}
    assert shown == pytest.approx(own, abs=1e-5)


def check_standings(tab: Any, wanted: Numbers) -> None:
    """The table at the top, whose columns are in the order of the boards."""
    shown = tab.evaluate(
        "[...document.querySelectorAll('#standings tbody tr')].flatMap(r =>"
        " [...r.querySelectorAll('td')].map(c => [r.dataset.model, c.textContent]))"
    )
    for key, number in wanted.items():
        share = f"{100 * number.accuracy:.1f} {100 * number.ci[0]:.1f}–{100 * number.ci[1]:.1f}"
        if 2 * number.ties > number.n:
            share = f"{100 * number.accuracy:.1f} {number.ties:,} of {number.n:,} tied"
        says = "tied" if number.ties == number.n else share
        if key[2] == OVERALL:
            assert [key[1], says] in [[m, t.removesuffix(" best")] for m, t in shown]


def test_every_cell_and_mark_of_the_page_is_a_number_of_its_run(
    visit: Visit, file: Path, run: Path
) -> None:
    wanted = numbers(run)
    of = {kind: {k: v for k, v in wanted.items() if k[0].startswith(kind)}
          for kind in ("pairs generated", "suites", "pairs odd")}  # fmt: skip
    assert sum(map(len, of.values())) == len(wanted) > 2 * (67 + 12 + 30)
    tab = visit(viewport={"width": 1400, "height": 900})
    open_report(tab, file)
    check_standings(tab, wanted)
    check_cells(tab, "b1", of["pairs generated"])
    check_cells(tab, "b2", of["pairs odd"])
    check_cells(tab, "b3", of["suites"])
    check_marks(tab, "b1-accuracy-by-phenomenon", CLASS, of["pairs generated"])
    check_marks(tab, "b1-accuracy-by-paradigm", SET, of["pairs generated"])
    check_marks(tab, "b3-sg-by-circuit", CLASS, of["suites"])
    check_marks(tab, "b3-sg-by-suite", SET, of["suites"])


def test_so_is_every_cell_of_thirty_checkpoints(visit: Visit, many: tuple[Page, Path]) -> None:
    shared = "lab/tiny@"
    read = numbers(many[1].parent / "run")
    wanted = {(k[0], k[1].removeprefix(shared), *k[2:]): n for k, n in read.items()}
    assert len(wanted) == COUNT * (1 + 2 + len(SETS))
    tab = visit(viewport={"width": 1400, "height": 900})
    open_report(tab, many[1])
    check_standings(tab, wanted)
    check_cells(tab, "b1", wanted)
    check_marks(tab, "accuracy-by-phenomenon", CLASS, wanted)
