"""Who leads, by how much, and whether it is significant; the table of models by benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from priscian.reporting import build_page
from priscian.reporting.boards import Board, make_boards
from priscian.reporting.headline import headlines
from priscian.reporting.standings import leader, standings
from priscian.runs import load_runs
from tests.browser import Visit, open_report
from tests.small_results import pairs_result, write_run


def board(**models: list[float]) -> Board:
    sets = {name: {"wh_island": c, "passive_1": c} for name, c in models.items()}
    (made,) = make_boards([pairs_result(name, credit) for name, credit in sets.items()])
    return made


def test_a_clear_lead_is_significant() -> None:
    said = leader(board(weak=[1, 0] * 40, strong=[1] * 72 + [0] * 8, other=[0] * 80))
    assert said.startswith("strong leads on ")
    assert "with 90.0 %, 40.0 points above weak (95 % interval " in said
    assert said.endswith("significant at 5 %.")


def test_a_lead_of_one_item_is_not() -> None:
    said = leader(board(a=[1, 0] * 10, b=[1, 0] * 9 + [1, 1]))
    assert "b leads" in said
    assert "5.0 points above a" in said
    assert said.endswith("not significant: the interval includes 0.")


def test_equal_scores_are_level() -> None:
    assert "are level" in leader(board(a=[1, 0], b=[0, 1]))


def test_models_with_other_numbers_of_items_are_compared_on_those_that_both_have() -> None:
    said = leader(board(short=[1, 0], long=[1, 1] + [0] * 8))
    assert said.startswith("short has the highest accuracy on ")
    assert "50.0 %. On the 4 items that long has too, it is 50.0 points below long (95 %" in said


def test_one_model_leads_nobody() -> None:
    assert leader(board(a=[1, 0])) == ""


def test_the_best_of_each_benchmark_is_marked() -> None:
    boards = [board(a=[1, 0, 0], b=[1, 1, 0])]
    found = standings(boards, headlines(boards))
    marks = {model: [p.best for p in places if p] for model, places in found.rows}
    assert marks == {"a": [False], "b": [True]}


def test_a_heading_sorts_the_table(visit: Visit, file: Path) -> None:
    tab = visit()
    open_report(tab, file)

    def column(number: int) -> list[Any]:
        cells = tab.locator(f"#standings tbody tr td:nth-child({number})")
        return [float(c.get_attribute("data-value")) for c in cells.all()]

    head = tab.locator("#standings thead th").nth(1)
    head.locator("button").click()
    assert column(2) == sorted(column(2), reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.locator("button").click()
    assert column(2) == sorted(column(2))


@pytest.mark.parametrize(("count", "cards"), [(4, True), (5, False)])
def test_prose_is_for_up_to_four_models(count: int, cards: bool, tmp_path: Path) -> None:
    credit = {"wh_island": [1, 0], "passive_1": [1, 1]}
    write_run(tmp_path / "run", *(pairs_result(f"m{n}", credit) for n in range(count)))
    html = build_page(load_runs([tmp_path / "run"])).html
    assert html.count('<th scope="row">m') >= count
    assert ('<ol class="models">' in html) is cards
