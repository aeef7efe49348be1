"""The overall score of a result: its interval, and what it says about itself."""

from __future__ import annotations

import pytest
from tests.small_results import pairs_result, suites_result

from priscian.analysis.intervals import find_resample, how_made, overall_interval, set_credits
from priscian.errors import UsageError

JUDGED = {"wh_island": [1, 1, 0, 1], "passive_1": [0, 1]}


class TestOverall:
    def test_the_score_is_the_mean_of_sets(self) -> None:
        found = overall_interval(pairs_result("m", JUDGED))
        assert found.score == pytest.approx((0.75 + 0.5) / 2)
        assert (found.sets, found.items, found.resample) == (2, 6, "items")
        assert found.ci[0] < found.score < found.ci[1]

    def test_it_says_what_was_resampled(self) -> None:
        result = pairs_result("m", JUDGED)
        words = {
            way: overall_interval(result, resample=way, draws=500).words
            for way in ("items", "sets", "both")
        }
        assert words["items"].startswith("95 % bootstrap, 500 draws of items within each set")
        assert "Student's t over the sets' means" in words["sets"]  # two sets are too few to draw
        many = pairs_result("m", {f"set_{n}": [1, 0] * 5 + [1] * n for n in range(12)})
        found = overall_interval(many, resample="both", draws=500)
        assert "500 draws of sets, and items within each" in found.words
        assert found.resample == "both"
        assert found.draws == 500

    def test_a_perfect_result_has_a_width(self) -> None:
        result = pairs_result("m", {f"set_{n}": [1] * 10 for n in range(12)})
        for way in ("items", "sets", "both"):
            found = overall_interval(result, resample=way)
            assert found.ci[0] < 1.0 == found.ci[1]
            assert found.draws == 0
        assert how_made("items", 0).startswith("95 % interval combined from the sets' own")

    def test_an_item_of_a_suite_counts_once_as_a_whole(self) -> None:
        result = suites_result("m", {"cleft": [1, 0, 0], "mvrr": [1, 1]})
        found = {name: values.tolist() for name, values in set_credits(result).items()}
        assert found == {"cleft": [1, 0, 0], "mvrr": [1, 1]}
        assert overall_interval(result).score == pytest.approx((1 / 3 + 1) / 2)

    def test_a_method_that_is_not_there(self) -> None:
        with pytest.raises(UsageError, match="no method 'one_prefix'; it has full"):
            overall_interval(pairs_result("m", JUDGED), "one_prefix")

    def test_an_unknown_way(self) -> None:
        with pytest.raises(UsageError, match="did you mean items"):
            find_resample("item")
