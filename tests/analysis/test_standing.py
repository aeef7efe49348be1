"""How scores stand to chance: by hand, where few suites are few, and for a model that guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from tests.small_results import suites_result

from priscian.analysis.standing import guess_interval, guess_intervals, mostly_tied, standing
from priscian.catalogue import FURTHER
from priscian.runs import Result, SuitesSummary
from priscian.runs.kinds.suites import SuiteScore
from priscian.stats.proportions import accuracy_of
from priscian.stats.sets import credit_sets_interval


def scored(judged: Mapping[str, Sequence[float]], chance: float = 0.25) -> Result:
    """A result on suites with the intervals that their items give."""
    result = suites_result("m", judged)
    assert isinstance(result.summary, SuitesSummary)
    suites = {}
    for name, items in judged.items():
        own = accuracy_of(items)
        suites[name] = SuiteScore(accuracy=own.accuracy, n=own.n, ties=0, chance=chance, ci=own.ci)
    return replace(result, summary=structs.replace(result.summary, suites=suites))


def test_one_of_thirty_right_in_three_suites_is_below_a_chance_of_a_quarter() -> None:
    judged = {"a": [1.0] + [0.0] * 9, "b": [0.0] * 10, "c": [0.0] * 10}
    # guesses: 1.96·√(3·(3/16)/10)/3 = 0.15495 to either side
    found = guess_intervals(scored(judged))
    for name in ("", "Gross Syntactic State"):
        assert found[name] == pytest.approx((1 / 30 - 0.15495, 1 / 30 + 0.15495), abs=1e-5)
        assert standing(0.25, found[name]) == "below"
    # other suites may be easier: the interval for them reaches further
    low, high = credit_sets_interval(list(judged.values()))
    assert low < 0.25 < high


def test_further_suites_have_a_class_of_their_own_and_no_part_in_the_overall_score() -> None:
    made = scored({"a": [1.0] * 10, "own": [0.0] * 10})
    facts = structs.replace(made.facts.sets["own"], taxonomy=(FURTHER,))
    sets = {**made.facts.sets, "own": facts}
    found = guess_intervals(replace(made, facts=structs.replace(made.facts, sets=sets)))
    assert found[""] == guess_interval([(1.0, 0.25, 10)])
    assert found[FURTHER] == guess_interval([(0.0, 0.25, 10)])


@pytest.mark.parametrize(
    ("ties", "n", "tied"),
    [(0, 0, False), (20, 40, False), (21, 40, True), (40, 40, True), (54, 60, True), (1, 1, True)],
)
def test_more_than_half_of_the_items_must_tie(ties: int, n: int, tied: bool) -> None:
    assert mostly_tied(ties, n) is tied
    assert (standing(0.5, (0.0, 0.1), ties, n) == "tied") is tied


@pytest.mark.parametrize("chance", [0.25, 0.5])
@pytest.mark.parametrize("k", [2, 3, 6, 10])
@pytest.mark.parametrize("n", [5, 10, 24])
def test_a_model_that_guesses_is_seldom_above_or_below_chance(
    chance: float, k: int, n: int
) -> None:
    draw = np.random.default_rng(9)
    wrong = 0
    for rights in draw.binomial(n, chance, size=(2000, k)).tolist():
        interval = guess_interval([(right / n, chance, n) for right in rights])
        wrong += standing(chance, interval) in ("above", "below")
    assert wrong / 2000 <= 0.075  # ten items allow few shares; 5 % where there are many


def test_suites_of_other_chance_levels_and_sizes_count_by_their_own() -> None:
    # √(¼/4 + (3/16)/12)/2 = 0.1397542
    low, high = guess_interval([(0.5, 0.5, 4), (0.25, 0.25, 12)])
    assert (low, high) == pytest.approx((0.375 - 0.2739132, 0.375 + 0.2739132), abs=1e-6)
