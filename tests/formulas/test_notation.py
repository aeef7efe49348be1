"""The formula language: parsed, refused with the place, printed back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.datasets.reference import published_suites
from priscian.errors import DataError, FormulaError
from priscian.formulas import parse_formula, print_formula
from priscian.records import Arithmetic, Comparison, Expression, Logic, Number, Value

names = st.text("abcXYZ019_-", min_size=1, max_size=6)
values = st.builds(Value, names, st.one_of(st.just("*"), st.integers(0, 99).map(str)))
numbers = st.floats(-1e300, 1e300, allow_subnormal=False).map(Number)
sums: st.SearchStrategy[Expression] = st.recursive(
    st.one_of(values, numbers),
    lambda part: st.builds(Arithmetic, st.sampled_from("+-"), part, part),
    max_leaves=6,
)
comparisons = st.builds(Comparison, st.sampled_from("<>="), sums, sums)
formulas: st.SearchStrategy[Expression] = st.recursive(
    comparisons,
    lambda part: st.builds(Logic, st.sampled_from("&|"), part, part),
    max_leaves=5,
)


def a(span: str = "1") -> Value:
    return Value("a", span)


class TestProperties:
    @given(formulas)
    def test_what_is_printed_parses_to_the_same_tree(self, tree: Expression) -> None:
        assert parse_formula(print_formula(tree)) == tree

    @given(formulas)
    def test_brackets_and_spaces_change_nothing(self, tree: Expression) -> None:
        text = print_formula(tree)
        spaced = "".join(f" {c} " if c in "()<>=&|" else c for c in text)
        assert parse_formula(spaced) == tree
        assert parse_formula(f"[{text}]") == tree
        assert parse_formula(f"(({text}))") == tree

    @given(st.text("()[]<>=&|+-*;%0123456789.ab e", max_size=40))
    def test_any_text_parses_or_is_refused_with_a_place_in_it(self, text: str) -> None:
        place, tree = 0, None
        try:
            tree = parse_formula(text)
        except FormulaError as error:
            place = error.position
        assert 0 <= place <= len(text)
        assert tree is None or parse_formula(print_formula(tree)) == tree


class TestGrammar:
    def test_and_and_or_bind_alike_and_from_the_left(self) -> None:
        one, two, three = (Comparison("<", a(), Number(n)) for n in (1.0, 2.0, 3.0))
        found = parse_formula("(1;%a%)<1 | (1;%a%)<2 & (1;%a%)<3")
        assert found == Logic("&", Logic("|", one, two), three)

    def test_sums_go_from_the_left(self) -> None:
        found = parse_formula("(1;%a%)-(2;%a%)+(3;%a%)>0")
        left = Arithmetic("+", Arithmetic("-", a("1"), a("2")), a("3"))
        assert found == Comparison(">", left, Number(0.0))

    @pytest.mark.parametrize(
        ("text", "value"),
        [("3", 3.0), ("-2.5", -2.5), ("+1e-3", 1e-3), (".5", 0.5), ("2.", 2.0), ("- 4", -4.0)],
    )
    def test_numbers_may_be_signed_decimal_or_scientific(self, text: str, value: float) -> None:
        assert parse_formula(f"(1;%a%)<{text}") == Comparison("<", a(), Number(value))

    def test_a_minus_after_a_term_is_an_operator(self) -> None:
        assert parse_formula("(1;%a%)-1<0").left == Arithmetic("-", a(), Number(1.0))
        assert parse_formula("(1;%a%)--1<0").left == Arithmetic("-", a(), Number(-1.0))

    def test_a_star_is_the_whole_sentence(self) -> None:
        assert parse_formula("( * ; %a% ) = (1;%a%)") == Comparison("=", a("*"), a())

    @pytest.mark.parametrize(
        "formula", [f for s in published_suites().values() for f in s.formulas], ids=str
    )
    def test_published_formulas_are_printed_as_they_are_written(self, formula: str) -> None:
        assert print_formula(parse_formula(formula)) == formula


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("(1;%a%)<(1;%b%)<(1;%c%)", 15, "cannot be chained; write (a<b)&(b<c)"),
        ("(1;%a%)", 0, "neither true nor false"),
        ("(1;%a%)+2", 0, "neither true nor false"),
        ("(1;%a%) & (1;%b%)<1", 0, "'&' needs comparisons on both sides"),
        ("(1;%a%)<1 | 3", 12, "'|' needs comparisons on both sides"),
        ("((1;%a%)<1)+2<3", 0, "'+' needs numbers on both sides"),
        ("1<((1;%a%)<1)", 2, "'<' needs numbers on both sides"),
        ("-(1;%a%)<0", 0, "'-' where a region"),
        ("(1;%a%)*2<0", 7, "'*' is not an operator"),
        ("(1;%a%)/2<0", 7, "'/' is not an operator"),
        ("!(1;%a%)<0", 0, "'!' where a region"),
        ("((1;%a%)<0", 0, "'(' is never closed"),
        ("[(1;%a%)<0)", 10, "')' closes '['; write ']'"),
        ("(1;%a%)<0]", 9, "']' closes nothing"),
        ("(1;%a b%)<0", 0, "not a region"),
        ("(1;a)<0", 0, "not a region"),
        ("(*)<0", 0, "not a region"),
        ("(;%a%)<0", 0, "not a region"),
        ("(1;%a%) (2;%a%)<0", 8, "'(' where an operator"),
        ("", 0, "the end where a region"),
        ("(1;%a%)<", 8, "the end where a region"),
        ("(1;%a%)<1e999", 8, "too large"),
        ("(" * 200 + "1<2", 100, "more than 100 brackets"),
        ("__import__('os')", 0, "where a region"),
        ("+".join(["(1;%a%)"] * 1000) + "<0", 807, "more than 100 operators; split"),
        ("&".join(["(1;%a%)<0"] * 1000), 507, "more than 100 operators; split"),
        (f"({'9' * 5000};%a%)<0", 0, "a region number of 5,000 digits; write at most 9"),
        (f"(1;%a%)<{'9' * 5000}", 8, "too large"),
    ],
)
def test_what_is_wrong_is_pointed_at(text: str, place: int, says: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula(text)
    assert caught.value.position == place
    assert says in str(caught.value)
    assert f"character {place + 1} " in str(caught.value)


@pytest.mark.parametrize("tree", [Value("a b", "1"), Number(float("inf")), Value("", "1")])
def test_what_no_formula_can_say_is_not_printed(tree: Expression) -> None:
    with pytest.raises(DataError, match="cannot be in a formula"):
        print_formula(Comparison("<", tree, Number(0)))
