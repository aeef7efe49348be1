"""What can be wrong with minimal pairs, found without a parser: `priscian check`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from priscian.datasets.differences import edit_kind, tokens
from priscian.lexicon import load_lexicon, takes_an
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
DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
QUESTION = re.compile(
    r"(Who|What|Which|Whose|Where|When|Why|How)( \w+)? "
    r"(is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|might|may|must)\b"
)
ARTICLE = re.compile(r"\b(an?) (\w[\w'-]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that looks wrong: which check, in which set and item, and what was seen."""

    check: str
    set: str
    item: str
    message: str


Check = Callable[[ItemSet], Iterator[Finding]]
CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    """Enter a check under its name."""

    def enter(function: Check) -> Check:
        CHECKS[name] = function
        return function

    return enter


def lint(itemset: ItemSet) -> list[Finding]:
    """Everything that the checks find in a set of pairs; single sentences are passed over."""
    if any("sentence" in item.conditions for item in itemset.items):
        return []
    return [finding for function in CHECKS.values() for finding in function(itemset)]


def _pairs(itemset: ItemSet) -> Iterator[tuple[Item, Sentence, Sentence]]:
    for item in itemset.items:
        yield item, item["good"], item["bad"]


@check("identical")
def find_identical(itemset: ItemSet) -> Iterator[Finding]:
    """The good and the bad sentence are the same."""
    for item, good, bad in _pairs(itemset):
        if good.text == bad.text:
            yield Finding("identical", itemset.name, item.id, good.text)


@check("duplicate")
def find_duplicates(itemset: ItemSet) -> Iterator[Finding]:
    """A good or a bad sentence that was there before."""
    for side in ("good", "bad"):
        seen: dict[str, str] = {}
        for item in itemset.items:
            text = item[side].text
            first = seen.setdefault(text, item.id)
            if first != item.id:
                message = f"{side} sentence as in {first}: {text}"
                yield Finding("duplicate", itemset.name, item.id, message)


@check("near-duplicate")
def find_near_duplicates(itemset: ItemSet) -> Iterator[Finding]:
    """Good sentences made of the same words in another order or form."""
    lemmas = _lemmas()
    seen: dict[tuple[str, ...], tuple[str, str]] = {}
    for item, good, _ in _pairs(itemset):
        bag = tuple(sorted(lemmas.get(t.lower(), t.lower()) for t in tokens(good.text)))
        first, text = seen.setdefault(bag, (item.id, good.text))
        if first != item.id and text != good.text:
            yield Finding("near-duplicate", itemset.name, item.id, f"as {first}: {good.text}")


@check("edit")
def find_undeclared_edits(itemset: ItemSet) -> Iterator[Finding]:
    """A difference of another kind than the paradigm's, declared or usual in the set."""
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
            message = (
                f"{kinds[item.id]}, not {' or '.join(sorted(wanted))}: {good.text} / {bad.text}"
            )
            yield Finding("edit", itemset.name, item.id, message)


def visible_kinds(edit: Edit) -> set[str]:
    """What a declared edit can look like when only the words are seen."""
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


@check("article")
def find_articles(itemset: ItemSet) -> Iterator[Finding]:
    """`a` before a vowel sound, `an` before a consonant sound."""
    for item, side, sentence in _sides(itemset):
        for match in ARTICLE.finditer(sentence.text):
            if (match[1].lower() == "an") != takes_an(match[2]):
                yield Finding("article", itemset.name, item.id, f"{side}: {match[0]!r}")


@check("doubled")
def find_doubled_words(itemset: ItemSet) -> Iterator[Finding]:
    """The same word twice in a row."""
    for item, side, sentence in _sides(itemset):
        match = DOUBLED.search(sentence.text)
        if match:
            yield Finding("doubled", itemset.name, item.id, f"{side}: {match[0]!r}")


@check("form")
def find_form(itemset: ItemSet) -> Iterator[Finding]:
    """No capital at the beginning, no mark at the end, stray spaces."""
    for item, side, sentence in _sides(itemset):
        text = sentence.text
        letters = [c for c in text if c.isalpha()]
        if letters and letters[0].islower():
            yield Finding("form", itemset.name, item.id, f"{side}: no capital: {text}")
        if text[-1:] not in ".?!”\"'":
            yield Finding("form", itemset.name, item.id, f"{side}: no final mark: {text}")
        if text != " ".join(text.split()) or re.search(r" [.,?!;:]", text):
            yield Finding("form", itemset.name, item.id, f"{side}: stray space: {text!r}")


@check("question")
def find_questions(itemset: ItemSet) -> Iterator[Finding]:
    """A question that ends in a full stop."""
    for item, side, sentence in _sides(itemset):
        text = sentence.text
        if QUESTION.match(text) and text.endswith("."):
            yield Finding("question", itemset.name, item.id, f"{side}: {text}")


@check("prefix")
def find_prefixes(itemset: ItemSet) -> Iterator[Finding]:
    """Prefix and critical word that do not rebuild the sentence's beginning."""
    for item, side, sentence in _sides(itemset):
        names = {span.name for span in sentence.spans}
        if {"prefix", "critical"} <= names:
            prefix, word = sentence["prefix"], sentence["critical"]
            if not sentence.text.startswith(f"{prefix} {word}"):
                message = f"{side}: {prefix!r} + {word!r} is not how {sentence.text!r} begins"
                yield Finding("prefix", itemset.name, item.id, message)


@check("unknown-word")
def find_unknown_words(itemset: ItemSet) -> Iterator[Finding]:
    """Words that the lexicon does not have: rare, misspelt, or simply not ours."""
    known = load_lexicon().words
    seen: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for item, _, sentence in _sides(itemset):
        for token in tokens(sentence.text):
            form = token.removesuffix("'s").removesuffix("'")
            if token.lower() in known or form.lower() in known:
                continue
            seen.setdefault(form, item.id)
            counts[form] += 1
    for form, count in counts.most_common():
        times = "once" if count == 1 else f"{count} times"
        yield Finding("unknown-word", itemset.name, seen[form], f"{form!r}, {times}")


@check("critical")
def find_narrow(itemset: ItemSet) -> Iterator[Finding]:
    """Too few distinct critical words in a large set; those of closed classes are few by nature."""
    if len(itemset) < LARGE:
        return
    words: Counter[str] = Counter()
    for _, good, bad in _pairs(itemset):
        ours, theirs = tokens(good.text), tokens(bad.text)
        words[next((a for a, b in zip(ours, theirs, strict=False) if a != b), "").lower()] += 1
    open_class = [word for word in words if word in _lemmas()]
    if 0 < len(open_class) < FEW_CRITICAL and sum(words[w] for w in open_class) > USUAL * len(
        itemset
    ):
        listed = ", ".join(word for word, _ in words.most_common())
        yield Finding("critical", itemset.name, "", f"only {len(words)}: {listed}")


def _sides(itemset: ItemSet) -> Iterator[tuple[Item, str, Sentence]]:
    for item in itemset.items:
        for side in ("good", "bad"):
            yield item, side, item[side]


@cache
def _lemmas() -> Mapping[str, str]:
    """The lemma of every form of a noun, verb or adjective in the lexicon."""
    lexicon = load_lexicon()
    found = {a.lemma: a.lemma for a in lexicon.all_adjectives}
    for noun in lexicon.all_nouns:
        found |= {w.text: noun.lemma for w in (noun.singular, noun.plural) if w}
    for verb in lexicon.all_verbs:
        forms = (verb.bare, verb.present_sg, verb.past_sg, verb.gerund, verb.participle)
        found |= {w.text: verb.lemma for w in forms}
    return found
