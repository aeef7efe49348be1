"""What is often wrong with minimal pairs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from priscian.datasets.lint.findings import CheckRegistry, Seen
from priscian.datasets.lint.words import (
    conditions,
    doubled_word,
    edit_kind,
    final_mark,
    lemmas,
    lower_case_start,
    mixed_word,
    scripts,
    stray_space,
    tokens,
    unknown_words,
    wrong_articles,
)
from priscian.datasets.repairs import is_identical
from priscian.paradigms import (
    Edit,
    Exchange,
    Reordering,
    SpanSubstitution,
    Substitution,
    paradigms,
)
from priscian.records import Item, ItemSet, Sentence

LARGE = 100
FEW_CRITICAL = 5
USUAL = 0.8
QUESTION = re.compile(
    r"(Who|What|Which|Whose|Where|When|Why|How)( \w+)? "
    r"(is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|might|may|must)\b"
)

PAIR_CHECKS = CheckRegistry()


def _pairs(itemset: ItemSet) -> Iterator[tuple[Item, Sentence, Sentence]]:
    for item in itemset.items:
        yield item, item["good"], item["bad"]


@PAIR_CHECKS("identical")
def find_identical(itemset: ItemSet) -> Seen:
    """The good and the bad sentence are the same."""
    for item, good, _ in _pairs(itemset):
        if is_identical(item):
            yield item.id, good.text


@PAIR_CHECKS("duplicate")
def find_duplicates(itemset: ItemSet) -> Seen:
    """A good or a bad sentence that an earlier pair has."""
    for side in ("good", "bad"):
        seen: dict[tuple[str, str], str] = {}
        for item in itemset.items:
            sentence = item[side]
            first = seen.setdefault((sentence.context, sentence.text), item.id)
            if first != item.id:
                yield item.id, f"{side} sentence as in {first}: {sentence.text}"


@PAIR_CHECKS("near-duplicate")
def find_near_duplicates(itemset: ItemSet) -> Seen:
    """Good sentences made of the same words in another order or form."""
    known = lemmas()
    seen: dict[tuple[str, ...], tuple[str, str]] = {}
    for item, good, _ in _pairs(itemset):
        bag = tuple(sorted(known.get(t.lower(), t.lower()) for t in tokens(good.text)))
        first, text = seen.setdefault(bag, (item.id, good.text))
        if first != item.id and text != good.text:
            yield item.id, f"as {first}: {good.text}"


@PAIR_CHECKS("edit")
def find_undeclared_edits(itemset: ItemSet) -> Seen:
    """A difference of another kind than the paradigm's: than the declared or most frequent one."""
    kinds = {item.id: edit_kind(good.text, bad.text) for item, good, bad in _pairs(itemset)}
    usual, count = Counter(kinds.values()).most_common(1)[0]
    known = paradigms().get(itemset.name)
    if known is not None:
        wanted = visible_kinds(known.edit)
    elif count >= USUAL * len(kinds):
        wanted = {usual}
    else:
        return
    for item, good, bad in _pairs(itemset):
        if kinds[item.id] not in wanted and good.text != bad.text:
            expected = " or ".join(sorted(wanted))
            yield item.id, f"{kinds[item.id]}, not {expected}: {good.text} / {bad.text}"


def visible_kinds(edit: Edit) -> set[str]:
    """The kinds of difference that a declared edit can look like, judged by words alone."""
    match edit:
        case Substitution(words=1):
            return {"substitution"}
        case SpanSubstitution() | Substitution():
            return {"substitution", "stretch"}
        case Reordering(what=what) if not what:
            return {"reordering"}
        case Reordering() | Exchange():
            return {"reordering and substitution", "substitution", "stretch", "reordering"}
    return {"substitution", "stretch", "reordering", "reordering and substitution", "other"}


@PAIR_CHECKS("article", english=True)
def find_articles(itemset: ItemSet) -> Seen:
    """`a` before a vowel sound, `an` before a consonant sound."""
    for item, side, sentence in conditions(itemset):
        for found in wrong_articles(sentence.text):
            yield item, f"{side}: {found!r}"


