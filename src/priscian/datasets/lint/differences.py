"""How two sentences differ, judged by their words alone."""

from __future__ import annotations

import re
from collections import Counter

_TOKEN = re.compile(r"[\w'’-]+|[^\w\s]")


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
