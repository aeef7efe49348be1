"""Who leads, by how much, and whether it is significant; the table of models by benchmarks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from priscian.analysis.compare import CompareOptions, compare_results
from priscian.reporting import build_page
from priscian.reporting.boards import Board, make_boards
from priscian.reporting.standings import headlines, leader, standings
from priscian.runs import PairsSummary, Result, load_runs
from priscian.stats.sets import difference_sets_interval
from tests.browser import Visit, open_report
from tests.small_results import pairs_result, suites_result, write_run


def board(sets: int = 2, **models: list[float]) -> Board:
    names = ["wh_island", "passive_1", *(f"more_{n}" for n in range(sets - 2))]
    sets = {name: dict.fromkeys(names, c) for name, c in models.items()}
    (made,) = make_boards([pairs_result(name, credit) for name, credit in sets.items()])
    return made


def test_a_clear_lead_is_significant() -> None:
    models = {"weak": [1, 0] * 40, "strong": [1] * 72 + [0] * 8, "other": [0] * 80}
    said = leader(board(sets=8, **models))
    assert said.startswith("strong leads on ")
    assert "with 90.0 %, 40.0 points above weak (95 % interval " in said
    assert said.endswith("): significant at 5 %.")


def test_the_difference_of_pairs_has_the_two_intervals_that_the_scores_have() -> None:
    models = {"weak": [1, 0] * 40, "strong": [1] * 72 + [0] * 8}
    said = leader(board(sets=2, **models))
    pairs = [pairs_result(m, {"wh_island": c, "passive_1": c}) for m, c in models.items()]
    for way in ("items", "both"):
        ci = compare_results(pairs[1], pairs[0], CompareOptions(resample=way)).overall.ci
        words = "other items of the same" if way == "items" else "other"
        shown = f"{100 * ci[0]:.1f} to {100 * ci[1]:.1f} for {words} paradigms"
        assert shown.replace("-", "−") in said
    assert said.endswith("significant at 5 % on these paradigms, but not for other paradigms.")
    (one,) = make_boards([pairs_result(m, {"wh_island": c}) for m, c in models.items()])
    assert "for other items of the same paradigms): significant at 5 %." in leader(one)


def test_the_difference_of_suites_covers_other_suites_as_the_score_does() -> None:
    judged = {"a": [[1, 0, 1, 1], [1, 1, 1, 0]], "b": [[1, 1, 0, 0], [0, 1, 0, 0]]}
    results = [suites_result(m, {"cleft": x, "mvrr": y}) for m, (x, y) in judged.items()]
    (made,) = make_boards(results)
    low, high = difference_sets_interval([[0, -1, 1, 1], [1, 0, 1, 0]])
    shown = f"{100 * low:.1f} to {100 * high:.1f} for other suites with other items"
    assert shown.replace("-", "−") in leader(made)
    assert "of the same suites" not in leader(made)


def tied(result: Result, ties: int) -> Result:
    """The same result with that many ties."""
    assert isinstance(result.summary, PairsSummary)
    full = result.summary.methods["full"]
    overall = structs.replace(full.overall, ties=ties)
    paradigms = {name: structs.replace(score, ties=ties) for name, score in full.paradigms.items()}
    methods = {"full": structs.replace(full, overall=overall, paradigms=paradigms, phenomena={})}
    return replace(result, summary=structs.replace(result.summary, methods=methods))


def test_a_model_most_of_whose_items_tie_is_not_compared() -> None:
    judged = {"a": [1] * 40, "b": [1, 0] * 20, "c": [0] * 40}
    made = [pairs_result(m, {"wh_island": c}) for m, c in judged.items()]
    (two,) = make_boards([made[0], tied(made[2], 21)])
    assert leader(two) == (
        "a has 100.0 % on BLiMP. Not compared on BLiMP, since most items tie: c (21 of 40)."
    )
    found = standings([two], headlines([two]))
    assert [p.best for _, places in found.rows for p in places if p] == [False, False]
    (three,) = make_boards([made[0], made[1], tied(made[2], 40)])
    assert leader(three).startswith("a leads on BLiMP with 100.0 %, 50.0 points above b (")
    assert leader(three).endswith("Not compared on BLiMP, since most items tie: c (40 of 40).")
    (half,) = make_boards([made[0], tied(made[2], 20)])
    assert leader(half).startswith("a leads on BLiMP")
    (none,) = make_boards([tied(made[0], 40), tied(made[2], 40)])
    assert leader(none).endswith("most items tie: a (40 of 40) and c (40 of 40).")
    assert not leader(none).startswith("a")


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
