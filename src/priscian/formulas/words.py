"""Formulas in words and in symbols, with the names of a suite's regions.

    (7;%match%)<(7;%mismatch%)    “verb” is less surprising in match than in mismatch
                                  S(match, verb) < S(mismatch, verb)

S is surprisal. A difference between two conditions is called a rise; it may be negative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from priscian.records import Arithmetic, Comparison, Expression, Logic, Number, Value

WHOLE = "*"
"""The span that is the whole sentence."""
_THAN = {"<": "less", ">": "more"}
_JOINED = {"&": "and", "|": "or"}
_SIGNS = {"&": "∧", "|": "∨", "-": "−"}


def region_labels(names: Sequence[str]) -> tuple[str, ...]:
    """A label for each region that no other has: its name, with the number where it is needed.

    >>> region_labels(["the", "noun", "the", ""])
    ('the (1)', 'noun', 'the (3)', 'region 4')
    """
    counts = Counter(names)
    return tuple(
        f"region {number}" if not name else f"{name} ({number})" if counts[name] > 1 else name
        for number, name in enumerate(names, 1)
    )


def formula_words(tree: Expression, regions: Sequence[str] = ()) -> str:
    """What a formula predicts, in plain words; `regions` are the names of the regions.

    >>> from priscian.formulas import parse_formula
    >>> formula_words(parse_formula("(2;%match%)<(2;%mismatch%)"), ["subject", "verb"])
    '“verb” is less surprising in match than in mismatch'
    """
    labels = region_labels(regions)
    match tree:
        case Logic(op, left, right):
            first, second = _clause(left, op, regions), _clause(right, "", regions)
            return f"{first}, {_JOINED[op]} {second}"
        case Comparison(op, Arithmetic("-", left, right), Number(0)):
            return _comparison(Comparison(op, left, right), labels)
        case Comparison():
            return _comparison(tree, labels)
        case _:
            return _noun(tree, labels)


def _clause(part: Expression, op: str, regions: Sequence[str]) -> str:
    """A part of a conjunction or disjunction; in brackets where the order matters."""
    said = formula_words(part, regions)
    return f"({said})" if isinstance(part, Logic) and part.op != op else said


def formula_symbols(tree: Expression, regions: Sequence[str] = ()) -> str:
    """A formula with names of regions; `S(match)` is the surprisal of a whole sentence.

    >>> from priscian.formulas import parse_formula
    >>> formula_symbols(parse_formula("((2;%a%)+(1;%a%))<(*;%b%)"), ["subject", "verb"])
    'S(a, verb) + S(a, subject) < S(b)'
    """
    labels = region_labels(regions)

    def shown(part: Expression) -> str:
        match part:
            case Value(condition, span):
                return (
                    f"S({condition})" if span == WHOLE else f"S({condition}, {_name(span, labels)})"
                )
            case Number(value):
                return f"{value:g}".replace("-", "−")
            case Arithmetic(op, left, right) | Logic(op, left, right):
                same = isinstance(left, type(part)) and getattr(left, "op", op) == op
                first = shown(left) if same else bracketed(left)
                return f"{first} {_SIGNS.get(op, op)} {bracketed(right)}"
            case Comparison(op, left, right):
                return f"{shown(left)} {op} {shown(right)}"

    def bracketed(part: Expression) -> str:
        return shown(part) if isinstance(part, Value | Number) else f"({shown(part)})"

    return shown(tree)


# ---------------------------------------------------------------- numbers as phrases


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Regions of one condition, added up."""

    spans: tuple[str, ...]
    condition: str

    def says(self, labels: Sequence[str]) -> str:
        if self.spans == (WHOLE,):
            return "the whole sentence"
        names = []
        for span in self.spans:
            name = _name(span, labels)
            names.append(name if name == f"region {span}" else f"“{name}”")
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

    @property
    def several(self) -> bool:
        return len(self.spans) > 1


@dataclass(frozen=True, slots=True)
class _Rise:
    """The same regions in two conditions, subtracted."""

    upto: _Phrase
    since: _Phrase

    @property
    def steps(self) -> str:
        return f"from {self.since.condition} to {self.upto.condition}"


