"""BLiMP's criterion and the ADC, against values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.metrics.adc import (
    PAPER,
    STRICT,
    AdcRule,
    adc_curve,
    differences,
    label_confidence,
    meets_adc,
    meets_blimp,
    share,
    z_scores,
)

finite = st.floats(-1e3, 1e3)


class TestZScores:
    def test_population_standard_deviation(self) -> None:
        # mean 5, squared deviations 9+1+1+1+0+0+4+16 = 32, over 8: 2²
        scores = dict(zip("abcdefgh", [2, 4, 4, 4, 5, 5, 7, 9], strict=True))
        assert z_scores(scores)["a"] == -1.5
        assert z_scores(scores)["h"] == 2.0

    def test_ddof_one_divides_by_one_less(self) -> None:
        z = z_scores({"a": 0.0, "b": 2.0}, ddof=1)
        assert z["b"] == pytest.approx(1 / math.sqrt(2))

    def test_over_some_ids_still_scores_the_rest(self) -> None:
        assert z_scores({"a": 0.0, "b": 2.0, "c": 5.0}, over=["a", "b"])["c"] == 4.0

    def test_constant_scores_are_refused(self) -> None:
        with pytest.raises(DataError, match=r"tiny: all 3 scores are 0\.1, so z-scores are undef"):
            z_scores({"a": 0.1, "b": 0.1, "c": 0.1}, name="tiny")

    def test_one_score_has_no_sample_deviation(self) -> None:
        with pytest.raises(DataError, match="1 scores give no standard deviation"):
            z_scores({"a": 1.0}, ddof=1)

    def test_infinite_scores_are_refused(self) -> None:
        with pytest.raises(DataError, match="NaN or infinite"):
            z_scores({"a": 1.0, "b": -math.inf})


class TestCriteria:
    HUMAN = (2.0, 2.0, 2.0, -0.2, -0.2, 0.3)
    MODEL = (1.6, 1.5, -0.1, 0.0, -0.3, 0.0)

    def test_the_bound_is_strict(self) -> None:
        assert meets_adc([2.0], [1.5], 0.5) == [False]
        assert meets_adc([2.0], [1.5], 0.5000001) == [True]

    def test_paper_and_strict_part_where_a_model_ties(self) -> None:
        paper = meets_adc(self.HUMAN, self.MODEL, 0.5, PAPER.sign)
        strict = meets_adc(self.HUMAN, self.MODEL, 0.5, STRICT.sign)
        assert paper == [True, False, False, True, True, False]
        assert strict == [True, False, False, False, True, False]

    def test_a_tie_is_wrong_by_blimps_criterion(self) -> None:
        assert meets_blimp(self.MODEL) == [True, True, False, False, False, False]

    def test_differences_follow_the_pairs(self) -> None:
        assert differences([("a", "b"), ("b", "a")], {"a": 3.0, "b": 1.0}) == [2.0, -2.0]

    def test_share_has_wilsons_interval(self) -> None:
        found = share([True, True, True, False])
        assert found.accuracy == 0.75
        assert found.ci == pytest.approx((0.3006, 0.9544), abs=1e-4)

    @pytest.mark.parametrize("delta", [0.0, -1.0, math.nan, math.inf])
    def test_delta_must_be_above_nought(self, delta: float) -> None:
        with pytest.raises(UsageError, match="must be above 0"):
            meets_adc([1.0], [1.0], delta)

    @given(st.lists(st.tuples(finite, finite), min_size=1, max_size=30))
    def test_the_curve_never_falls(self, pairs: list[tuple[float, float]]) -> None:
        human, model = [h for h, _ in pairs], [m for _, m in pairs]
        values = [v for _, v in adc_curve(human, model, [n / 4 for n in range(21)])]
        assert values[0] == 0.0
        assert values == sorted(values)

    @given(st.lists(st.tuples(finite, finite), min_size=1, max_size=30))
    def test_strict_is_never_more_lenient(self, pairs: list[tuple[float, float]]) -> None:
        human, model = [h for h, _ in pairs], [m for _, m in pairs]
        strict = meets_adc(human, model, 1.0, "sign")
        assert all(p or not s for p, s in zip(meets_adc(human, model, 1.0), strict, strict=True))


class TestRules:
    def test_rules_are_explicit(self) -> None:
        assert AdcRule("sentences", 0, "positive") == PAPER
        assert AdcRule("sentences", 0, "sign") == STRICT

    def test_unknown_options_are_refused(self) -> None:
        with pytest.raises(UsageError, match="ddof is 0 or 1"):
            AdcRule(ddof=2)
        with pytest.raises(UnknownNameError, match="no population"):
            AdcRule(population="people")  # type: ignore[arg-type]
        with pytest.raises(UnknownNameError, match="no sign rule"):
            AdcRule(sign="minus")  # type: ignore[arg-type]


class TestLabelConfidence:
    def test_equation_five(self) -> None:
        assert label_confidence(0.9) == 0.9
        assert label_confidence(0.1) == -0.9
        assert label_confidence(0.5) == -0.5

    def test_only_probabilities(self) -> None:
        with pytest.raises(DataError, match="not a probability"):
            label_confidence(1.2)
