"""The words of sentences: how two sentences differ, and the checks that pairs and suites share."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from priscian.lexicon import load_lexicon, takes_an
from priscian.records import ItemSet, Sentence

FOREIGN = 0.5  # share of unknown words from which sentences do not count as English

_TOKEN = re.compile(r"[\w'’-]+|[^\w\s]")
_DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(an?) (\w[\w'-]*)", re.IGNORECASE)
_SPACED = re.compile(r"\s{2,}|^\s|\s$| [.,?!;:]")


def tokens(text: str) -> list[str]:
    """Words without punctuation.

    >>> tokens("It's the cook's, isn't it?")
    ["It's", 'the', "cook's", "isn't", 'it']
    """
    return [t for t in _TOKEN.findall(text) if t[0].isalnum()]


def edit_kind(good: str, bad: str) -> str:
    """The kind of difference: substitution, stretch, reordering, exchange or other.

    >>> edit_kind("The boys saw themselves.", "The boys saw himself.")
    'substitution'
    >>> edit_kind("Who did you see?", "You did see who?")
    'reordering'
    """
    ours, theirs = _folded(good), _folded(bad)
    if ours == theirs:
        return "none"
    if Counter(ours) == Counter(theirs):
        return "reordering"
    if len(ours) == len(theirs):
        changed = [i for i, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b]
        if len(changed) == 1:
            return "substitution"
        if changed[-1] - changed[0] < 3 and len(changed) <= 3:
            return "stretch"
        gone, come = Counter(ours) - Counter(theirs), Counter(theirs) - Counter(ours)
        if sum(gone.values()) == 1 and sum(come.values()) == 1:
            return "reordering and substitution"
    return "other"


def _folded(text: str) -> list[str]:
    """Lower-cased words: a reordering moves the capital."""
    return [token.lower() for token in tokens(text)]


def is_english(sets: Iterable[ItemSet]) -> bool:
    """Whether sentences look like English: at least half of their words are in the lexicon."""
    known = total = 0
    for itemset in sets:
        for sentence in itemset.sentences():
            found = tokens(sentence.text)
            total += len(found)
            known += sum(is_known(token) for token in found)
    return known >= (1 - FOREIGN) * total


def is_known(token: str) -> bool:
    """Whether the lexicon has a word, also as a possessive."""
    words = load_lexicon().words
    return token.lower() in words or bare(token).lower() in words


def bare(token: str) -> str:
    """A word without a possessive ending."""
    return token.removesuffix("'s").removesuffix("'")


@cache
def lemmas() -> Mapping[str, str]:
    """The lemma of every form of a noun, verb or adjective in the lexicon."""
    lexicon = load_lexicon()
    found = {a.lemma: a.lemma for a in lexicon.all_adjectives}
    for noun in lexicon.all_nouns:
        found |= {w.text: noun.lemma for w in (noun.singular, noun.plural) if w}
    for verb in lexicon.all_verbs:
        forms = (verb.bare, verb.present_sg, verb.past_sg, verb.gerund, verb.participle)
        found |= {w.text: verb.lemma for w in forms}
    return found


def conditions(itemset: ItemSet) -> Iterator[tuple[str, str, Sentence]]:
    """Every sentence with its item's id and its condition."""
    for item in itemset.items:
        for name, sentence in item.conditions.items():
            yield item.id, name, sentence


def wrong_articles(text: str) -> list[str]:
    """`a` before a vowel sound, `an` before a consonant sound."""
    return [m[0] for m in _ARTICLE.finditer(text) if (m[1].lower() == "an") != takes_an(m[2])]


def doubled_word(text: str) -> str:
    """The first word that occurs twice in a row."""
    match = _DOUBLED.search(text)
    return match[0] if match else ""


def stray_space(text: str) -> bool:
    """A space at an end, two in a row, or one before a mark."""
    return bool(_SPACED.search(text))


def lower_case_start(text: str) -> bool:
    """Whether the first letter is lower case, in a script that has capitals."""
    first = next((c for c in text if c.isalpha()), "")
    return first.islower()


def final_mark(text: str) -> bool:
    """A punctuation mark at the end, in any script."""
    return unicodedata.category(text[-1]).startswith("P") if text else False


_EAST_ASIAN = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC"}
_ANY_SCRIPT = {"MODIFIER", "MASCULINE", "FEMININE", "MICRO", "FULLWIDTH", "SUPERSCRIPT"}


def scripts(text: str) -> frozenset[str]:
    """The scripts of a text's letters; those that East Asian languages mix count as one.

    >>> sorted(scripts("Fünf Eulen")), sorted(scripts("猫がピアノを見た"))
    (['LATIN'], ['EAST ASIAN'])
    """
    names = (unicodedata.name(c, "").partition(" ")[0] for c in text if c.isalpha())
    found = {name.partition("-")[0] for name in names if name}
    if found & _EAST_ASIAN:
        found = found - _EAST_ASIAN | {"EAST ASIAN"}
    return frozenset(found - _ANY_SCRIPT)


def mixed_word(text: str) -> str:
    """The first word with letters of several scripts, such as a Cyrillic letter in a Latin word.

    A word of an East Asian script beside one of another is normal: there is no space between them.
    """
    for word in tokens(text):
        found = scripts(word)
        if len(found) > 1 and "EAST ASIAN" not in found:
            return word
    return ""


def unknown_words(itemset: ItemSet) -> Iterator[tuple[str, str]]:
    """Words that are not in the lexicon, each with the first item it occurs in."""
    seen: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for item, _, sentence in conditions(itemset):
        for token in tokens(sentence.text):
            if not is_known(token):
                seen.setdefault(bare(token), item)
                counts[bare(token)] += 1
    for form, count in counts.most_common():
        times = "once" if count == 1 else f"{count} times"
        yield seen[form], f"{form!r}, {times}"
