"""Checks of pairs and suites that need no model and no parser: `priscian check`."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from priscian.datasets.lint_words import (
    conditions,
    doubled_word,
    edit_kind,
    final_mark,
    is_english,
    lemmas,
    lower_case_start,
    mixed_word,
    scripts,
    stray_space,
    tokens,
    unknown_words,
    wrong_articles,
)
from priscian.datasets.pairs import is_identical
from priscian.datasets.registry import ANY_COLUMNS, Dataset, PairColumns, find_format, read_dataset
from priscian.datasets.syntaxgym import read_suite, suite_data, suite_files, suite_problems
from priscian.errors import DataError, DataWarning, UnknownNameError, UsageError
from priscian.formulas import comparisons_of, difference_of, values_of
from priscian.lexicon import load_lexicon
from priscian.paradigms import (
    Edit,
    Exchange,
    Reordering,
    SpanSubstitution,
    Substitution,
    paradigms,
)
from priscian.records import (
    Comparison,
    Item,
    ItemSet,
    Sentence,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that looks wrong: which check, in which set and item, and what was seen."""

    check: str
    set: str
    item: str
    message: str


# what a check finds: (item, message); an empty item means the whole set
Seen = Iterator[tuple[str, str]]
Look = Callable[[ItemSet], Seen]


@dataclass(frozen=True, slots=True)
class Check:
    """A named check: what it looks for, and whether it is for English only."""

    name: str
    look: Look
    english: bool = False

    @property
    def summary(self) -> str:
        """What the check looks for, in one line."""
        return (self.look.__doc__ or "").splitlines()[0]

    def find(self, itemset: ItemSet) -> Iterator[Finding]:
        """The findings in a set."""
        for item, message in self.look(itemset):
            yield Finding(self.name, itemset.name, item, message)


class CheckRegistry(dict[str, Check]):
    """Checks by name; `@checks("article", english=True)` adds one."""

    def __call__(self, name: str, *, english: bool = False) -> Callable[[Look], Look]:
        def add(look: Look) -> Look:
            self[name] = Check(name, look, english)
            return look

        return add


LARGE = 100
FEW_CRITICAL = 5
USUAL = 0.8  # share of sentences from which something counts as a set's convention
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


SUITE_CHECKS = CheckRegistry()


@SUITE_CHECKS("spaces")
def find_spaces(suite: ItemSet) -> Seen:
    """A region with a space at an edge, or two in a row; they are removed when it is read."""
    for item in suite.items:
        spaced = item.meta.get("spaced", ())
        for place in spaced if isinstance(spaced, tuple) else ():
            yield item.id, str(place)


@SUITE_CHECKS("identical")
def find_identical_conditions(suite: ItemSet) -> Seen:
    """Two conditions of an item with the same text."""
    for item in suite.items:
        for (one, left), (two, right) in combinations(item.conditions.items(), 2):
            if left.text == right.text:
                yield item.id, f"{one} and {two}: {left.text}"


@SUITE_CHECKS("duplicate")
def find_duplicate_items(suite: ItemSet) -> Seen:
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
    weights = None if comparison.op == "=" else difference_of(comparison)
    if weights is None:
        return ""
    counts: Counter[tuple[str, str]] = Counter()  # by a region's text and the text before it
    for (condition, span), weight in weights.items():
        sentence = item[condition]
        place = sentence.span(span)
        counts[sentence.text[: place.start], sentence.text[place.start : place.end]] += int(weight)
    if any(counts.values()):
        return ""
    return " and ".join(f"({v.span};%{v.condition}%)" for v in values_of(comparison))


@SUITE_CHECKS("empty-region")
def find_empty_regions(suite: ItemSet) -> Seen:
    """A formula names a region that is empty in an item, which counts as 0 bits."""
    named = dict.fromkeys(v for c in suite.contrasts for v in values_of(c.expression))
    for item in suite.items:
        for value in named:
            if value.span != "*" and not item[value.condition][value.span]:
                yield item.id, f"({value.span};%{value.condition}%) is empty"


@SUITE_CHECKS("form")
def find_suite_form(suite: ItemSet) -> Seen:
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


SUITE_CHECKS("article", english=True)(find_articles)


@SUITE_CHECKS("doubled")
def find_doubled_in_regions(suite: ItemSet) -> Seen:
    """The same word twice in a row within a region; between two regions there may be a gap."""
    for item, condition, sentence in conditions(suite):
        for span in sentence.spans:
            found = doubled_word(sentence.text[span.start : span.end])
            if found:
                yield item, f"{condition}, region {span.name}: {found!r}"


