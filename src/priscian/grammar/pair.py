"""A minimal pair as words, before it is proved and written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from priscian.grammar.realise import Utterance

NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Pair:
    """An acceptable and an unacceptable utterance; `extra` goes into the row as it is."""

    good: Utterance
    bad: Utterance
    extra: Mapping[str, object] = field(default_factory=lambda: NOTHING)