def _phrase(part: Expression) -> _Phrase | None:
    match part:
        case Value(condition, span):
            return _Phrase((span,), condition)
        case Arithmetic("+", left, right):
            first, second = _phrase(left), _phrase(right)
            if first is None or second is None or first.condition != second.condition:
                return None
            spans = first.spans + second.spans
            distinct = len(set(spans)) == len(spans) and WHOLE not in spans
            return _Phrase(spans, first.condition) if distinct else None
        case _:
            return None


def _rise(part: Expression) -> _Rise | None:
    if not (isinstance(part, Arithmetic) and part.op == "-"):
        return None
    upto, since = _phrase(part.left), _phrase(part.right)
    if upto is None or since is None or set(upto.spans) != set(since.spans):
        return None
    return _Rise(upto, since) if upto.condition != since.condition else None


def _noun(part: Expression, labels: Sequence[str]) -> str:
    """A number as a noun phrase."""
    if (phrase := _phrase(part)) is not None:
        return f"the surprisal of {phrase.says(labels)} in {phrase.condition}"
    if (rise := _rise(part)) is not None:
        return f"the rise in surprisal of {rise.upto.says(labels)} {rise.steps}"
    match part:
        case Number(value):
            return _bits(value)
        case Arithmetic(op, left, right):
            first, second = _noun(left, labels), _noun(right, labels)
            if isinstance(right, Arithmetic) and _phrase(right) is None and _rise(right) is None:
                second = f"({second})"  # else it would be misread after plus or minus
            return f"{first} {'plus' if op == '+' else 'minus'} {second}"
        case _:
            return formula_words(part, labels)


# ---------------------------------------------------------------- comparisons


def _comparison(part: Comparison, labels: Sequence[str]) -> str:
    left, right = _phrase(part.left), _phrase(part.right)
    if left is not None and right is not None:
        return _of_phrases(part.op, left, right, labels)
    one, two = _rise(part.left), _rise(part.right)
    if one is not None and two is not None:
        return _of_rises(part.op, one, two, labels)
    if isinstance(part.right, Number) and part.right.value >= 0:
        bits = _bits(part.right.value)
        how = "" if part.op == "=" else f"{_THAN[part.op]} than "
        if one is not None:
            verb = "together are" if one.upto.several else "is"
            return (
                f"{one.upto.says(labels)} {verb} {how}{bits} more surprising in "
                f"{one.upto.condition} than in {one.since.condition}"
            )
        if left is not None:
            verb = "together have" if left.several else "has"
            return f"{left.says(labels)} in {left.condition} {verb} {how}{bits} of surprisal"
    verb = "equals" if part.op == "=" else f"is {_THAN[part.op]} than"
    return f"{_noun(part.left, labels)} {verb} {_noun(part.right, labels)}"


def _of_phrases(op: str, left: _Phrase, right: _Phrase, labels: Sequence[str]) -> str:
    first, than = ("as", "as") if op == "=" else (_THAN[op], "than")
    verb = f"{'together are' if left.several else 'is'} {first} surprising"
    if set(left.spans) == set(right.spans):
        return f"{left.says(labels)} {verb} in {left.condition} {than} in {right.condition}"
    other = f"{right.says(labels)}{' together' if right.several else ''}"
    if left.condition == right.condition:
        return f"in {left.condition}, {left.says(labels)} {verb} {than} {other}"
    return f"{left.says(labels)} in {left.condition} {verb} {than} {other} in {right.condition}"


def _of_rises(op: str, one: _Rise, two: _Rise, labels: Sequence[str]) -> str:
    first, than = ("as much", "as") if op == "=" else (_THAN[op], "than")
    here, there = one.upto.says(labels), two.upto.says(labels)
    start = f"the surprisal of {here} rises {first} {one.steps} {than}"
    if set(one.upto.spans) == set(two.upto.spans):
        return f"{start} {two.steps}"
    return f"{start} that of {there} {two.steps}"


# ---------------------------------------------------------------- names and numbers


def _name(span: str, labels: Sequence[str]) -> str:
    """The label of a region, or its number if the names are not known."""
    number = int(span) if span.isdecimal() else 0
    return labels[number - 1] if 1 <= number <= len(labels) else f"region {span}"


def _bits(value: float) -> str:
    shown = f"{value:g}".replace("-", "−")
    return f"{shown} bit" if value == 1 else f"{shown} bits"
