"""Formulas of a suite with their accuracies, and means by region, on numbers worked by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.small_suites import FORMULA, REGIONS, choice, garden, save

from priscian.analysis.sg.suite_view import (
    condition_means,
    describe_formula,
    prediction_scores,
    predictions_of,
)
from priscian.metrics.generalization import RegionMean
from priscian.runs import Result, load_run, score
from priscian.runs.kinds.suites import SuitesSummary

TABLE = """sentence\ttoken\tsurprisal
The nurse has forgotten\tThe\t1
The nurse has forgotten\tnurse\t2
The nurse has forgotten\thas\t3
The nurse has forgotten\tforgotten\t4
The nurse have forgotten\tThe\t1
The nurse have forgotten\tnurse\t2
The nurse have forgotten\thave\t5
The nurse have forgotten\tforgotten\t4
Some geese have gone\tSome\t1
Some geese have gone\tgeese\t3
Some geese have gone\thave\t7
Some geese have gone\tgone\t1
Some geese has gone\tSome\t1
Some geese has gone\tgeese\t3
Some geese has gone\thas\t6
Some geese has gone\tgone\t2
"""
FORMULAS = ("((2;%good%)<(2;%bad%))&((3;%good%)<(3;%bad%))", "(*;%good%)<(*;%bad%)")


@pytest.fixture
def result(tmp_path: Path) -> Result:
    """Two items whose surprisals are given: verbs 3 and 5, 7 and 6; ends 4 and 4, 1 and 2."""
    (tmp_path / "bits.tsv").write_text(TABLE, "utf-8")
    folder = save(tmp_path / "suites", choice(formulas=FORMULAS))
    run = score(f"surprisals:{tmp_path / 'bits.tsv'}", f"sg:{folder}", out=tmp_path / "run")
    assert run.finished
    return load_run(tmp_path / "run").results[0]


def test_a_run_records_names_of_regions_and_formulas(result: Result) -> None:
    facts = result.facts.sets["choice"]
    assert facts.regions == ("subject", "verb", "end")
    assert facts.formulas == FORMULAS


def test_each_formula_and_each_comparison_has_its_accuracy(result: Result) -> None:
    first, second = prediction_scores(result)["choice"]
    # item 1: verb 3 < 5 holds, end 4 = 4 ties; item 2: verb 7 > 6 fails, end 1 < 2 holds
    assert (first.whole.accuracy, first.whole.ties) == (0.0, 1)
    assert [(p.accuracy, p.n, p.ties) for p in first.parts] == [(0.5, 2, 0), (0.5, 2, 1)]
    # sums: 10 < 12 holds, 12 = 12 ties
    assert (second.whole.accuracy, second.whole.ties, second.parts) == (0.5, 1, ())


def test_the_first_formula_has_the_accuracy_of_the_suite(result: Result) -> None:
    suite = result.expect(SuitesSummary).suites["choice"]
    first = prediction_scores(result)["choice"][0].whole
    assert (first.accuracy, first.n, first.ties, first.ci) == (
        suite.accuracy, suite.n, suite.ties, suite.ci,
    )  # fmt: skip


def test_predictions_are_said_with_names(result: Result) -> None:
    first, second = predictions_of(result, "choice")
    assert [part.words for part in first.parts] == [
        "“verb” is less surprising in good than in bad",
        "“end” is less surprising in good than in bad",
    ]
    assert (first.chance, second.chance) == pytest.approx((0.25, 0.5), abs=0.01)


def test_means_have_students_interval(result: Result) -> None:
    means = {(m.condition, m.region): m for m in condition_means(result)["choice"]}
    verb = means["good", "2"]
    # 3 and 7: mean 5, standard deviation √8, standard error 2; t(1) = 12.706
    assert (verb.mean, verb.n) == (5.0, 2)
    assert verb.error == pytest.approx(2.0)
    assert verb.ci == pytest.approx((5 - 2 * 12.7062, 5 + 2 * 12.7062), abs=1e-3)
    assert RegionMean("a", "1", 2.0, 0.0, 1).ci == (2.0, 2.0)


def test_regions_that_are_always_empty_have_no_mean(tmp_path: Path) -> None:
    run = score("builtin:ngram", f"sg:{save(tmp_path / 'suites', garden())}")
    means = condition_means(run.results[0])["garden"]
    assert {m.condition for m in means if m.region == "3"} == {"comma", "both"}
    assert all(math.isfinite(m.mean) for m in means)


def test_a_garden_path_is_said_as_an_interaction() -> None:
    found = describe_formula(FORMULA, REGIONS)
    assert [part.words for part in found.parts] == [
        "“main verb” is more surprising in plain than in comma",
        "“main verb” is more surprising in plain than in short",
        "the surprisal of “main verb” rises more from comma to plain than from both to short",
    ]
    assert found.chance == pytest.approx(7 / 24)
    assert [part.chance for part in found.parts] == [0.5, 0.5, 0.5]
