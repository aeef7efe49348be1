"""What is often wrong with suites whose files can be read."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from priscian.datasets.lint.findings import CheckRegistry, Seen
from priscian.datasets.lint.words import (
    conditions,
    doubled_word,
    final_mark,
    lower_case_start,
    wrong_articles,
)
from priscian.formulas import comparisons_of, values_of
from priscian.lexicon import load_lexicon
from priscian.records import (
    Arithmetic,
    Comparison,
    Expression,
    Item,
    ItemSet,
    Number,
    Value,
)

USUAL = 0.8  # share of sentences from which something counts as the suite's convention

SUITE_CHECKS = CheckRegistry()

# one side of a comparison: how often each text, up to the end of a region, is counted
Sum = Counter[tuple[str, str]]


@SUITE_CHECKS("spaces")
def find_spaces(suite: ItemSet) -> Seen:
    """A region with a space at an edge, or two in a row; they are removed when it is read."""
    for item in suite.items:
        spaced = item.meta.get("spaced", ())
        for place in spaced if isinstance(spaced, tuple) else ():
            yield item.id, str(place)


@SUITE_CHECKS("identical")
def find_identical(suite: ItemSet) -> Seen:
    """Two conditions of an item with the same text."""
    for item in suite.items:
        for (one, left), (two, right) in combinations(item.conditions.items(), 2):
            if left.text == right.text:
                yield item.id, f"{one} and {two}: {left.text}"


@SUITE_CHECKS("duplicate")
def find_duplicates(suite: ItemSet) -> Seen:
    """An item with the same text as an earlier one in every condition."""
    seen: dict[tuple[str, ...], str] = {}
    for item in suite.items:
        texts = tuple(item[name].text for name in sorted(item.conditions))
        first = seen.setdefault(texts, item.id)
        if first != item.id:
            yield item.id, f"the same as {first}: {texts[0]}"


@SUITE_CHECKS("no-contrast")
def find_missing_contrasts(suite: ItemSet) -> Seen:
    """A formula compares regions that are the same in both conditions, with the same text before.

    A left-to-right model then gives both the same surprisal, and the comparison always ties.
    """
    for item in suite.items:
        for number, contrast in enumerate(suite.contrasts):
            for comparison in comparisons_of(contrast.expression):
                places = _same(item, comparison)
                if places:
                    yield item.id, f"prediction {number} compares {places}: always a tie"


def _same(item: Item, comparison: Comparison) -> str:
    """The regions of a comparison whose two sides must be equal."""
    found: Sum = Counter()
    if comparison.op == "=" or not (
        _add(item, comparison.left, 1, found) and _add(item, comparison.right, -1, found)
    ):
        return ""
    if any(found.values()):
        return ""
    return " and ".join(f"({v.span};%{v.condition}%)" for v in values_of(comparison))


def _add(item: Item, tree: Expression, sign: int, found: Sum) -> bool:
    """Add up a side; False if it has a constant."""
    match tree:
        case Value(condition, span):
            sentence = item[condition]
            place = sentence.span(span)
            found[sentence.text[: place.start], sentence.text[place.start : place.end]] += sign
            return True
        case Arithmetic(op, left, right):
            second = sign if op == "+" else -sign
            return _add(item, left, sign, found) and _add(item, right, second, found)
        case Number(value):
            return value == 0
    return False


@SUITE_CHECKS("empty-region")
def find_empty_regions(suite: ItemSet) -> Seen:
    """A formula names a region that is empty in an item, which counts as 0 bits."""
    named = dict.fromkeys(v for c in suite.contrasts for v in values_of(c.expression))
    for item in suite.items:
        for value in named:
            if value.span != "*" and not item[value.condition][value.span]:
                yield item.id, f"({value.span};%{value.condition}%) is empty"


@SUITE_CHECKS("form")
def find_form(suite: ItemSet) -> Seen:
    """No capital at the beginning, or no mark at the end, although most sentences have it."""
    texts = [sentence.text for sentence in suite.sentences()]
    habits = (
        ("no capital", lambda text: not lower_case_start(text)),
        ("no final mark", final_mark),
    )
    for problem, holds in habits:
        if USUAL * len(texts) <= sum(map(holds, texts)) < len(texts):
            for item, condition, sentence in conditions(suite):
                if not holds(sentence.text):
                    yield item, f"{condition}: {problem}: {sentence.text}"


@SUITE_CHECKS("capital", english=True)
def find_capitals(suite: ItemSet) -> Seen:
    """A region that is not the first and begins with a capital function word."""
    small = load_lexicon().function_words
    for item, condition, sentence in conditions(suite):
        for span in sentence.spans:
            first = sentence.text[span.start : span.end].partition(" ")[0]
            if span.start and first[:1].isupper() and len(first) > 1 and first.lower() in small:
                yield item, f"{condition}, region {span.name}: {first!r} inside the sentence"


@SUITE_CHECKS("article", english=True)
def find_articles(suite: ItemSet) -> Seen:
    """`a` before a vowel sound, `an` before a consonant sound."""
    for item, condition, sentence in conditions(suite):
        for found in wrong_articles(sentence.text):
            yield item, f"{condition}: {found!r}"


@SUITE_CHECKS("doubled")
def find_doubled_words(suite: ItemSet) -> Seen:
    """The same word twice in a row within a region; between two regions there may be a gap."""
    for item, condition, sentence in conditions(suite):
        for span in sentence.spans:
            found = doubled_word(sentence.text[span.start : span.end])
            if found:
                yield item, f"{condition}, region {span.name}: {found!r}"
