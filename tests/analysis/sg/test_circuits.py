"""Runs on suites: circuits and suites, stability under modifiers, perplexity."""

from __future__ import annotations

import pytest
from tests.scored_runs import rights, scored_pairs, scored_suites

from priscian.analysis.sg.circuits import OVERALL, analyse_sg_runs
from priscian.analysis.sg.perplexity import against_perplexity
from priscian.analysis.sg.stability import ALL, analyse_stability
from priscian.errors import DataError
from priscian.runs import Result

SUITES = {
    "mvrr": ("Garden-Path Effects", rights(12, 20)),
    "mvrr_mod": ("Garden-Path Effects", rights(8, 20)),
    "cleft": ("Long-Distance Dependencies", rights(20, 20)),
}
ONE = scored_suites("one", SUITES, {"mvrr_mod": "mvrr"})
TWO = scored_suites("two", {**SUITES, "cleft": ("Long-Distance Dependencies", rights(10, 20))})


def test_scores_are_those_of_the_run_and_deltas_are_from_the_mean_of_models() -> None:
    found = analyse_sg_runs([ONE, TWO])
    facts = found.as_dict()
    assert facts["one"]["sg"]["accuracy"] == pytest.approx((0.6 + 0.4 + 1.0) / 3)
    assert facts["one"]["circuits"]["Garden-Path Effects"]["accuracy"] == pytest.approx(0.5)
    assert facts["one"]["suites"]["mvrr_mod"]["circuit"] == "Garden-Path Effects"
    assert facts["one"]["delta"]["Long-Distance Dependencies"] == pytest.approx(0.25)
    assert facts["two"]["delta"]["Garden-Path Effects"] == pytest.approx(0)


def test_one_model_has_no_deltas() -> None:
    assert "delta" not in analyse_sg_runs([ONE]).as_dict()["one"]


def test_figures_show_every_circuit_and_suite() -> None:
    found = analyse_sg_runs([ONE, TWO])
    circuits, suites = found.figures
    assert [r["name"] for r in circuits.rows][:3] == [
        "Garden-Path Effects",
        "Long-Distance Dependencies",
        OVERALL,
    ]
    assert len(suites.rows) == 6
    assert "n = 60 items per model" in circuits.caption
    assert "chance" in suites.caption


def test_modifiers_are_compared_item_by_item() -> None:
    found = analyse_stability([ONE])
    (row,) = found.suites
    assert (row.suite, row.modified_suite) == ("mvrr", "mvrr_mod")
    assert (row.plain, row.modified) == (0.6, 0.4)
    assert row.change == pytest.approx(-0.2)
    assert row.same == pytest.approx(0.8)
    assert row.ci[0] < -0.2 < row.ci[1] < 0.05


def test_the_mean_of_suites_is_given_where_there_are_several() -> None:
    suites = {**SUITES, "cleft_mod": ("Long-Distance Dependencies", rights(10, 20))}
    both = scored_suites("m", suites, {"mvrr_mod": "mvrr", "cleft_mod": "cleft"})
    found = analyse_stability([both])
    assert [m.suite for m in found.suites] == ["mvrr", "cleft", ALL]
    assert found.suites[-1].change == pytest.approx((-0.2 - 0.5) / 2)
    (figure,) = found.figures
    assert len(figure.rows) == 3
    assert "n = 40 pairs of items in 2 suites" in figure.caption


def test_suites_without_modifier_versions_are_refused() -> None:
    with pytest.raises(DataError, match="version with a modifier"):
        analyse_stability([TWO])


def test_pairs_are_no_suites() -> None:
    with pytest.raises(DataError, match="no result on suites"):
        analyse_sg_runs([scored_pairs("m", {"a": rights(1, 2)}, {})])


class TestPerplexity:
    @staticmethod
    def models(n: int) -> list[Result]:
        return [
            scored_suites(f"m{i}", {"s": ("C", rights(2 + i, 20)), "t": ("C", rights(5, 20))})
            for i in range(n)
        ]

    def test_log_perplexity_that_falls_evenly_correlates_fully(self) -> None:
        found = analyse_sg_runs(self.models(5))
        beside = against_perplexity(found, {f"m{i}": 400 / 2**i for i in range(5)})
        assert beside.pearson is not None
        assert beside.spearman is not None
        assert beside.pearson.r == pytest.approx(-1)
        assert beside.spearman.r == pytest.approx(-1)
        (figure,) = beside.figures
        assert len(figure.rows) == 5
        assert "r with log perplexity -1.00" in figure.caption

    def test_few_models_have_no_correlation_and_missing_ones_are_named(self) -> None:
        found = analyse_sg_runs(self.models(3))
        beside = against_perplexity(found, {"m0": 100, "m1": 80})
        assert beside.pearson is None
        assert beside.missing == ("m2",)

    def test_no_name_in_common(self) -> None:
        with pytest.raises(DataError, match="no perplexity of m0, m1; use the names in the runs"):
            against_perplexity(analyse_sg_runs(self.models(2)), {"other": 3.0})
