"""A word in a sentence: its text, its lemma and a tag of features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

Number = Literal["sg", "pl"]
Gender = Literal["m", "f", "n"]

# A tag is a category followed by values; each value belongs to one feature.
FEATURES: Mapping[str, str] = {
    **dict.fromkeys(("sg", "pl"), "number"),
    **dict.fromkeys(("m", "f", "n"), "gender"),
    **dict.fromkeys(("bare", "pres", "past", "modal", "ing", "en", "to"), "form"),
    **dict.fromkeys(("nom", "acc", "refl", "poss"), "case"),
    **dict.fromkeys(("neg", "pos"), "polarity"),
    **dict.fromkeys(("weak", "strong"), "strength"),
}
CONTENT = frozenset({"noun", "verb", "adj", "adv", "name"})


@dataclass(frozen=True, slots=True)
class Word:
    """A leaf of a phrase: `Word("children", "child", "noun.pl")`."""

    text: str
    lemma: str
    tag: str

    @property
    def category(self) -> str:
        return self.tag.partition(".")[0]

    @property
    def is_content(self) -> bool:
        """True of nouns, verbs, adjectives, adverbs and names."""
        return _is_content(self.tag)


@cache
def _is_content(tag: str) -> bool:
    return tag.partition(".")[0] in CONTENT


@cache
def features(tag: str) -> Mapping[str, str]:
    """`aux.past.sg` is category aux, form past, number sg."""
    category, *values = tag.split(".")
    return {"category": category, **{FEATURES[value]: value for value in values}}


def other_number(number: Number) -> Number:
    """Singular for plural and plural for singular."""
    return "pl" if number == "sg" else "sg"
