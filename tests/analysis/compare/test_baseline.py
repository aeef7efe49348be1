"""One figure for the differences of many models."""

from __future__ import annotations

import pytest
from tests.small_results import pairs_result

from priscian.analysis.compare.baseline import baseline_figure, class_differences
from priscian.analysis.compare.comparison import compare_results

CREDIT = {"a": [1, 1, 0, 0], "b": [1, 0, 0, 0], "c": [1, 1, 1, 1], "d": [0, 1, 1, 0]}


def results() -> list:  # type: ignore[type-arg]
    return [pairs_result(n, {"wh_island": c, "passive_1": c}) for n, c in CREDIT.items()]


def test_every_two_models_differ_as_a_comparison_says() -> None:
    found = {(d.a, d.b, d.name): d for d in class_differences(results())}
    assert len({key[:2] for key in found}) == 6
    made = results()
    one = compare_results(made[0], made[2])
    island = found["a", "c", "island_effects"]
    assert island.difference == pytest.approx(one.groups["island_effects"].difference)
    assert island.ci == pytest.approx(one.groups["island_effects"].ci)


def test_the_best_is_shown_against_the_first_until_another_is_chosen() -> None:
    params = {p["name"]: p for p in baseline_figure(results()).chart["params"]}
    assert (params["chosen"]["value"], params["baseline"]["value"]) == ("c", "a")
    assert params["baseline"]["bind"]["options"] == ["a", "b", "c", "d"]
