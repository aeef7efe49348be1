"""Classes of unknown words: what a rare word's shape says about it, as in Hu et al. (2020)."""

from __future__ import annotations

from collections.abc import Container

UNKNOWN = "UNK"
SUFFIXES = ("ed", "ing", "ion", "er", "est", "ly", "ity", "y", "al")


def unk_class(word: str, known: Container[str] = ()) -> str:
    """The class of a word that is not in the vocabulary, in the style of the Berkeley parser.

    Parts, in this order: case, digits, hyphen, suffix. `known` is the vocabulary, which decides
    whether a capitalised word is known in lower case.

    >>> [unk_class(w) for w in ("Zoobies", "zoobing", "well-zoobed", "1990s", "McZoob")]
    ['UNK-INITC-s', 'UNK-LC-ing', 'UNK-LC-DASH', 'UNK-LC-NUM-s', 'UNK-CAPS']
    """
    parts = [UNKNOWN, *_case(word, known)]
    if any(char.isdigit() for char in word):
        parts.append("NUM")
    if "-" in word:
        parts.append("DASH")
    return "-".join([*parts, *_suffix(word)])


def _case(word: str, known: Container[str]) -> list[str]:
    capitals = sum(char.isupper() for char in word)
    if word[:1].isupper():
        if capitals > 1:
            return ["CAPS"]
        return ["INITC", "KNOWNLC"] if word.lower() in known else ["INITC"]
    if capitals and not word[:1].isalpha():
        return ["CAPS"]
    return ["LC"] if any(char.islower() for char in word) else []


def _suffix(word: str) -> list[str]:
    lower = word.lower()
    if lower.endswith("s") and len(lower) >= 3:
        return [] if lower[-2] in "siu" else ["s"]
    odd = any(c.isdigit() for c in word) and any(c.isupper() for c in word)
    if len(lower) < 5 or "-" in lower or odd:
        return []
    return next(([suffix] for suffix in SUFFIXES if lower.endswith(suffix)), [])
