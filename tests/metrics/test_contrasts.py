"""Expressions are true, false or tied, by a margin."""

from __future__ import annotations

import math
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import DataError, ScoreError
from priscian.metrics import Verdict, evaluate, number, values_of
from priscian.records import Arithmetic, Comparison, Logic, Number, Value


def less(a, b):
    return Comparison("<", Number(a), Number(b))


def no_value(condition, span):
    raise AssertionError("nothing to look up")


def check(expression, **options):
    return evaluate(expression, no_value, **options)


TRUE, FALSE, TIE = less(1.0, 2.0), less(2.0, 1.0), less(1.0, 1.0)


def test_comparisons_of_measures():
    values = {("good", "*"): 3.0, ("bad", "*"): 5.5}
    expression = Comparison("<", Value("good"), Value("bad"))
    verdict = evaluate(expression, lambda c, s: values[c, s])
    assert verdict == Verdict(true=True, tie=False, margin=2.5)
    turned = Comparison(">", Value("good"), Value("bad"))
    assert evaluate(turned, lambda c, s: values[c, s]) == Verdict(False, False, -2.5)


@pytest.mark.parametrize("op", ["<", ">"])
@pytest.mark.parametrize("gap", [0.0, 9e-7, -9e-7])
def test_numbers_within_a_millionth_tie(op, gap):
    verdict = check(Comparison(op, Number(1.0), Number(1.0 + gap)))
    assert (verdict.true, verdict.tie) == (False, True)


@pytest.mark.parametrize(("gap", "true"), [(1.1e-6, True), (-1.1e-6, False)])
def test_numbers_further_apart_do_not_tie(gap, true):
    verdict = check(less(0.0, gap))
    assert (verdict.true, verdict.tie) == (true, False)


def test_infinities_compare_and_tie():
    assert check(less(1.0, math.inf)) == Verdict(True, False, math.inf)
    assert check(less(math.inf, math.inf)) == Verdict(False, True, 0.0)
    assert check(Comparison("=", Number(math.inf), Number(math.inf))).true
    assert not check(Comparison("=", Number(math.inf), Number(1.0))).true
    assert not check(Comparison("=", Number(1.0), Number(math.inf))).true


@pytest.mark.parametrize(
    ("a", "b", "true"), [(5.0, 5.001, True), (5.0, 5.002, False), (1000.0, 1000.0105, True)]
)
def test_equality_has_syntaxgyms_tolerance(a, b, true):
    verdict = check(Comparison("=", Number(a), Number(b)))
    assert (verdict.true, verdict.tie) == (true, False)
    assert (verdict.margin >= 0) == true


@pytest.mark.parametrize(
    ("op", "a", "b", "true", "tie"),
    [
        ("&", TRUE, TRUE, True, False),
        ("&", TRUE, FALSE, False, False),
        ("&", TRUE, TIE, False, True),
        ("&", FALSE, TIE, False, False),
        ("&", TIE, TIE, False, True),
        ("|", FALSE, FALSE, False, False),
        ("|", TRUE, FALSE, True, False),
        ("|", TRUE, TIE, True, False),
        ("|", FALSE, TIE, False, True),
        ("|", TIE, TIE, False, True),
    ],
)
def test_a_tie_counts_only_where_it_decides(op, a, b, true, tie):
    for sides in ((a, b), (b, a)):
        verdict = check(Logic(op, *sides))
        assert (verdict.true, verdict.tie) == (true, tie)


def test_logic_takes_the_smaller_or_the_larger_margin():
    near, far = less(0.0, 1.0), less(0.0, 3.0)
    assert check(Logic("&", near, far)).margin == 1.0
    assert check(Logic("|", near, far)).margin == 3.0


def test_a_coin_is_tossed_for_each_tied_comparison():
    tosses = iter([True, False])
    verdict = check(Logic("&", TIE, Logic("&", TRUE, TIE)), coin=lambda: next(tosses))
    assert (verdict.true, verdict.tie) == (False, True)
    assert list(tosses) == []
    assert check(Logic("&", TIE, TIE), coin=lambda: True).true


def test_sums_and_differences():
    # (a − b) > (c − d), as SyntaxGym's differences of differences
    values = {"a": 7.0, "b": 2.0, "c": 4.0, "d": 1.5}
    expression = Comparison(
        ">",
        Arithmetic("-", Value("a", "verb"), Value("b", "verb")),
        Arithmetic("-", Value("c", "verb"), Value("d", "verb")),
    )
    assert evaluate(expression, lambda c, s: values[c]) == Verdict(True, False, 2.5)
    assert [v.condition for v in values_of(expression)] == ["a", "b", "c", "d"]
    assert list(values_of(Number(1.0))) == []


NUMBERS = st.integers(-100, 100)
SUMS = st.recursive(
    NUMBERS.map(lambda n: (Number(float(n)), float(n))),
    lambda inner: st.tuples(st.sampled_from("+-"), inner, inner).map(
        lambda t: (
            Arithmetic(t[0], t[1][0], t[2][0]),
            {"+": operator.add, "-": operator.sub}[t[0]](t[1][1], t[2][1]),
        )
    ),
    max_leaves=12,
)


@given(SUMS)
def test_arithmetic_agrees_with_python(pair):
    expression, expected = pair
    assert number(expression, no_value) == expected


def test_kinds_cannot_be_mixed():
    with pytest.raises(DataError, match="is a number, neither true nor false"):
        check(Number(1.0))
    with pytest.raises(DataError, match="is true or false, and cannot be added"):
        check(Comparison("<", TRUE, Number(1.0)))


def test_nan_is_an_error_not_a_verdict():
    with pytest.raises(ScoreError, match="not a number"):
        check(less(math.nan, 1.0))
    with pytest.raises(ScoreError):
        check(Comparison("<", Arithmetic("-", Number(math.inf), Number(math.inf)), Number(0.0)))
