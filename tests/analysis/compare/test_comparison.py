"""Two results item by item: by hand, on different data, with half credits, on suites."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import polars
import pytest
from msgspec import structs
from tests.small_results import pairs_result, suites_result

from priscian.analysis.compare.comparison import CompareOptions, Comparison, compare_results
from priscian.catalogue import FURTHER
from priscian.errors import RunError, UsageError
from priscian.files import plain
from priscian.runs import Result
from priscian.runs.result import in_memory
from priscian.stats.differences import holm, mid_p, paired_interval
from priscian.stats.sets import difference_sets_interval


def compare(a: Result, b: Result, **options: Any) -> Comparison:
    return compare_results(a, b, CompareOptions(**options))


A = {"wh_island": [1, 1, 0, 0, 0, 0, 0, 0], "passive_1": [1, 1, 1, 0]}
B = {"wh_island": [1, 0, 1, 1, 1, 1, 1, 0], "passive_1": [1, 1, 1, 0]}


class TestByHand:
    found = compare(pairs_result("a", A), pairs_result("b", B), draws=500)

    def test_accuracies_and_discordant_items(self) -> None:
        island, passive = self.found.sets
        assert (island.name, island.group, island.n) == ("wh_island", "island_effects", 8)
        assert (island.a, island.b, island.difference) == (0.25, 0.75, -0.5)
        assert (island.only_a, island.only_b) == (1, 5)
        assert (passive.only_a, passive.only_b, passive.difference) == (0, 0, 0.0)

    def test_the_test_and_its_correction(self) -> None:
        island, passive = self.found.sets
        assert (island.p, passive.p) == (mid_p(1, 5), 1.0)
        assert (island.p_holm, passive.p_holm) == (2 * mid_p(1, 5), 1.0)
        assert not island.significant
        assert island.ci == paired_interval([0, 1, -1, -1, -1, -1, -1, 0])

    def test_overall_is_the_mean_of_sets(self) -> None:
        overall = self.found.overall
        assert (overall.a, overall.b) == ((0.25 + 0.75) / 2, (0.75 + 0.75) / 2)
        assert overall.difference == -0.25  # the first is worse
        assert overall.ci[0] < -0.25 < overall.ci[1]
        assert self.found.overlap.words == "the same 12 items in 2 sets"

    def test_groups(self) -> None:
        assert list(self.found.groups) == ["argument_structure", "island_effects"]
        assert self.found.groups["island_effects"].difference == -0.5
        # a group of one set has its interval, which has a width though nothing flipped
        assert self.found.groups["argument_structure"].ci == pytest.approx(self.found.sets[1].ci)
        assert self.found.sets[1].ci[0] < 0 < self.found.sets[1].ci[1]

    def test_flips_name_the_item_and_its_sentences(self) -> None:
        assert [f.item for f in self.found.flips] == [f"wh_island/{n}" for n in (1, 2, 3, 4, 5, 6)]
        first = self.found.flips[0]
        assert (first.a, first.b, first.delta_a, first.delta_b) == (1.0, 0.0, 1.0, -1.0)
        assert first.texts == {"good": "Good wh_island 1.", "bad": "Bad wh_island 1."}

    def test_json(self) -> None:
        found = json.loads(json.dumps(self.found.as_dict()))
        assert found["flipped"] == {"total": 6, "only_a": 1, "only_b": 5}
        assert found["overall"]["resample"] == "items"
        assert found["overall"]["covers"] == "other items of the same sets"
        assert found["groups"]["island_effects"]["covers"] == "other items of the same sets"
        assert found["sets"]["wh_island"]["covers"] == "other items of the same set"
        assert found["sets"]["wh_island"]["only_b"] == 5
        assert len(found["flips"]) == 6

    def test_the_other_way_round_is_the_mirror(self) -> None:
        back = compare(pairs_result("b", B), pairs_result("a", A), draws=500)
        assert back.overall.difference == -self.found.overall.difference
        low, high = self.found.sets[0].ci
        assert back.sets[0].ci == pytest.approx((-high, -low))


def test_a_clear_difference_stands_after_correction() -> None:
    names = [f"set_{n}" for n in range(10)]
    draw = np.random.default_rng(1)
    a = {name: (draw.random(200) < 0.6).astype(float).tolist() for name in names}
    b = {**a, "set_3": [1.0] * 200}
    found = compare(pairs_result("a", a), pairs_result("b", b), resample="sets", draws=500)
    assert [s.name for s in found.sets if s.significant] == ["set_3"]
    assert found.as_dict()["significant"] == ["set_3"]
    assert {s.name: s.p_holm for s in found.sets} == holm({s.name: s.p for s in found.sets})
    assert "draws of sets" in found.interval_words


def test_half_credits_count_for_the_model_with_more() -> None:
    a = pairs_result("a", {"wh_island": [0.5, 0.5, 1, 0]})
    b = pairs_result("b", {"wh_island": [1, 0, 1, 0.5]})
    (found,) = compare(a, b, draws=200).sets
    assert (found.only_a, found.only_b) == (1, 2)
    assert found.difference == pytest.approx(-0.125)
    assert found.ci == paired_interval([-0.5, 0.5, 0, -0.5])


class TestDifferentData:
    def test_only_shared_items_are_compared(self) -> None:
        a = pairs_result("a", {"wh_island": [1, 1, 0, 0], "causative": [1, 1]})
        b = pairs_result("b", {"wh_island": [1, 1], "passive_1": [0, 0]}, data="other", first=0)
        found = compare(a, b, draws=200)
        assert plain(found.overlap) == {
            "items": 2,
            "items_a": 6,
            "items_b": 4,
            "sets": 1,
            "sets_without_shared_items": ["causative", "passive_1"],
        }
        assert found.overlap.words == (
            "the 2 items in 1 set that both have (of 6 and 4); "
            "sets without a shared item: causative, passive_1"
        )
        assert found.data == "small and other"
        assert found.overall.a == found.overall.b == 1.0

    def test_the_same_ids_with_other_sentences_are_not_the_same(self) -> None:
        a = pairs_result("a", {"wh_island": [1, 0]})
        b = pairs_result("b", {"wh_island": [1, 0]}, words="Oh! ")
        with pytest.raises(RunError, match="wh_island is in both, but with other sentences"):
            compare(a, b)

    def test_no_set_in_both(self) -> None:
        a, b = pairs_result("a", {"wh_island": [1]}), pairs_result("b", {"causative": [1]})
        with pytest.raises(RunError, match="one has the sets wh_island, the other causative"):
            compare(a, b)

    def test_pairs_and_suites(self) -> None:
        with pytest.raises(UsageError, match="a on small is a result on pairs, b on sg on suites"):
            compare(pairs_result("a", A), suites_result("b", {"cleft": [1]}))

    def test_methods_that_are_not_shared(self) -> None:
        a = pairs_result("a", A)
        with pytest.raises(UsageError, match="'one_prefix' is in both results: a has full"):
            compare(a, pairs_result("b", B), method="one_prefix")
        prefix = pairs_result("b", B, method="one_prefix")
        with pytest.raises(UsageError, match="no method is in both"):
            compare(a, prefix)
        assert compare(prefix, prefix, draws=200).method == "one_prefix"


class TestSuites:
    def test_items_are_right_or_wrong_as_a_whole(self) -> None:
        a = suites_result("a", {"cleft": [1, 0, 0], "mvrr": [1, 1, 1]})
        b = suites_result("b", {"cleft": [1, 1, 0], "mvrr": [0, 1, 1]})
        found = compare(a, b, draws=200)
        assert found.overlap.shared == 6
        assert [(f.set, f.item) for f in found.flips] == [("cleft", "cleft/2"), ("mvrr", "mvrr/1")]
        assert found.flips[0].texts == {"odd": "The odd one 2.", "plain": "The plain one 2."}
        assert found.flips[0].delta_a is None
        assert list(found.groups) == ["Gross Syntactic State"]

    def test_the_intervals_cover_other_suites_as_those_of_the_scores_do(self) -> None:
        a = suites_result("a", {"cleft": [1, 0, 1, 1], "mvrr": [1, 1, 1, 0]})
        b = suites_result("b", {"cleft": [1, 1, 0, 0], "mvrr": [0, 1, 0, 0]})
        found = compare(a, b)
        expected = difference_sets_interval([[0, -1, 1, 1], [1, 0, 1, 0]])
        assert found.overall.ci == pytest.approx(expected)
        assert found.groups["Gross Syntactic State"].ci == pytest.approx(expected)
        facts = found.as_dict()
        assert facts["overall"]["resample"] == "sets"
        assert facts["overall"]["covers"] == "other sets with other items"
        assert "it covers other sets with other items" in found.interval_words
        items = compare(a, b, resample="items").overall
        assert items.resample == "items"
        assert items.ci != found.overall.ci

    def test_one_suite_says_nothing_about_others(self) -> None:
        a, b = (suites_result(m, {"cleft": c}) for m, c in (("a", [1, 0, 1]), ("b", [1, 1, 1])))
        found = compare(a, b, draws=500)
        assert found.overall.resample == found.groups["Gross Syntactic State"].resample == "items"
        with pytest.raises(UsageError, match="one set cannot be resampled; use items"):
            compare(a, b, resample="sets")

    def test_further_suites_are_compared_but_do_not_count_overall(self) -> None:
        a, b = (
            with_further(suites_result(m, {"cleft": c, "mvrr": c, "own": d}))
            for m, c, d in (("a", [1, 1], [0, 0]), ("b", [0, 1], [1, 1]))
        )
        found = compare(a, b)
        assert (found.overall.a, found.overall.b, found.overall.sets) == (1.0, 0.5, 2)
        assert found.groups[FURTHER].difference == -1.0
        assert len(found.sets) == 3

    def test_detached_punctuation_is_the_same_item(self) -> None:
        a = suites_result("a", {"cleft": [1, 0, 0]})
        b = suites_result("b", {"cleft": [1, 1]}, stop=" .")  # one item fewer: another hash
        assert compare(a, b, draws=200).overlap.shared == 2

    def test_other_words_are_not(self) -> None:
        a = suites_result("a", {"cleft": [1, 0]})
        b = suites_result("b", {"cleft": [1, 1]}, words="Oh! ")
        with pytest.raises(RunError, match="cleft is in both, but with other sentences"):
            compare(a, b)


def with_further(result: Result) -> Result:
    """The same result, whose set `own` is a further suite."""
    sets = {
        name: structs.replace(facts, taxonomy=(FURTHER,)) if name == "own" else facts
        for name, facts in result.facts.sets.items()
    }
    return replace(result, facts=structs.replace(result.facts, sets=sets))


def with_margins(name: str, margins: list[float]) -> Result:
    """A result whose items have these margins."""
    made = pairs_result(name, {"wh_island": [float(margin > 0) for margin in margins]})
    items = made.frame().with_columns(polars.Series("delta", margins))
    return replace(made, open_table=in_memory({"items": items}))


def test_flips_are_sorted_by_how_far_the_margins_are_apart() -> None:
    a, b = with_margins("a", [3.0, 0.5, -1.0]), with_margins("b", [-4.0, -0.5, 9.0])
    flips = compare(a, b, draws=200).flips
    assert [(flip.item, flip.size) for flip in flips] == [
        ("wh_island/2", 10.0), ("wh_island/0", 7.0), ("wh_island/1", 1.0),
    ]  # fmt: skip


def test_the_figure_has_every_set_and_says_how_it_was_made() -> None:
    (figure,) = TestByHand.found.figures
    assert [row["set"] for row in figure.rows] == ["passive_1", "wh_island"]
    row = figure.rows[1]
    assert (row["difference"], row["better"], row["n"]) == (-50.0, "no clear difference", 8)
    assert "the same 12 items" in figure.caption
    assert "0 of 2 are significant at 5 %" in figure.caption
    assert "Bonett and Price" in figure.caption
