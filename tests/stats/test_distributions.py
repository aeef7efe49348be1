"""Student's t and χ² against SciPy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from priscian.stats.distributions import chi2_sf, student_t_quantile, student_t_sf

DF = st.one_of(st.integers(1, 200).map(float), st.floats(0.5, 200))


@given(st.floats(0, 80), DF)
def test_the_tail_of_t_is_scipys(t, df):
    assert student_t_sf(t, df) == pytest.approx(stats.t.sf(t, df), rel=1e-8, abs=1e-14)
    assert student_t_sf(-t, df) == pytest.approx(stats.t.sf(-t, df), rel=1e-8)


@given(st.floats(0.001, 0.999), DF)
def test_the_quantile_of_t_is_scipys(p, df):
    assert student_t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-7, abs=1e-9)


@given(st.floats(0, 400), DF)
def test_the_tail_of_chi2_is_scipys(x, df):
    assert chi2_sf(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-7, abs=1e-13)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.1])
def test_a_quantile_wants_a_probability(p):
    with pytest.raises(ValueError, match="between 0 and 1"):
        student_t_quantile(p, 3)
