"""Sentences from regions: joined by spaces, with every region's position in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, cast

from priscian.errors import DataError
from priscian.records import Item, ItemSet, Sentence, Span

Punctuation = Literal["attached", "detached"]

MARKS = ".,!?;:"
_SPACED = re.compile(rf"\s+(?=[{re.escape(MARKS)}])")


def build_sentence(contents: Sequence[str], punctuation: Punctuation = "attached") -> Sentence:
    """The text of some regions, and a span for each, named by its number from 1.

    >>> build_sentence(["As he ran", ",", "", "the dog"]).text
    'As he ran, the dog'
    >>> build_sentence(["As he ran", ",", "", "the dog"], "detached").text
    'As he ran , the dog'

    An empty region has an empty span. `attached` removes the space before . , ! ? ; and :,
    `detached` keeps the text of the file.
    """
    text, spans = "", []
    for number, content in enumerate(contents, 1):
        content = " ".join(content.split())
        if punctuation == "attached":
            content = _SPACED.sub("", content)
        close = punctuation == "attached" and content[:1] in MARKS
        if content and text and not close:
            text += " "
        spans.append(Span(str(number), len(text), len(text) + len(content)))
        text += content
    # an empty region is where the next one begins, after the space that belongs to it
    return Sentence(text, tuple(_settle(spans, len(text))))


def _settle(spans: list[Span], end: int) -> list[Span]:
    settled: list[Span] = []
    following = end
    for span in reversed(spans):
        if span.end > span.start:
            following = span.start
            settled.append(span)
        else:
            settled.append(Span(span.name, following, following))
    return settled[::-1]


def contents_of(item: Item) -> Mapping[str, tuple[str, ...]]:
    """The regions' contents in every condition of a suite's item."""
    found = item.meta.get("regions")
    if not isinstance(found, Mapping):
        raise DataError(f"item {item.id} is not from a suite: no regions; read it as sg:PATH")
    return cast(Mapping[str, tuple[str, ...]], found)


def punctuate(suite: ItemSet, punctuation: Punctuation) -> ItemSet:
    """The same suite with punctuation attached or detached."""
    return replace(
        suite,
        items=tuple(
            replace(
                item,
                conditions={
                    name: build_sentence(contents, punctuation)
                    for name, contents in contents_of(item).items()
                },
            )
            for item in suite.items
        ),
    )