@PAIR_CHECKS("doubled")
def find_doubled_words(itemset: ItemSet) -> Seen:
    """The same word twice in a row."""
    for item, side, sentence in conditions(itemset):
        found = doubled_word(sentence.text)
        if found:
            yield item, f"{side}: {found!r}"


@PAIR_CHECKS("script")
def find_scripts(itemset: ItemSet) -> Seen:
    """Letters of two scripts in one word, or in one sentence of a pair only."""
    for item, side, sentence in conditions(itemset):
        word = mixed_word(sentence.text)
        if word:
            yield item, f"{side}: {' and '.join(sorted(scripts(word))).lower()} in {word!r}"
    for pair, good, bad in _pairs(itemset):
        ours, theirs = scripts(good.text), scripts(bad.text)
        if ours != theirs and not (mixed_word(good.text) or mixed_word(bad.text)):
            odd = " and ".join(sorted(ours ^ theirs)).lower()
            yield pair.id, f"{odd} in one sentence only: {good.text} / {bad.text}"


@PAIR_CHECKS("final-mark")
def find_final_marks(itemset: ItemSet) -> Seen:
    """A mark at the end of one sentence only: it changes the sum that is compared."""
    for item, good, bad in _pairs(itemset):
        if final_mark(good.text) != final_mark(bad.text):
            yield item.id, f"{good.text} / {bad.text}"


@PAIR_CHECKS("form")
def find_form(itemset: ItemSet) -> Seen:
    """No capital at the beginning, no mark at the end, stray spaces.

    A large set in which hardly any sentence ends in a mark is reported once.
    """
    bare = sum(not final_mark(s.text) for s in itemset.sentences())
    everywhere = len(itemset) >= LARGE and bare >= USUAL * 2 * len(itemset)
    if everywhere:
        yield "", f"no final mark in {bare} sentences"
    for item, side, sentence in conditions(itemset):
        if lower_case_start(sentence.text):
            yield item, f"{side}: no capital: {sentence.text}"
        if not everywhere and not final_mark(sentence.text):
            yield item, f"{side}: no final mark: {sentence.text}"
        if stray_space(sentence.text):
            yield item, f"{side}: stray space: {sentence.text!r}"


@PAIR_CHECKS("question", english=True)
def find_questions(itemset: ItemSet) -> Seen:
    """A question that ends in a full stop."""
    for item, side, sentence in conditions(itemset):
        if QUESTION.match(sentence.text) and sentence.text.endswith("."):
            yield item, f"{side}: {sentence.text}"


@PAIR_CHECKS("prefix")
def find_prefixes(itemset: ItemSet) -> Seen:
    """Prefix and critical word that do not rebuild the beginning of the sentence."""
    for item, side, sentence in conditions(itemset):
        if {"prefix", "critical"} <= {span.name for span in sentence.spans}:
            prefix, word = sentence["prefix"], sentence["critical"]
            if not sentence.text.startswith(f"{prefix} {word}"):
                yield item, f"{side}: {prefix!r} + {word!r} is not how {sentence.text!r} begins"


@PAIR_CHECKS("unknown-word", english=True)
def find_unknown_words(itemset: ItemSet) -> Seen:
    """Words that are not in the lexicon: rare, misspelt, or simply not included."""
    return unknown_words(itemset)


@PAIR_CHECKS("critical", english=True)
def find_narrow(itemset: ItemSet) -> Seen:
    """Too few different critical words in a large set; closed-class words do not count."""
    if len(itemset) < LARGE:
        return
    words: Counter[str] = Counter()
    for _, good, bad in _pairs(itemset):
        ours, theirs = tokens(good.text), tokens(bad.text)
        words[next((a for a, b in zip(ours, theirs, strict=False) if a != b), "").lower()] += 1
    open_class = [word for word in words if word in lemmas()]
    share = sum(words[word] for word in open_class) / len(itemset)
    if 0 < len(open_class) < FEW_CRITICAL and share > USUAL:
        listed = ", ".join(word for word, _ in words.most_common())
        yield "", f"only {len(words)}: {listed}"
