"""From region surprisals to SG scores, worked out by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.small_suites import choice, garden

from priscian.datasets.reference import published_suites
from priscian.datasets.syntaxgym import read_suite, suite_from_json
from priscian.errors import DataError, UsageError
from priscian.formulas import parse_formula
from priscian.metrics.contrasts import evaluate
from priscian.metrics.generalization import (
    Rules,
    SuiteOutcome,
    judge_suite,
    region_means,
    summarise_suites,
)
from priscian.records import ItemSet, Sentence, TokenScores
from priscian.runs import SuiteOptions
from priscian.stats.proportions import wilson
from priscian.stats.sets import credit_sets_interval

Scorer = Callable[[Sentence], TokenScores]


def by_word(bits: Mapping[str, float]) -> Scorer:
    """A model whose words have fixed surprisals; others have one bit."""

    def score(sentence: Sentence) -> TokenScores:
        starts, at = [], 0
        words = sentence.text.split(" ")
        for word in words:
            starts.append(at)
            at += len(word) + 1
        logps = tuple(-bits.get(word, 1.0) * math.log(2) for word in words)
        return TokenScores(tuple(starts), tuple(starts), logps)

    return score


def suite(*formulas: str) -> ItemSet:
    return suite_from_json(choice(formulas=formulas), "choice.json")


class TestItems:
    def test_an_item_is_right_if_its_formula_holds(self) -> None:
        found = judge_suite(suite(), by_word({"has": 2.0, "have": 3.0}))
        assert found.credits == [1.0, 0.0]
        assert found.accuracy == 0.5
        first = found.items[0].predictions[0]
        assert first.values == (("good", "2", pytest.approx(2.0)), ("bad", "2", pytest.approx(3.0)))
        assert first.margin == pytest.approx(1.0)

    def test_a_star_is_the_sum_of_all_regions(self) -> None:
        found = judge_suite(suite("(*;%good%)<(*;%bad%)"), by_word({"has": 2.0, "have": 3.0}))
        assert found.items[0].predictions[0].values[0] == ("good", "*", pytest.approx(5.0))
        assert found.credits == [1.0, 0.0]

    def test_the_first_prediction_counts_or_all_do(self) -> None:
        both = suite("(2;%good%)<(2;%bad%)", "(2;%good%)>(2;%bad%)")
        model = by_word({"has": 2.0, "have": 3.0})
        assert judge_suite(both, model).credits == [1.0, 0.0]
        every = judge_suite(both, model, Rules(predictions="all"))
        assert every.credits == [0.0, 0.0]
        assert every.chance == 0.0
        assert [[p.correct for p in item.predictions] for item in every.items] == [[1, 0], [0, 1]]

    def test_an_equality_has_the_reference_tolerance_in_bits(self) -> None:
        equal = suite("(2;%good%)=(2;%bad%)")
        assert judge_suite(equal, by_word({"has": 2.0, "have": 2.0009})).credits == [1.0, 1.0]
        assert judge_suite(equal, by_word({"has": 2.0, "have": 2.0012})).credits == [0.0, 0.0]

    @pytest.mark.parametrize(("tie", "credit"), [("wrong", 0.0), ("fail", 0.0), ("half", 0.5)])
    def test_a_tie_is_counted_by_rule_and_always_told(self, tie: str, credit: float) -> None:
        found = judge_suite(suite(), by_word({}), Rules(tie=tie))
        assert found.credits == [credit, credit]
        assert found.ties == 2

    def test_random_ties_are_drawn_for_each_item_and_fixed_by_the_seed(self) -> None:
        many = suite_from_json(garden(items=60), "garden.json")
        rules = [Rules(tie="random", seed=s) for s in (1, 1, 2)]
        one, again, other = (judge_suite(many, by_word({}), r).credits for r in rules)
        assert one == again != other
        assert 0 < sum(one) < 60

    def test_conditions_are_looked_up_by_name_whatever_their_order(self) -> None:
        # bits of the verb are the same everywhere, so that plain > comma cannot hold
        found = judge_suite(suite_from_json(garden(), "g"), by_word({"forgot": 7.0}))
        assert found.credits == [0.0, 0.0, 0.0]
        assert found.ties == 3

    def test_a_sentence_that_cannot_be_scored_names_file_item_and_condition(self) -> None:
        def broken(sentence: Sentence) -> TokenScores:
            raise DataError("no surprisals of it; add them")

        with pytest.raises(DataError, match=r"choice\.json: item 1, condition 'good': no surpr"):
            judge_suite(suite(), broken)

    def test_an_unknown_choice_of_predictions_is_refused(self) -> None:
        with pytest.raises(UsageError, match="`predictions=` takes first or all"):
            SuiteOptions(predictions="some").check()


def outcome(name: str, circuit: str, right: int, n: int, base: str = "") -> SuiteOutcome:
    made = judge_suite(suite(), by_word({}))
    items = tuple(
        type(made.items[0])(f"{name}/{i}", float(i < right), False, (), {}) for i in range(n)
    )
    return SuiteOutcome(name, circuit, 0.25, items, base)


class TestSummary:
    def test_the_score_is_the_unweighted_mean_of_suites(self) -> None:
        found = summarise_suites(
            [outcome("a", "X", 1, 2), outcome("b", "X", 4, 4), outcome("c", "Y", 0, 100),
             outcome("d", "", 9, 10)]
        )  # fmt: skip
        assert found["sg"]["score"] == pytest.approx((0.5 + 1 + 0 + 0.9) / 4)
        assert {k: v["accuracy"] for k, v in found["circuits"].items()} == {"X": 0.75, "Y": 0.0}
        assert found["suites"]["a"].keys() == {"accuracy", "n", "ties", "chance", "ci"}
        assert found["suites"]["c"]["n"] == 100
        low, high = found["sg"]["ci"]
        assert low < found["sg"]["score"] < high
        json.dumps(found)

    def test_a_suite_has_wilsons_interval_and_a_circuit_one_for_other_suites(self) -> None:
        suites = [outcome("a", "X", 6, 10), outcome("b", "X", 9, 10), outcome("c", "Y", 10, 10)]
        found = summarise_suites(suites)
        assert found["suites"]["a"]["ci"] == list(wilson(0.6, 10))
        both = credit_sets_interval([s.credits for s in suites[:2]])
        assert found["circuits"]["X"]["ci"] == list(both)
        assert found["circuits"]["Y"]["ci"] == list(wilson(1.0, 10))  # one suite: its items

    def test_a_circuit_of_perfect_suites_has_a_width(self) -> None:
        found = summarise_suites([outcome(name, "X", 24, 24) for name in "abc"])
        for cell in (found["circuits"]["X"], found["sg"]):
            assert cell["ci"] == [pytest.approx(0.73893, abs=1e-5), 1.0]

    def test_modifier_versions_are_compared_item_by_item(self) -> None:
        found = summarise_suites([outcome("a", "X", 6, 10), outcome("a_mod", "X", 4, 10, "a")])
        told = found["modifiers"]["a"]
        assert told["delta"] == pytest.approx(-0.2)
        assert told["same"] == pytest.approx(0.8)
        assert told["pairs"] == 10

    def test_nothing_to_sum_up_is_refused(self) -> None:
        with pytest.raises(DataError, match="no suites"):
            summarise_suites([])


def test_region_means_and_errors() -> None:
    found = region_means([{"a": {"1": 1.0, "2": 4.0}}, {"a": {"1": 3.0, "2": 4.0}}])
    assert [(m.region, m.mean, m.n) for m in found] == [("1", 2.0, 2), ("2", 4.0, 2)]
    assert found[0].error == pytest.approx(1.0)  # the deviation √2 over √2 items
    assert found[1].error == 0.0


@pytest.mark.shared
def test_published_region_totals_of_distilgpt2_give_its_published_accuracies(shared: Path) -> None:
    """Formulas and accuracies alone: the surprisals are another tool's."""
    reference = json.loads((shared / "spec/syntaxgym/distilgpt2_reference.json").read_text())
    whole = {k: v for k, v in reference["region_totals"].items() if len(v) > 1}
    assert whole.keys() == {"subordination_src-src", "number_prep"}
    for name, items in whole.items():
        trees = [parse_formula(f) for f in published_suites()[name].formulas]
        right = [
            all(evaluate(t, lambda c, r, i=item: i[f"{c}|{r}"]).true for t in trees)
            for item in items
        ]
        assert sum(right) / len(right) == pytest.approx(reference["suite_accuracy"][name], abs=1e-5)


@pytest.mark.shared
def test_an_item_with_identical_conditions_ties_exactly(shared: Path) -> None:
    mvrr = read_suite(shared / "data/syntaxgym/suites/mvrr.json")

    def score(sentence: Sentence) -> TokenScores:  # any function of the text alone
        starts = tuple(i for i, c in enumerate(sentence.text) if i == 0 or c == " ")
        return TokenScores(starts, starts, tuple(-float((i * 37) % 11 + 1) for i in starts))

    fifth = judge_suite(mvrr, score).items[4]
    assert fifth.regions["reduced_ambig"] == fifth.regions["reduced_unambig"]
    assert fifth.correct == 0.0