# ---------------------------------------------------------------- running the checks

FORMAT = "format"
"""The check of suites' files: problems that prevent a file from being read."""

KINDS: dict[str, CheckRegistry] = {
    "pairs": PAIR_CHECKS,
    "graded": PAIR_CHECKS,
    "suites": SUITE_CHECKS,
}
CHECKS = tuple(dict.fromkeys((FORMAT, *PAIR_CHECKS, *SUITE_CHECKS)))


@dataclass(frozen=True, slots=True)
class Checked:
    """What was checked and what was found; `note` is a remark for the reader."""

    kind: str
    sets: tuple[ItemSet, ...]
    findings: tuple[Finding, ...]
    note: str = ""

    @property
    def items(self) -> int:
        """Number of pairs or items that were checked."""
        return sum(map(len, self.sets))


def check_data(
    spec: str, columns: PairColumns = ANY_COLUMNS, *, skip: Collection[str] = ()
) -> Checked:
    """Everything that looks wrong in a data set of pairs or suites.

    >>> found = check_data("graded:textbook", skip=["unknown-word"])
    >>> found.kind, found.items > 100
    ('graded', True)

    Where the sentences are not English, by their `language` or because most words are unknown,
    the checks for English only are skipped, and `note` says so.
    """
    for name in skip:
        if name not in CHECKS:
            raise UnknownNameError("check", name, CHECKS)
    form, target = find_format(spec, columns)
    if form.kind not in KINDS:
        raise UsageError(
            f"{spec} holds {form.kind}; priscian check looks at pairs, graded pairs and suites"
        )
    if form.kind == "suites" and target and Path(target).exists():
        sets, broken = _read_suites(target)
    else:
        data: Dataset = read_dataset(spec, columns)
        sets = [s for s in data.sets if not _single(s)]
        broken = [Finding(FORMAT, "", "", line) for line in data.refused]
    foreign, note = _foreign(sets)
    found = [f for f in broken if FORMAT not in skip]
    for itemset in sets:
        for check in _checks(form.kind, english=itemset.name not in foreign):
            if check.name not in skip:
                found += check.find(itemset)
    return Checked(form.kind, tuple(sets), tuple(found), note)


def lint(itemset: ItemSet, kind: str = "pairs") -> list[Finding]:
    """Everything that looks wrong in one set of English pairs or one suite."""
    if _single(itemset):
        return []
    return [finding for check in _checks(kind, english=True) for finding in check.find(itemset)]


def _checks(kind: str, *, english: bool) -> Iterator[Check]:
    return (check for check in KINDS[kind].values() if english or not check.english)


def _single(itemset: ItemSet) -> bool:
    """Whether a set has single sentences, such as the population of a graded set."""
    return any("sentence" in item.conditions for item in itemset.items)


def _foreign(sets: Sequence[ItemSet]) -> tuple[set[str], str]:
    """The sets that are not English, and one line about them."""
    other = {s.name: s.language for s in sets if s.language.partition("-")[0].lower() != "en"}
    rest = [s for s in sets if s.name not in other]
    checks = [check for kind in KINDS.values() for check in kind.values()]
    names = ", ".join(dict.fromkeys(check.name for check in checks if check.english))
    if rest and not is_english(rest):
        why = "most words are not in the English lexicon"
        other |= {s.name: "" for s in rest}
    elif other:
        why = f"the language is {', '.join(dict.fromkeys(other.values()))}"
    else:
        return set(), ""
    return set(other), f"{why}: skipped checks that are for English only ({names})"


def _read_suites(target: str) -> tuple[list[ItemSet], list[Finding]]:
    """The suites that can be read, and every problem of the others."""
    sets: dict[str, ItemSet] = {}
    found: list[Finding] = []
    for file in suite_files(target):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # the check `spaces` lists them
                suite = read_suite(file)
            if suite.name in sets:
                raise DataError(f"{file}: another file has a suite {suite.name!r} too; rename one")
        except DataError as error:
            try:
                problems = suite_problems(suite_data(file), str(file))
            except DataError:  # not even JSON: the reader's error says so
                problems = []
            problems = problems or [str(error)]
            found += [Finding(FORMAT, file.stem, "", problem) for problem in problems]
        else:
            sets[suite.name] = suite
    return list(sets.values()), found
