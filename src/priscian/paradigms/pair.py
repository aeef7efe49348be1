"""A proved pair as a record: its sentences, their spans, and what is known of it."""

from __future__ import annotations

from priscian.errors import GrammarError
from priscian.grammar import Pair, Utterance
from priscian.paradigms.edits import prove
from priscian.paradigms.registry import Paradigm
from priscian.records import Item, Sentence

Mark = tuple[str, int, int]


def prove_pair(paradigm: Paradigm, pair: Pair) -> None:
    """Raise GrammarError unless the pair is what its paradigm declares."""
    if pair.good.texts == pair.bad.texts and pair.good.end == pair.bad.end:
        raise GrammarError(f"{paradigm.where}: both sentences are {pair.good.text!r}")
    prove(paradigm.edit, pair.good.words, pair.bad.words, paradigm.where)


def sentences(paradigm: Paradigm, pair: Pair) -> tuple[Sentence, Sentence]:
    """Both sentences with their spans: labelled constituents, contrast, prefix, critical word."""
    good, bad = pair.good, pair.bad
    ours, theirs = _contrast(good, bad)
    if paradigm.prefix is None:
        return good.sentence(ours), bad.sentence(theirs)
    left = _critical(paradigm, good, ours)
    right = _critical(paradigm, bad, theirs)
    _check_prefixes(paradigm, good, bad, left, right)
    return good.sentence(ours + _marks(good, left)), bad.sentence(theirs + _marks(bad, right))


def _contrast(good: Utterance, bad: Utterance) -> tuple[tuple[Mark, ...], tuple[Mark, ...]]:
    """From the first word that differs to the last, on each side."""
    ours, theirs = good.words, bad.words
    # `is` first, for speed: what both sides share was drawn once and is the same object
    start = 0
    for left, right in zip(ours, theirs, strict=False):
        if left is not right and left != right:
            break
        start += 1
    tail, longest = 0, min(len(ours), len(theirs)) - start
    for left, right in zip(reversed(ours), reversed(theirs), strict=False):
        if tail == longest or (left is not right and left != right):
            break
        tail += 1
    return (
        (("contrast", start, len(ours) - tail),),
        (("contrast", start, len(theirs) - tail),),
    )


def _critical(paradigm: Paradigm, side: Utterance, contrast: tuple[Mark, ...]) -> int:
    """The position of the word that the prefix method scores."""
    for name, start, end in side.marks:
        if name == "critical":
            if end != start + 1:
                raise GrammarError(
                    f"{paradigm.where}: the critical stretch of {side.text!r} is not one word"
                )
            return start
    (_, start, end) = contrast[0]
    # One prefix: the word that differs. Two prefixes: the word after what differs.
    position = start if paradigm.prefix == "one" else end
    if position >= len(side.texts):
        raise GrammarError(f"{paradigm.where}: no word follows the contrast in {side.text!r}")
    return position


def _check_prefixes(
    paradigm: Paradigm, good: Utterance, bad: Utterance, left: int, right: int
) -> None:
    same_prefix = good.texts[:left] == bad.texts[:right]
    same_word = good.words[left].text == bad.words[right].text
    if left == 0 or right == 0:
        fault = "there is no word before the critical word"
    elif paradigm.prefix == "one" and (not same_prefix or same_word):
        fault = "one prefix needs equal prefixes and different words"
    elif paradigm.prefix == "two" and (same_prefix or not same_word):
        fault = "two prefixes need different prefixes and equal words"
    else:
        return
    raise GrammarError(f"{paradigm.where}: {fault}: {good.text!r} / {bad.text!r}")


def _marks(side: Utterance, critical: int) -> tuple[Mark, ...]:
    word = ("critical", critical, critical + 1)
    return (("prefix", 0, critical), *(() if word in side.marks else (word,)))


def as_item(paradigm: Paradigm, pair: Pair, number: int) -> Item:
    """The pair as an item `UID/number`; its meta is what a row of BLiMP's schema says of it."""
    good, bad = sentences(paradigm, pair)
    meta = {
        "simple_LM_method": True,
        "one_prefix_method": paradigm.prefix == "one",
        "two_prefix_method": paradigm.prefix == "two",
        "lexically_identical": paradigm.lexically_identical,
        **pair.extra,
    }
    return Item(f"{paradigm.uid}/{number}", {"good": good, "bad": bad}, meta)
