"""The formula language of SyntaxGym: parsed to a tree, printed back, never evaluated as code.

formula    = comparison , { ("&" | "|") , comparison } ;      one precedence, from the left
comparison = sum , [ ("<" | ">" | "=") , sum ] ;              a<b<c is refused
sum        = term , { ("+" | "-") , term } ;                  from the left
term       = region | number | "(" formula ")" | "[" formula "]" ;
region     = "(" , ( digits | "*" ) , ";%" , name , "%" , ")" ;
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NoReturn, cast

from priscian.errors import DataError, FormulaError
from priscian.records import Arithmetic, Comparison, Expression, Logic, Number, Value

DEEPEST = 100
"""Deepest nesting of brackets; deeper formulas are refused."""
MOST_OPERATORS = 100
"""Operators in one formula; each makes the tree one level deeper. Published ones have up to 7."""
LARGEST = 1e300
"""The largest constant; sums of larger ones would overflow."""
LONGEST_NUMBER = 9
"""Digits of a region's number."""

_REGION = re.compile(r"\(\s*(\d+|\*)\s*;\s*%\s*([\w-]+)\s*%\s*\)")
_REGION_BEGUN = re.compile(r"[(\[]\s*(?:\d+|\*)?\s*;|[(\[]\s*\*")
_NUMBER = re.compile(r"[+-]?\s*(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_NAME = re.compile(r"[\w-]+")
_BRACKETS = {"(": ")", "[": "]"}
_COMPARE = ("<", ">", "=")


@lru_cache(1024)  # the items of a suite share its formulas
def parse_formula(text: str) -> Comparison | Logic:
    """The tree of a formula, which must be true or false.

    >>> parse_formula("(5;%a%) > (5;%b%)")
    Comparison(op='>', left=Value(condition='a', span='5'), right=Value(condition='b', span='5'))
    """
    parser = _Parser(text)
    found = parser.formula(0)
    parser.skip()
    if parser.at < len(text):
        parser.fail(*parser.surplus())
    if not isinstance(found.tree, Comparison | Logic):
        parser.fail("the formula is a number, neither true nor false", _COMPARE_IT, found.start)
    return found.tree


_COMPARE_IT = "compare it with <, > or ="


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the tree, and the position where its text begins."""

    tree: Expression
    start: int


class _Parser:
    """A recursive-descent parser over one formula."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.operators = 0

    def fail(self, problem: str, remedy: str, position: int | None = None) -> NoReturn:
        raise FormulaError(self.text, self.at if position is None else position, problem, remedy)

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def peek(self) -> str:
        self.skip()
        return self.text[self.at : self.at + 1]

    def formula(self, depth: int) -> _Part:
        left = self.comparison(depth)
        while self.peek() in ("&", "|") and self.at < len(self.text):
            op = cast(Literal["&", "|"], self.text[self.at])
            self._needs_truth(left, op)
            self._step()
            right = self.comparison(depth)
            self._needs_truth(right, op)
            left = _Part(Logic(op, left.tree, right.tree), left.start)
        return left

    def comparison(self, depth: int) -> _Part:
        left = self.sum(depth)
        if self.peek() not in _COMPARE or self.at >= len(self.text):
            return left
        op = cast(Literal["<", ">", "="], self.text[self.at])
        self._needs_number(left, op)
        self._step()
        right = self.sum(depth)
        self._needs_number(right, op)
        if self.at < len(self.text) and self.peek() in _COMPARE:
            self.fail(
                f"a second {self.peek()!r}: comparisons cannot be chained",
                "write (a<b)&(b<c)",
            )
        return _Part(Comparison(op, left.tree, right.tree), left.start)

    def sum(self, depth: int) -> _Part:
        left = self.term(depth)
        while self.peek() in ("+", "-") and self.at < len(self.text):
            op = cast(Literal["+", "-"], self.text[self.at])
            self._needs_number(left, op)
            self._step()
            right = self.term(depth)
            self._needs_number(right, op)
            left = _Part(Arithmetic(op, left.tree, right.tree), left.start)
        return left

    def term(self, depth: int) -> _Part:
        self.skip()
        start = self.at
        if region := _REGION.match(self.text, start):
            self.at = region.end()
            if len(region[1]) > LONGEST_NUMBER:
                self.fail(
                    f"a region number of {len(region[1]):,} digits",
                    f"write at most {LONGEST_NUMBER}",
                    start,
                )
            number = region[1] if region[1] == "*" else str(int(region[1]))
            return _Part(Value(region[2], number), start)
        if _REGION_BEGUN.match(self.text, start):
            self.fail("this is not a region", "write (5;%condition%) or (*;%condition%)")
        if number_ := _NUMBER.match(self.text, start):
            self.at = number_.end()
            value = float("".join(number_[0].split()))
            if abs(value) > LARGEST:
                self.fail("this number is too large", "write a smaller one", start)
            return _Part(Number(value), start)
        opening = self.peek()
        if opening in _BRACKETS and opening:
            return self._group(opening, depth)
        what = f"{opening!r}" if opening else "the end"
        return self.fail(
            f"{what} where a region, a number or a bracket is expected",
            "write (5;%condition%), a number, or ( … )",
        )

    def _step(self) -> None:
        """Consume an operator."""
        self.operators += 1
        if self.operators > MOST_OPERATORS:
            self.fail(f"more than {MOST_OPERATORS} operators", "split the prediction into several")
        self.at += 1

    def _group(self, opening: str, depth: int) -> _Part:
        start = self.at
        if depth >= DEEPEST:
            self.fail(f"more than {DEEPEST} brackets inside each other", "remove some")
        self.at += 1
        inner = self.formula(depth + 1)
        closing = _BRACKETS[opening]
        if self.peek() != closing:
            if self.at < len(self.text):
                problem, remedy = self.surplus()
                if self.peek() in _BRACKETS.values():
                    problem = f"{self.peek()!r} closes {opening!r}"
                    remedy = f"write {closing!r}"
                self.fail(problem, remedy)
            self.fail(f"{opening!r} is never closed", f"add {closing!r}", start)
        self.at += 1
        return _Part(inner.tree, start)

    def surplus(self) -> tuple[str, str]:
        """What is wrong with text that does not belong here."""
        mark = self.peek()
        if mark in _BRACKETS.values():
            return f"{mark!r} closes nothing", "remove it or open a bracket before it"
        if mark in ("*", "/"):
            return f"{mark!r} is not an operator here", "only + - < > = & | join terms"
        return f"{mark!r} where an operator is expected", "join terms by + - < > = & or |"

    def _needs_number(self, part: _Part, op: str) -> None:
        if isinstance(part.tree, Comparison | Logic):
            self.fail(
                f"{op!r} needs numbers on both sides, and this is true or false",
                "join comparisons by & or |",
                part.start,
            )

    def _needs_truth(self, part: _Part, op: str) -> None:
        if not isinstance(part.tree, Comparison | Logic):
            self.fail(
                f"{op!r} needs comparisons on both sides, and this is a number",
                _COMPARE_IT,
                part.start,
            )


def print_formula(tree: Expression) -> str:
    """A formula in round brackets that parses to the same tree.

    >>> print_formula(parse_formula("[ (6;%a%) + (7;%a%) ] < [(6;%b%)+(7;%b%)]"))
    '((6;%a%)+(7;%a%))<((6;%b%)+(7;%b%))'
    """
    match tree:
        case Value(condition, span):
            if not _NAME.fullmatch(condition):
                raise DataError(
                    f"condition {condition!r} cannot be in a formula; use letters, digits, _, -"
                )
            return f"({span};%{condition}%)"
        case Number(value):
            if not math.isfinite(value):
                raise DataError(f"{value} cannot be in a formula; use a finite number")
            return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
        case Arithmetic(op, left, right):
            return f"{_bracketed(left)}{op}{_bracketed(right)}"
        case Comparison(op, left, right):
            # a sum against a constant is written bare, as the published formulas do
            bare = isinstance(right, Number)
            return f"{print_formula(left) if bare else _bracketed(left)}{op}{_bracketed(right)}"
        case Logic(op, left, right):
            first = print_formula(left) if isinstance(left, Logic) else _bracketed(left)
            return f"{first}{op}{_bracketed(right)}"


def _bracketed(tree: Expression) -> str:
    shown = print_formula(tree)
    return shown if isinstance(tree, Value | Number) else f"({shown})"


def comparisons_of(tree: Expression) -> Iterator[Comparison]:
    """The comparisons of a formula, from left to right."""
    match tree:
        case Comparison():
            yield tree
        case Logic(_, left, right):
            yield from comparisons_of(left)
            yield from comparisons_of(right)


def values_of(expression: Expression) -> Iterator[Value]:
    """Every (condition, span) that an expression uses, from left to right."""
    match expression:
        case Value():
            yield expression
        case Arithmetic(_, left, right) | Comparison(_, left, right) | Logic(_, left, right):
            yield from values_of(left)
            yield from values_of(right)
